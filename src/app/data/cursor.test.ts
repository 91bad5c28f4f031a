import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readCursor, writeCursor } from "./cursor.ts";

const LIST = ["urls", 1, { filters: ["status>=400"], search: null, sort: "-depth" }];

test("cursors: what was written is read, whatever the place", () => {
  const place = fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 3 });
  fc.assert(fc.property(place, (each) => assert.deepEqual(readCursor(LIST, writeCursor(LIST, each)), each)));
});

test("cursors: one of another crawl, order or list is refused, and so is any other text", () => {
  const cursor = writeCursor(LIST, [100, 7]);
  const others = [
    ["urls", 2, LIST[2]],
    ["links", 1, LIST[2]],
    ["urls", 1, { filters: ["status>=400"], search: null, sort: "depth" }],
  ];
  for (const list of others) assert.throws(() => readCursor(list, cursor), { code: "BAD_USAGE" });
  const [place, sum] = cursor.split(".") as [string, string];
  const forged = Buffer.from("[101,7]").toString("base64url");
  for (const text of ["", ".", place, `${forged}.${sum}`, `${place}.x`, "W10", "12", "\u0000"]) {
    assert.throws(() => readCursor(LIST, text), { code: "BAD_USAGE" }, text);
  }
  fc.assert(fc.property(fc.string(), (text) => assert.throws(() => readCursor(LIST, text), { code: "BAD_USAGE" })));
});
