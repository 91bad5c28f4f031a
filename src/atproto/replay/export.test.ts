import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { test } from "node:test";
import { zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import type { FileSystem } from "../../storage/file-system.ts";
import { assertCrashSafe } from "../../storage/testing/replay-crashes.ts";
import { ALL_COLLECTIONS, collectionFilter } from "../collection-filter.ts";
import { CollectionFiles, FILE_LIMITS } from "./collection-files.ts";
import { type ExportOptions, type ExportSummary, exportArchive } from "./export.ts";
import { isoTime, JsonLines, ParquetRows } from "./export-formats.ts";
import { fail } from "./testing/replay-promises.ts";
import {
  commitEvent,
  LIKE,
  POST,
  recordEvents,
  SAMPLE,
  type SampleRepo,
  TRICKY,
  temporaryFolder,
  writeSegment,
} from "./testing/sample-archive.ts";

const COMPRESSORS = {
  ZSTD: (bytes: Uint8Array, length: number) => zstdDecompressSync(bytes, { maxOutputLength: Math.max(1, length) }),
};

async function readParquet(path: string): Promise<Record<string, unknown>[]> {
  const file = await asyncBufferFromFile(path);
  return parquetReadObjects({ file, compressors: COMPRESSORS });
}

const exported = (folder: string, options: Partial<ExportOptions>): Promise<ExportSummary> =>
  exportArchive({
    folder,
    output: join(folder, "out"),
    format: "parquet",
    collections: ALL_COLLECTIONS,
    onDamage: fail,
    ...options,
  });

const names = ({ files }: ExportSummary): string[] => files.map(({ path }) => basename(path));

test("what events changed since a repo was fetched is exported as it is now, without accounts that are not active", async () => {
  await using folder = await temporaryFolder();
  const [repo, , web] = SAMPLE;
  const { did, crawledAt } = repo!;
  await writeSegment(folder.path, [{ ...repo!, rev: "3lb" }, web!]);
  const seen = crawledAt + 5n;
  const newcomer = "did:plc:cccccccccccccccccccccccc";
  await recordEvents(folder.path, [
    commitEvent(1, did, "3la", seen, { [`${POST}/k1`]: { text: "stale" } }),
    commitEvent(2, did, "3lc", seen, { [`${POST}/k2`]: { text: "edited" }, [`${LIKE}/l1`]: null }),
    commitEvent(3, did, "3ld", seen, { [`${POST}/k2`]: { text: "edited twice" } }),
    commitEvent(4, newcomer, "3la", seen, { [`${POST}/n1`]: { text: "first" }, [`${POST}/n2`]: { text: "gone" } }),
    commitEvent(5, newcomer, "3lb", seen, { [`${POST}/n2`]: null }),
    { kind: "account", seq: 6, seenAt: Number(web!.crawledAt) + 1, did: web!.did, active: false, status: "suspended" },
  ]);
  const lines = async (options: Partial<ExportOptions>): Promise<string[]> => {
    const { files } = await exported(folder.path, { format: "jsonl", ...options });
    const texts = await Promise.all(files.map(({ path }) => readFile(path, "utf8")));
    const rows = texts
      .join("")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
    return rows.map((row) => `${row.repo.slice(8, 12)} ${row.rkey} ${row.record.text ?? ""}`).sort();
  };
  const active = ["aaaa k1 one", "aaaa k2 edited twice", "cccc n1 first"];
  assert.deepEqual(await lines({}), active);
  assert.deepEqual(await lines({ inactive: true }), [...active, "exam k1 three"]);
});

test("Parquet: one file a collection, every record as it is stored", async () => {
  await using folder = await temporaryFolder();
  await writeSegment(folder.path, SAMPLE, 1);
  const summary = await exported(folder.path, {});
  assert.deepEqual(names(summary), [`${LIKE}.parquet`, `${POST}.parquet`]);
  assert.deepEqual([summary.repos, summary.records], [3, 4]);
  const [a, , web] = SAMPLE;
  const row = ({ did, crawledAt }: SampleRepo, rkey: string, record_json: string) => ({
    repo: did,
    collection: POST,
    rkey,
    record_json,
    time_us: crawledAt,
  });
  assert.deepEqual(await readParquet(join(folder.path, "out", `${POST}.parquet`)), [
    row(a!, "k1", '{"text":"one"}'),
    row(a!, "k2", JSON.stringify(TRICKY)),
    row(web!, "k1", '{\n\t"text": "three"\r\n}'),
  ]);
  assert.deepEqual(await readdir(join(folder.path, "out")), names(summary));
});

test("JSON lines: each record within its line, whatever white space it had", async () => {
  await using folder = await temporaryFolder();
  await writeSegment(folder.path, SAMPLE);
  await exported(folder.path, { format: "jsonl", collections: collectionFilter([POST]) });
  assert.deepEqual(await readdir(join(folder.path, "out")), [`${POST}.jsonl`]);
  const lines = (await readFile(join(folder.path, "out", `${POST}.jsonl`), "utf8")).trimEnd().split("\n");
  const [a, , web] = SAMPLE;
  const about = { collection: POST, crawled_at: "2023-11-14T22:13:20.123456Z" };
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    [
      { repo: a!.did, rkey: "k1", ...about, record: { text: "one" } },
      { repo: a!.did, rkey: "k2", ...about, record: TRICKY },
      { repo: web!.did, rkey: "k1", ...about, crawled_at: "2023-12-08T01:46:40.000001Z", record: { text: "three" } },
    ],
  );
});

