import assert from "node:assert/strict";
import { appendFile, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import type { TrawlError } from "../../errors.ts";
import { collect, temporaryFolder } from "../../storage/testing/files.ts";
import { MetadataLog } from "./metadata.ts";
import {
  formatRecord,
  isDamage,
  type MetadataRecord,
  parseRecord,
  readMetadata,
  urlOfLine,
} from "./metadata-record.ts";
import { sampleRecord } from "./testing/samples.ts";

async function log(t: TestContext) {
  const path = join(await temporaryFolder(t), "metadata/crawl_metadata.jsonl");
  const notices: string[] = [];
  const open = () => MetadataLog.open(path, (text) => notices.push(text));
  return { path, notices, open };
}

const recordsIn = async (path: string): Promise<MetadataRecord[]> =>
  (await collect(readMetadata(path, ({ why }) => assert.fail(why)))).map(({ record }) => record);

test("a line is seed 003's record: keys, order and types", () => {
  const line = formatRecord(sampleRecord({ fetch_latency_ms: 234, proxy_id: null }));
  assert.equal(
    line,
    '{"url":"https://github.com/owner/repo","timestamp":1234567890,"depth":2,"page_type":"repo_root",' +
      '"referrer":"https://github.com/topics","http_status":200,"content_type":"text/html; charset=utf-8",' +
      `"encoding":"utf-8","content_sha256":"${"ab".repeat(32)}","content_bytes":54321,` +
      `"stored_path":"workspace/store/html/ab/ab/${"ab".repeat(32)}.html","etag":"W/\\"1\\"",` +
      '"last_modified":"Sun, 12 Jan 2025 10:00:00 GMT","fetch_latency_ms":234.0,"retries":0,"proxy_id":null,"metadata":{}}\n',
  );
});

const records = fc.record({
  url: fc.oneof(fc.webUrl(), fc.string({ unit: "grapheme" })),
  etag: fc.string(),
  referrer: fc.option(fc.string()),
  fetch_latency_ms: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  metadata: fc.dictionary(
    fc.string().filter((key) => key !== "__proto__"),
    fc.string(),
  ),
});

test("a record comes back as it was, in one line, and its URL can be read off", () => {
  fc.assert(
    fc.property(records, (changes) => {
      const record = sampleRecord(changes);
      const line = formatRecord(record);
      assert.equal(line.indexOf("\n"), line.length - 1);
      const bytes = Buffer.from(line.slice(0, -1));
      assert.deepEqual(JSON.parse(JSON.stringify(parseRecord(bytes))), JSON.parse(JSON.stringify(record)));
      assert.equal(urlOfLine(bytes), record.url);
    }),
  );
});

test("bytes that are no record are damage, never an exception", () => {
  const line = Buffer.from(formatRecord(sampleRecord()).slice(0, -1));
  fc.assert(
    fc.property(fc.nat(line.length - 1), fc.integer({ min: 0, max: 255 }), (at, byte) => {
      const changed = Buffer.from(line);
      changed[at] = byte;
      parseRecord(changed);
      urlOfLine(changed);
      assert.ok(isDamage(parseRecord(line.subarray(0, at))));
    }),
  );
  fc.assert(fc.property(fc.uint8Array(), (bytes) => isDamage(parseRecord(Buffer.from(bytes)))));
});

test("appended records are there, in order, when append resolves", async (t) => {
  const { path, open } = await log(t);
  const metadata = await open();
  const batches = [3, 0, 1, 5].map((count, batch) =>
    Array.from({ length: count }, (_, index) => sampleRecord({ url: `https://github.com/${batch}/${index}` })),
  );
  const lengths = await Promise.all(batches.map((batch) => metadata.append(batch)));
  assert.equal(lengths.at(-1), metadata.length);
  assert.equal((await readFile(path)).length, metadata.length);
  assert.deepEqual(await recordsIn(path), batches.flat());
  await metadata.close();
});

test("a torn last line is dropped with a notice, wherever it was cut", async (t) => {
  const { path, notices, open } = await log(t);
  const metadata = await open();
  const first = await metadata.append([sampleRecord({ url: "https://a.test/" })]);
  const second = await metadata.append([sampleRecord({ url: "https://b.test/" })]);
  await metadata.close();
  for (const cut of [second - 1, first + 1, first]) {
    await truncate(path, cut);
    const reopened = await open();
    assert.equal(reopened.length, first);
    await reopened.close();
  }
  assert.equal(notices.length, 2, "a file that ends with a line is not torn");
  assert.match(notices[0]!, /cut short/);
  await appendFile(path, Buffer.alloc(4096));
  const reopened = await open();
  assert.equal(reopened.length, first, "zeros, as some file systems leave them");
  await reopened.close();
});

test("lines that were never settled are dropped; a file that lost settled lines is damaged", async (t) => {
  const { path, open } = await log(t);
  const metadata = await open();
  const settled = await metadata.append([sampleRecord({ url: "https://a.test/" })]);
  await metadata.append([sampleRecord({ url: "https://b.test/" })]);
  assert.equal((await metadata.lastLineOf("https://b.test/"))?.url, "https://b.test/");
  await metadata.truncateTo(settled);
  assert.equal(await metadata.lastLineOf("https://b.test/"), null);
  await assert.rejects(metadata.truncateTo(settled + 1), (error: TrawlError) => error.code === "ARCHIVE_DAMAGED");
  await metadata.append([sampleRecord({ url: "https://c.test/" })]);
  assert.deepEqual(
    (await recordsIn(path)).map(({ url }) => url),
    ["https://a.test/", "https://c.test/"],
  );
  await metadata.close();
});

test("the last line of a URL is found, after a restart and for what was just appended", async (t) => {
  const { path, open } = await log(t);
  const before = await open();
  const urls = Array.from(
    { length: 300 },
    (_, index) => `https://github.com/o/r${index % 100}/${"é".repeat(index % 90)}`,
  );
  await before.append(urls.map((url, index) => sampleRecord({ url, timestamp: index })));
  await before.close();
  const failed = formatRecord(sampleRecord({ url: urls[9], timestamp: 500, content_sha256: "", http_status: 503 }));
  await appendFile(path, `{}\n[]\n${failed}`);
  const metadata = await open();
  await metadata.append([sampleRecord({ url: urls[5], timestamp: 1000 })]);
  const last = (url: string) => metadata.lastLineOf(url);
  for (const url of new Set(urls)) {
    assert.equal((await last(url))?.timestamp, url === urls[5] ? 1000 : urls.lastIndexOf(url));
  }
  assert.equal(await last("https://github.com/never"), null);
  await metadata.append([sampleRecord({ url: urls[7], timestamp: 2000 })]);
  assert.equal((await last(urls[7]!))?.timestamp, 2000);
  await metadata.append([sampleRecord({ url: urls[7], timestamp: 3000, content_sha256: "", http_status: 0 })]);
  assert.equal((await last(urls[7]!))?.timestamp, 2000, "a fetch that failed says nothing of the page");
  await metadata.close();
});

test("damaged lines are told with their place, and the others are read", async (t) => {
  const { path, open } = await log(t);
  const metadata = await open();
  await metadata.append([sampleRecord(), sampleRecord()]);
  await metadata.close();
  const good = (await readFile(path, "utf8")).split("\n")[0]!;
  await writeFile(path, [good, "{", good.replace("200", '"200"'), good, "cut"].join("\n"));
  const damaged: string[] = [];
  const read = await collect(readMetadata(path, ({ line, why }) => damaged.push(`${line.number} ${why}`)));
  assert.equal(read.length, 2);
  assert.equal(damaged.length, 3);
  assert.match(damaged.join("; "), /^2 not JSON; 3 http_status: .*; 5 cut short$/);
});
