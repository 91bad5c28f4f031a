import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { temporaryFolder } from "../../storage/testing/files.ts";
import { MetadataLog } from "./metadata.ts";
import type { MetadataRecord } from "./metadata-record.ts";
import { replayPages, writePages } from "./pages-csv.ts";
import { sampleRecord } from "./testing/samples.ts";

async function written(folder: string, records: MetadataRecord[]): Promise<string> {
  const metadataPath = join(folder, "crawl_metadata.jsonl");
  const log = await MetadataLog.open(metadataPath, assert.fail);
  await log.recover([]);
  await log.append(records);
  await log.close();
  return metadataPath;
}

const onDamaged = () => assert.fail("no line is damaged");

test("replay gives seed 000's columns, with everything the metadata knows", async (t) => {
  const folder = await temporaryFolder(t);
  const metadataPath = await written(folder, [
    sampleRecord({ fetch_latency_ms: 12, proxy_id: "p1", metadata: { title: 'a "b", c' } }),
    sampleRecord({ referrer: null, etag: "=cmd()", last_modified: "line\nbreak" }),
  ]);
  const csvPath = join(folder, "logs/pages-run1.csv");
  assert.equal(await replayPages(csvPath, { metadataPath, onDamaged }), 2);
  const csv = await readFile(csvPath, "utf8");
  const sha = "ab".repeat(32);
  const stored = `workspace/store/html/ab/ab/${sha}.html`;
  assert.deepEqual(csv.split("\r\n"), [
    "timestamp,url,page_type,depth,referrer,http_status,content_type,encoding,content_sha256,content_bytes,stored_path," +
      "etag,last_modified,fetch_latency_ms,retries,proxy_id,metadata",
    `1234567890,https://github.com/owner/repo,repo_root,2,https://github.com/topics,200,text/html; charset=utf-8,utf-8,${sha},` +
      `54321,${stored},"W/""1""","Sun, 12 Jan 2025 10:00:00 GMT",12.0,0,p1,"{""title"":""a \\""b\\"", c""}"`,
    `1234567890,https://github.com/owner/repo,repo_root,2,,200,text/html; charset=utf-8,utf-8,${sha},` +
      `54321,${stored},=cmd(),"line\nbreak",234.5,0,,{}`,
    "",
  ]);
  assert.deepEqual(await readdir(join(folder, "logs")), ["pages-run1.csv"], "no temporary file stays");
  const again = await replayPages(csvPath, { metadataPath, onDamaged });
  assert.equal(again, 2);
  assert.equal(await readFile(csvPath, "utf8"), csv);
});

test("a table for people disarms formulas", async (t) => {
  const metadataPath = await written(await temporaryFolder(t), [sampleRecord({ etag: "=cmd()", proxy_id: "@x" })]);
  const output = new PassThrough();
  const [rows, csv] = await Promise.all([
    writePages(output, { metadataPath, onDamaged, escapeFormulas: true }),
    text(output),
  ]);
  assert.equal(rows, 1);
  assert.ok(csv.includes(",'=cmd(),"));
  assert.ok(csv.endsWith(",'@x,{}\r\n"));
});

test("without metadata there is a header", async (t) => {
  const folder = await temporaryFolder(t);
  const csvPath = join(folder, "pages.csv");
  assert.equal(await replayPages(csvPath, { metadataPath: join(folder, "none.jsonl"), onDamaged }), 0);
  assert.match(await readFile(csvPath, "utf8"), /^timestamp,.*,metadata\r\n$/);
});