test("a record that is not JSON spoils no line: it is reported and left out", async () => {
  await using folder = await temporaryFolder();
  await writeSegment(folder.path, [{ ...SAMPLE[0]!, collections: { [POST]: { bad: '{"a":1},{', good: { a: 2 } } } }]);
  const reasons: string[] = [];
  const summary = await exported(folder.path, { format: "jsonl", onDamage: ({ reason }) => reasons.push(reason) });
  assert.deepEqual([summary.records, reasons], [1, [`${POST}/bad: this is not JSON`]]);
  const text = await readFile(summary.files[0]!.path, "utf8");
  assert.deepEqual(JSON.parse(text).record, { a: 2 });
});

test("of a repo that was crawled twice, the newer crawl is exported", async () => {
  await using folder = await temporaryFolder();
  const [repo] = SAMPLE;
  const newer = { ...repo!, crawledAt: repo!.crawledAt + 1n, collections: { [POST]: { k9: { text: "new" } } } };
  await writeSegment(folder.path, [newer, repo!], 1);
  const summary = await exported(folder.path, {});
  assert.deepEqual([names(summary), summary.repos, summary.records], [[`${POST}.parquet`], 1, 1]);
});

test("names that are no collections, or differ in case only, share one file and reach no other folder", async () => {
  await using folder = await temporaryFolder();
  const record = { k: { a: 1 } };
  const odd = ["../../etc/passwd", "_other", "", "a.b", "x.y.Z", "x.y.z", `a.b.${"c".repeat(300)}`];
  await writeSegment(folder.path, [
    { ...SAMPLE[0]!, collections: Object.fromEntries(odd.map((name) => [name, record])) },
  ]);
  const summary = await exported(folder.path, {});
  assert.deepEqual(names(summary), ["_other.parquet", "x.y.Z.parquet"]);
  const rows = await readParquet(join(folder.path, "out", "_other.parquet"));
  assert.deepEqual(rows.map(({ collection }) => collection).sort(), odd.filter((name) => name !== "x.y.Z").sort());
});

test("a stopped export removes what it had written", async () => {
  await using folder = await temporaryFolder();
  await writeSegment(folder.path, SAMPLE);
  const signal = AbortSignal.abort();
  await assert.rejects(exported(folder.path, { signal }), { name: "AbortError" });
  assert.deepEqual(await readdir(folder.path), ["segment_0001.rca"]);
});

