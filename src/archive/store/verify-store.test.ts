import assert from "node:assert/strict";
import { appendFile, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { TrawlError } from "../../errors.ts";
import { temporaryFolder } from "../../storage/testing/files.ts";
import { catPage } from "./blob-store.ts";
import { MetadataLog } from "./metadata.ts";
import { formatRecord } from "./metadata-record.ts";
import { repairArchive } from "./repair-store.ts";
import { sampleRecord, sampleStore, storePages } from "./testing/samples.ts";
import { type Problem, verifyArchive } from "./verify-store.ts";

const PAGES = {
  "https://github.com/a": "page a",
  "https://github.com/b": "page b",
  "https://github.com/c": "page c",
  "https://github.com/d": "page a",
  "https://github.com/e": "page e",
};

async function archive(t: TestContext, compress = false) {
  const folder = await temporaryFolder(t);
  const blobs = sampleStore(folder, { compress });
  const metadataPath = join(folder, "metadata/crawl_metadata.jsonl");
  const log = await MetadataLog.open(metadataPath, assert.fail);
  await log.recover([]);
  const records = await storePages(blobs, PAGES);
  await log.append([...records, sampleRecord({ url: "https://github.com/404", content_sha256: "", stored_path: "" })]);
  await log.close();
  const fileOf = (index: number) => join(folder, records[index]!.stored_path.replace("workspace/", ""));
  return { folder, blobs, metadataPath, records, fileOf };
}

async function* fetched(...more: string[]): AsyncGenerator<string> {
  yield* [...Object.keys(PAGES), "https://github.com/404", ...more];
}

async function problemsOf(blobs: ReturnType<typeof sampleStore>, metadataPath: string) {
  const problems: Problem[] = [];
  const onProblem = (problem: Problem) => problems.push(problem);
  const counts = await verifyArchive({ blobs, metadataPath, fetchedUrls: fetched(), onProblem });
  return { problems, counts };
}

test("a whole archive has no problems, and everything is counted", async (t) => {
  for (const compress of [false, true]) {
    const { blobs, metadataPath } = await archive(t, compress);
    const { problems, counts } = await problemsOf(blobs, metadataPath);
    assert.deepEqual(problems, []);
    const { lines, pages, blobs: whole, bytes } = counts;
    assert.deepEqual({ lines, pages, whole, bytes }, { lines: 6, pages: 5, whole: 4, bytes: 24 });
  }
});

test("all damage to an archive is reported and repaired, and everything intact is kept", async (t) => {
  const { folder, blobs, metadataPath, records, fileOf } = await archive(t);
  await writeFile(fileOf(1), "page B");
  await rm(fileOf(2));
  await writeFile(`${fileOf(0)}.77.tmp`, "pa");
  const orphan = await blobs.put(Buffer.from("nobody knows me"));
  const lines = (await readFile(metadataPath, "utf8")).split("\n").slice(0, -1);
  const before = lines.slice();
  lines[4] = lines[4]!.replace('"depth":2', '"depth":');
  await writeFile(metadataPath, `${lines.join("\n")}\n`);
  await appendFile(metadataPath, '{"url":"https://github.com/torn","time');

  const { problems, counts } = await problemsOf(blobs, metadataPath);
  const brief = problems.map((problem) =>
    [problem.kind, "url" in problem ? problem.url : "sha256" in problem ? problem.sha256 : ""].join(" "),
  );
  assert.deepEqual(brief.sort(), [
    "corrupt_blob https://github.com/b",
    "damaged_line https://github.com/e",
    `leftover ${records[0]!.content_sha256}`,
    "lost_url https://github.com/b",
    "lost_url https://github.com/c",
    "lost_url https://github.com/e",
    "missing_blob https://github.com/c",
    `orphan ${orphan.sha256}`,
    `orphan ${records[4]!.content_sha256}`,
    "unsettled_line https://github.com/torn",
  ]);
  assert.equal(counts.lines, 7);
  assert.equal(counts.problems.damaged_line, 1);

  const stateFolder = join(folder, "state");
  const repaired = await repairArchive({
    blobs,
    metadataPath,
    stateFolder,
    now: 1_700_000_000_500,
    fetchedUrls: fetched("https://github.com/unreadable"),
    onProblem: () => {},
  });
  assert.deepEqual(repaired.reopen.sort(), [
    "https://github.com/b",
    "https://github.com/c",
    "https://github.com/e",
    "https://github.com/unreadable",
  ]);
  assert.equal(repaired.droppedLines, 4);
  assert.equal(repaired.damagedFile, join(stateFolder, "damaged-1700000000.txt"));
  assert.deepEqual((await readFile(repaired.damagedFile!, "utf8")).split("\n"), [
    lines[1],
    lines[2],
    lines[4],
    '{"url":"https://github.com/torn","time',
    "",
  ]);
  assert.deepEqual((await readFile(metadataPath, "utf8")).split("\n"), [before[0], before[3], before[5], ""]);
  assert.equal(repaired.records.bytes, (await stat(metadataPath)).size);
  assert.equal(await readFile(repaired.quarantined[0]!, "utf8"), "page B");
  await assert.rejects(stat(fileOf(1)), { code: "ENOENT" });

  // What is fetched again finds its place, and then the archive is whole.
  const log = await MetadataLog.open(metadataPath, assert.fail);
  await log.recover([]);
  const { "https://github.com/b": b, "https://github.com/c": c, "https://github.com/e": e } = PAGES;
  const again = { "https://github.com/b": b, "https://github.com/c": c, "https://github.com/e": e };
  await log.append(await storePages(blobs, again));
  await log.close();
  const after = await problemsOf(blobs, metadataPath);
  assert.deepEqual(
    after.problems.map(({ kind }) => kind),
    ["orphan"],
  );
  assert.equal((await catPage("https://github.com/b", blobs, metadataPath)).bytes.toString(), "page b");
});

test("repair changes nothing in a whole archive", async (t) => {
  const { folder, blobs, metadataPath } = await archive(t);
  const before = await stat(metadataPath);
  const options = { blobs, metadataPath, stateFolder: join(folder, "state"), now: 0, onProblem: () => {} };
  const repaired = await repairArchive(options);
  assert.deepEqual([repaired.reopen, repaired.damagedFile, repaired.quarantined], [[], null, []]);
  const { ino, mtimeMs, size } = await stat(metadataPath);
  assert.deepEqual([ino, mtimeMs, size], [before.ino, before.mtimeMs, repaired.records.bytes]);
  assert.ok(!(await readdir(folder)).includes("state"));
});

test("a 304 that names a corrupt page is lost with it: its condition must not be sent again", async (t) => {
  const { folder, blobs, metadataPath, records, fileOf } = await archive(t);
  await appendFile(metadataPath, formatRecord({ ...records[1]!, http_status: 304, content_bytes: 0 }));
  await writeFile(fileOf(1), "");
  const options = { blobs, metadataPath, stateFolder: join(folder, "state"), now: 0, onProblem: () => {} };
  const { reopen, droppedLines } = await repairArchive(options);
  assert.deepEqual([reopen, droppedLines], [["https://github.com/b"], 2]);
});

test("verify can be stopped, and tells how far it is", async (t) => {
  const { blobs, metadataPath } = await archive(t);
  const stop = new AbortController();
  let lines = 0;
  const onProgress = (counts: { lines: number }) => {
    lines = counts.lines;
    if (lines === 3) stop.abort();
  };
  const { signal } = stop;
  await assert.rejects(verifyArchive({ blobs, metadataPath, onProblem: () => {}, onProgress, signal }), {
    name: "AbortError",
  });
  assert.equal(lines, 3);
});

test("cat gives a page by URL or hash, the last that was stored", async (t) => {
  const { blobs, metadataPath, records, fileOf } = await archive(t);
  const url = "https://github.com/a";
  const [newer] = await storePages(blobs, { [url]: "page a, later" });
  await appendFile(
    metadataPath,
    formatRecord(newer!) + formatRecord(sampleRecord({ url, content_sha256: "", stored_path: "" })),
  );
  const cat = (what: string) => catPage(what, blobs, metadataPath);
  assert.equal((await cat(url)).bytes.toString(), "page a, later");
  const byHash = await cat(records[0]!.content_sha256.toUpperCase());
  assert.equal(byHash.bytes.toString(), "page a");
  assert.equal(byHash.record, null);
  const failsWith = (code: string) => (error: TrawlError) => error.code === code;
  for (const what of ["https://github.com/none", "https://github.com/404", "0".repeat(64)]) {
    await assert.rejects(cat(what), failsWith("PAGE_NOT_IN_ARCHIVE"));
  }
  await rm(fileOf(2));
  await assert.rejects(cat("https://github.com/c"), failsWith("ARCHIVE_DAMAGED"));
});
