import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RecordRows, rowFrame, timeField } from "./record-rows.ts";

/** ClickHouse's rules for TabSeparated, as far as they matter here. */
function parse(rows: Buffer): string[][] {
  const unescaped: Record<string, string> = { t: "\t", n: "\n", "\\": "\\" };
  const lines = rows.toString().split("\n");
  assert.equal(lines.pop(), "");
  return lines.map((line) => line.split("\t").map((field) => field.replace(/\\(.)/g, (_, c: string) => unescaped[c]!)));
}

test("every record comes out of TabSeparated as it went in", () => {
  const anyText = fc.string({ unit: fc.oneof(fc.constantFrom("\t", "\n", "\\", "\0", "\r", "é", "🙂"), fc.string()) });
  fc.assert(
    fc.property(fc.array(fc.tuple(anyText, anyText, anyText, fc.jsonValue())), (records) => {
      const rows = new RecordRows();
      const expected = records.map(([did, collection, rkey, record]) => {
        const json = JSON.stringify(record, null, "\t");
        rows.add(rowFrame(did, collection, 1n, "DateTime"), rkey, Buffer.from(json));
        return [did, collection, rkey, "create", json, "0000000000", "1"];
      });
      assert.deepEqual(parse(rows.bytes), expected);
      assert.equal(rows.count, records.length);
    }),
  );
});

test("rows are taken back, and the next batch begins empty", () => {
  const rows = new RecordRows();
  const frame = rowFrame("did:plc:a", "a.b.c", 0n, "DateTime");
  rows.add(frame, "k", Buffer.alloc(3_000_000, "x"));
  assert.ok(rows.byteLength > 3_000_000);
  rows.clear();
  assert.deepEqual([rows.count, rows.byteLength], [0, 0]);
  rows.add(frame, "k2", Buffer.from("{}"));
  assert.deepEqual(parse(rows.bytes), [["did:plc:a", "a.b.c", "k2", "create", "{}", "0000000000", "0"]]);
});

test("times have ten digits, and stay within what a column holds", () => {
  assert.equal(timeField(1_700_000_000_123_456n, "DateTime64(6)"), "1700000000.123456");
  assert.equal(timeField(1_700_000_000_123_456n, "DateTime"), "1700000000");
  assert.equal(timeField(5_000_001n, "DateTime64(6)"), "0000000005.000001");
  assert.equal(timeField(-1n, "DateTime"), "0000000000");
  assert.equal(timeField(2n ** 63n - 1n, "DateTime64(6)"), "4294967295.999999");
});