test("rows are written in groups, and wait in memory no longer than they may", async () => {
  await using folder = await temporaryFolder();
  const limits = { groupRows: 100, groupBytes: 10_000, waitingBytes: 15_000, files: 50 };
  const files = new CollectionFiles({
    folder: folder.path,
    extension: "parquet",
    encoder: () => new ParquetRows(),
    limits,
  });
  for (let index = 0; index < 3_000; index++) {
    const collection = `a.b.c${index % 60}`;
    const source = { repo: "did:plc:a", collection, crawledAt: 1n };
    if (files.add(source, `${index}`, Buffer.from("{}"))) await files.flush();
    assert.ok(files.waiting <= limits.waitingBytes);
  }
  const written = await files.finish();
  assert.equal(written.length, 51);
  assert.equal(
    written.reduce((total, { records }) => total + records, 0),
    3_000,
  );
  const other = await readParquet(join(folder.path, "_other.parquet"));
  assert.deepEqual(
    other.map(({ rkey }) => Number(rkey)),
    Array.from({ length: 3_000 }, (_, index) => index).filter((index) => index % 60 >= 50),
  );
  const { row_groups } = await parquetMetadataAsync(await asyncBufferFromFile(join(folder.path, "_other.parquet")));
  assert.ok(row_groups.length > 1);
});

test("Parquet gives back whatever rows it was given", async () => {
  await using folder = await temporaryFolder();
  let round = 0;
  const row = fc.record({
    repo: fc.string(),
    rkey: fc.string({ unit: "binary" }),
    json: fc.json(),
    crawledAt: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), async (rows) => {
      const limits = { groupRows: 7, groupBytes: 1_000_000, waitingBytes: 1_000_000, files: 5 };
      const output = join(folder.path, String(round++));
      const files = new CollectionFiles({
        folder: output,
        extension: "parquet",
        encoder: () => new ParquetRows(),
        limits,
      });
      for (const { json, rkey, ...about } of rows) {
        if (files.add({ ...about, collection: "a.b.c" }, rkey, Buffer.from(json))) await files.flush();
      }
      const [file] = await files.finish();
      const read = await readParquet(file!.path);
      assert.deepEqual(
        read,
        rows.map(({ repo, rkey, json, crawledAt }) => ({
          repo,
          collection: "a.b.c",
          rkey,
          record_json: json,
          time_us: crawledAt,
        })),
      );
    }),
    { numRuns: 30 },
  );
});

test("times to the microsecond, and none for what no calendar has", () => {
  assert.equal(isoTime(1_700_000_000_123_456n), "2023-11-14T22:13:20.123456Z");
  assert.equal(isoTime(2n ** 63n - 1n), null);
});

test("a power cut leaves each file as it was or as it should be, and all of them once the export is done", async (t) => {
  const NAMES = [LIKE, POST];
  const FOLDERS = ["out/new", "out"];
  const exportInto = async (folder: string, fs: FileSystem): Promise<void> => {
    const limits = { ...FILE_LIMITS, groupRows: 2 };
    const files = new CollectionFiles({ folder, extension: "jsonl", encoder: () => new JsonLines(), limits, fs });
    for (const collection of NAMES) {
      for (const rkey of ["a", "b", "c"]) {
        const json = Buffer.from(JSON.stringify({ text: rkey }));
        if (files.add({ repo: "did:plc:a", collection, crawledAt: 0n }, rkey, json)) await files.flush();
      }
    }
    await files.finish();
  };
  await assertCrashSafe<string>(t, {
    async prepare(folder) {
      await mkdir(join(folder, "out"));
      await writeFile(join(folder, "out", `${POST}.jsonl`), "an older export");
    },
    async work({ folder, fs, promise }) {
      for (const part of FOLDERS) {
        await exportInto(join(folder, part), fs);
        promise(part);
      }
    },
    async recover({ folder, promised }) {
      for (const part of FOLDERS) {
        for (const collection of NAMES) {
          const path = join(folder, part, `${collection}.jsonl`);
          const text = existsSync(path) ? await readFile(path, "utf8") : null;
          const before = part === "out" && collection === POST ? "an older export" : null;
          if (text === before) assert.ok(!promised.includes(part), path);
          else
            assert.equal(
              text!
                .trimEnd()
                .split("\n")
                .map((row) => JSON.parse(row)).length,
              3,
            );
        }
      }
    },
  });
});
