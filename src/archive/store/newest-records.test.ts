import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { formatRecord, type MetadataRecord } from "./metadata-record.ts";
import { newestRecords } from "./newest-records.ts";
import { sampleRecord } from "./testing/samples.ts";

const folder = mkdtempSync(join(tmpdir(), "trawl-newest-"));
const path = join(folder, "metadata.jsonl");
test.after(() => rmSync(folder, { recursive: true }));

const records = (urls: string[]): MetadataRecord[] => urls.map((url) => sampleRecord({ url }));

async function read(before: number | null, chunk: number): Promise<{ url: string; offset: number }[]> {
  const found = [];
  for await (const { record, offset } of newestRecords(path, before, chunk)) found.push({ url: record.url, offset });
  return found;
}

test("all records come, the last first, whatever is read at a time", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.webUrl(), { maxLength: 12 }),
      fc.integer({ min: 100, max: 2_000 }),
      fc.constantFrom("", "{torn", "not a record\n"),
      async (urls, chunk, tail) => {
        writeFileSync(path, records(urls).map(formatRecord).join("") + tail);
        const found = await read(null, chunk);
        assert.deepEqual(found.map(({ url }) => url).reverse(), urls);
        // Each can be continued from.
        for (const [at, { offset }] of found.entries()) {
          assert.deepEqual(await read(offset, chunk), found.slice(at + 1));
        }
      },
    ),
    { numRuns: 15 },
  );
});

test("without a file, there are no records", async () => {
  const none = [];
  for await (const record of newestRecords(join(folder, "missing.jsonl"))) none.push(record);
  assert.deepEqual(none, []);
});
