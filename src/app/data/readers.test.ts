import assert from "node:assert/strict";
import { test } from "node:test";
import type { SiteReader } from "../../site/store/reader.ts";
import { Readers } from "./readers.ts";

test("readers: reused while in use; beyond eight the least recently used is closed, after notice", () => {
  const opened: number[] = [];
  const closed: string[] = [];
  const readers = new Readers((id) => {
    opened.push(id);
    return { close: () => void closed.push(`closed ${id}`) } as unknown as SiteReader;
  });
  readers.onDrop = (id) => void closed.push(`told ${id}`);
  const first = readers.get(1);
  for (let id = 2; id <= 8; id++) readers.get(id);
  assert.equal(readers.get(1), first);
  readers.get(9);
  assert.deepEqual(closed, ["told 2", "closed 2"], "2 was asked for longest ago");
  assert.notEqual(readers.get(2), undefined);
  readers.drop(1);
  readers.drop(1);
  assert.equal(closed.filter((line) => line === "closed 1").length, 1);
  readers.close();
  assert.deepEqual(opened, [1, 2, 3, 4, 5, 6, 7, 8, 9, 2]);
  assert.equal(closed.filter((line) => line.startsWith("closed")).length, opened.length);
});

test("readers: one that cannot be opened is not kept", () => {
  let tries = 0;
  const readers = new Readers(() => {
    tries++;
    throw new Error("gone");
  });
  assert.throws(() => readers.get(1), /gone/);
  assert.throws(() => readers.get(1), /gone/);
  assert.equal(tries, 2);
  readers.close();
});
