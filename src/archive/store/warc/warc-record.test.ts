import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { newRecordId, parseHeaders, recordBytes } from "./warc-record.ts";

test("headers are read back from a record, and no value makes another header", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.uint8Array(), (value, block) => {
      const id = newRecordId();
      const headers: [string, string][] = [["WARC-Target-URI", `https://x.test/${value}\r\nWARC-Type: evil`]];
      const bytes = recordBytes({ type: "response", id, at: 0, headers, contentType: "a/b", block });
      const read = parseHeaders(bytes.toString())!;
      assert.deepEqual(
        [...read.keys()],
        [
          "warc-type",
          "warc-record-id",
          "warc-date",
          "warc-target-uri",
          "warc-block-digest",
          "content-type",
          "content-length",
        ],
      );
      assert.deepEqual([read.get("warc-type"), read.get("warc-record-id")], ["response", id]);
      assert.equal(read.get("content-length"), String(block.length));
      const head = bytes.indexOf("\r\n\r\n") + 4;
      assert.deepEqual(new Uint8Array(bytes.subarray(head, -4)), block);
    }),
  );
});

test("bytes that are not a record have no headers, and never throw", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      assert.equal(parseHeaders(text), null);
      parseHeaders(`WARC/1.1\r\n${text}\r\n\r\n`);
    }),
  );
  assert.equal(parseHeaders("WARC/1.1\r\nWARC-Type: response\r\n"), null, "cut short");
});
