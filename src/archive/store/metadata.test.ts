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
import { type Committed, checkMetadata, sumsPath } from "./metadata-sums.ts";
import { sampleRecord } from "./testing/samples.ts";

async function log(t: TestContext) {
  const path = join(await temporaryFolder(t), "metadata/crawl_metadata.jsonl");
  const notices: string[] = [];
  /** Opens the log as a ledger does that has committed this much. */
  const open = async (mark: Committed["mark"] = null, isClosed = false) => {
    const log = await MetadataLog.open(path, (text) => notices.push(text));
    try {
      await log.recover([ledger(mark, isClosed)]);
      return log;
    } catch (error) {
      await log.close();
      throw error;
    }
  };
  return { path, notices, open };
}

const ledger = (mark: Committed["mark"], isClosed = false): Committed => ({
  mark,
  isClosed,
  isEndLost: false,
  isOwn: () => true,
});

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
  const marks = await Promise.all(batches.map((batch) => metadata.append(batch)));
  assert.deepEqual(marks.at(-1), metadata.mark);
  assert.equal((await readFile(path)).length, metadata.mark.bytes);
  assert.equal((await readFile(sumsPath(path), "utf8")).split("\n").length - 1, batches.flat().length);
  assert.deepEqual(await recordsIn(path), batches.flat());
  await metadata.close();
});

test("a torn last line is dropped with a notice, wherever it was cut", async (t) => {
  const { path, notices, open } = await log(t);
  const metadata = await open();
  const first = await metadata.append([sampleRecord({ url: "https://a.test/" })]);
  const second = await metadata.append([sampleRecord({ url: "https://b.test/" })]);
  await metadata.close();
  for (const cut of [second.bytes - 1, first.bytes + 1, first.bytes]) {
    await truncate(path, cut);
    const reopened = await open(first);
    assert.deepEqual(reopened.mark, first);
    await reopened.close();
  }
  assert.equal(notices.length, 2, "a file that ends with a line is not torn");
  assert.match(notices[0]!, /cut short/);
  await appendFile(path, Buffer.alloc(4096));
  const reopened = await open(first);
  assert.deepEqual(reopened.mark, first, "zeros, as some file systems leave them");
  await reopened.close();
});

test("lines that were never settled are dropped; a file that lost settled lines is damaged", async (t) => {
  const { path, open } = await log(t);
  const metadata = await open();
  const settled = await metadata.append([sampleRecord({ url: "https://a.test/" })]);
  await metadata.append([sampleRecord({ url: "https://b.test/" })]);
  assert.equal((await metadata.lastLineOf("https://b.test/"))?.url, "https://b.test/");
  await metadata.recover([ledger(settled)]);
  assert.equal(await metadata.lastLineOf("https://b.test/"), null);
  const more = { bytes: settled.bytes + 1, sum: settled.sum };
  await assert.rejects(metadata.recover([ledger(more)]), (error: TrawlError) => error.code === "ARCHIVE_DAMAGED");
  await metadata.append([sampleRecord({ url: "https://c.test/" })]);
  assert.deepEqual(
    (await recordsIn(path)).map(({ url }) => url),
    ["https://a.test/", "https://c.test/"],
  );
  await metadata.close();
});

test("any byte changed, added or lost is refused by name, in the lines and in their sums; nothing is cut", async (t) => {
  const { path, open } = await log(t);
  const metadata = await open();
  const urls = ["https://a.test/", "https://b.test/", "https://c.test/"];
  const mark = await metadata.append(urls.map((url) => sampleRecord({ url, etag: "", stored_path: "" })));
  await metadata.close();
  for (const file of [path, sumsPath(path)]) {
    const good = await readFile(file);
    for (let at = 0; at < good.length; at += 3) {
      const changes = {
        changed: Buffer.concat([good.subarray(0, at), Buffer.from([good[at]! ^ 4]), good.subarray(at + 1)]),
        added: Buffer.concat([good.subarray(0, at), Buffer.from("0"), good.subarray(at)]),
        lost: Buffer.concat([good.subarray(0, at), good.subarray(at + 1)]),
        cut: good.subarray(0, at),
      };
      for (const [how, damaged] of Object.entries(changes)) {
        if (damaged.equals(good)) continue;
        await writeFile(file, damaged);
        const { damaged: found } = await checkMetadata(path, [ledger(mark, true)]);
        assert.ok(found.length > 0, `${how} at ${at} of ${file}`);
        const line = good
          .subarray(0, at + (how === "added" ? 0 : 1))
          .toString()
          .split("\n").length;
        assert.ok(
          found.some((each) => file.endsWith(each.file) && Math.abs(each.line - line) <= 1),
          `${how} at ${at}`,
        );
      }
    }
    await assert.rejects(open(mark), { code: "ARCHIVE_DAMAGED" });
    assert.notEqual((await readFile(file)).length, good.length, "what is left is left alone");
    await writeFile(file, good);
  }
  await (await open(mark, true)).close();
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

test("damaged lines are reported with their position, and the others are read", async (t) => {
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
