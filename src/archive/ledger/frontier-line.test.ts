/** Lines of the frontier come back as they were; anything else is refused, never taken for one. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { anAdmitted } from "../../kernel/testing/samples.ts";
import { addSum } from "../../storage/line-sums.ts";
import { decodeRow, encodeRow, idAtEnd, type Row } from "./frontier-line.ts";

const { meta, ...admitted } = anAdmitted(7, { key: "https://github.com/a/b", lane: "github.com" });

const aRow = (more: Partial<Row> = {}): Row => ({
  ...admitted,
  ...meta,
  pageType: "repo_root",
  referrer: null,
  discoveredAt: 1_700_000_000,
  commit: 12,
  ...more,
});

const count = fc.nat();
const PLAIN = { noNullPrototype: true } as const;
const row: fc.Arbitrary<Row> = fc.record(
  {
    key: fc.string({ unit: "binary" }),
    id: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
    place: fc.integer({ min: 1 }),
    lane: fc.string(),
    depth: count,
    parent: count,
    via: count,
    kind: count,
    hops: count,
    verdict: fc.record(
      {
        action: fc.constantFrom("crawl" as const, "record" as const, "skip" as const),
        reason: fc.option(fc.string()),
        rule: fc.option(fc.string()),
      },
      PLAIN,
    ),
    pageType: fc.string(),
    referrer: fc.option(fc.string()),
    discoveredAt: count,
    commit: count,
  },
  PLAIN,
);

const bytesOf = (line: string): Buffer => Buffer.from(line);

it("begins with the six keys of the format, and says nothing that goes without saying", () => {
  const text = encodeRow(aRow({ depth: 2, referrer: "https://github.com/topics" }));
  assert.equal(
    text,
    '{"url":"https://github.com/a/b","depth":2,"score":2,"page_type":"repo_root",' +
      '"referrer":"https://github.com/topics","discovered_at":1700000000,"lane":"github.com","commit":12,"id":7}',
  );
});

it("any row comes back as it was, on one line", () => {
  fc.assert(
    fc.property(row, (each) => {
      const text = encodeRow(each);
      assert.equal(text.indexOf("\n"), -1);
      assert.deepEqual(decodeRow(bytesOf(text)), each);
      assert.equal(idAtEnd(bytesOf(text)), each.id);
      const summed = addSum(text, 0).line.subarray(0, -1);
      assert.deepEqual(decodeRow(summed), each);
      assert.equal(idAtEnd(summed), each.id);
    }),
  );
});

it("a line cut anywhere is rejected", () => {
  const bytes = bytesOf(encodeRow(aRow({ place: 9, verdict: { action: "skip", reason: "caps", rule: "depth" } })));
  for (let end = 0; end < bytes.length; end++) assert.equal(decodeRow(bytes.subarray(0, end)), null);
});

it("anything else is refused without an exception", () => {
  const changed = fc.constantFrom("url", "depth", "id", "commit", "page_type", "discovered_at", "lane", "verdict");
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      assert.equal(decodeRow(Buffer.from(bytes)), null);
      assert.equal(idAtEnd(Buffer.from(bytes)), 0);
    }),
  );
  fc.assert(
    fc.property(changed, fc.constantFrom(null, -1, 1.5, [], {}, true), (key, value) => {
      const line = { ...JSON.parse(encodeRow(aRow())), [key]: value };
      if (key === "discovered_at" && typeof value === "number") return;
      assert.equal(decodeRow(Buffer.from(JSON.stringify(line))), null, JSON.stringify(line));
    }),
  );
});
