/** On the real engine; the runner gives this file a process of its own, should it crash. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { ALL_COLLECTIONS } from "../collection-filter.ts";
import { compressCollections, encodeRecords } from "../rca/format/collection.ts";
import { SegmentWriter } from "../rca/write/segment-writer.ts";
import { ChdbTarget } from "./chdb-target.ts";
import { type ReplayProgress, replayArchive } from "./replay.ts";
import type { ReplayTarget } from "./replay-tables.ts";
import { RECORDS_TABLE } from "./replay-tables.ts";
import { needsChdb, test } from "./testing/needs-chdb.ts";
import { fail, replay, SAMPLE_KEYS, storedKeys, testReplayPromises } from "./testing/replay-promises.ts";
import { SAMPLE, temporaryFolder, writeSegment } from "./testing/sample-archive.ts";

testReplayPromises({
  options: needsChdb,
  async emptyTarget() {
    const folder = await temporaryFolder();
    const target = await ChdbTarget.open(folder.path);
    return {
      command: (sql) => target.command(sql),
      rows: (sql) => target.rows(sql),
      insert: (table, columns, rows) => target.insert(table, columns, rows),
      async [Symbol.asyncDispose]() {
        await target[Symbol.asyncDispose]();
        await folder[Symbol.asyncDispose]();
      },
    };
  },
  microseconds: true,
});

/** Four repos, 120,000 records: three batches. */
async function writeMany(folder: string): Promise<void> {
  const writer = new SegmentWriter({ folder, targetBytes: 2 ** 30, proofs: false, now: () => 1_700_000_000_000 });
  for (let repo = 0; repo < 4; repo++) {
    const records = Array.from({ length: 30_000 }, (_, index) => ({
      rkey: `k${index}`,
      value: Buffer.from(`{"n":${index}}`),
    }));
    const contents = [{ name: "a.b.c", recordCount: records.length, bytes: encodeRecords(records) }];
    const collections = compressCollections(contents, 1);
    await writer.append({ did: `did:plc:${repo}`, pds: "", rev: "", crawledAt: 1_700_000_000_000_000n, collections });
  }
  await writer.close();
}

test("batches of 50,000, one on its way at a time; a failure is resumed behind the last bookmark", async () => {
  await using folder = await temporaryFolder();
  await writeMany(folder.path);
  await using target = await ChdbTarget.open(join(folder.path, "db"));
  let onTheWay = 0;
  let failing = 2;
  const batches: number[] = [];
  const watched: ReplayTarget = {
    command: (sql) => target.command(sql),
    rows: (sql) => target.rows(sql),
    async insert(table, columns, rows) {
      assert.equal(++onTheWay, 1);
      if (table === RECORDS_TABLE && failing-- === 0) throw new Error("the disk is full");
      if (table === RECORDS_TABLE) batches.push(rows.toString("latin1").split("\n").length - 1);
      await target.insert(table, columns, rows);
      onTheWay--;
    },
    [Symbol.asyncDispose]: async () => {},
  };
  const progress: ReplayProgress[] = [];
  const options = { folder: folder.path, target: watched, collections: ALL_COLLECTIONS, now: () => 1, onDamage: fail };
  await assert.rejects(replayArchive({ ...options, onProgress: (now) => progress.push(now) }), /the disk is full/);
  assert.deepEqual(batches, [50_000, 50_000]);
  assert.ok(
    progress.length > 0 && progress.every(({ bytesRead, bytesTotal }) => bytesRead > 0 && bytesRead < bytesTotal),
  );
  onTheWay = 0;
  failing = Number.POSITIVE_INFINITY;
  batches.length = 0;
  // The second batch ended inside of the fourth repo: three were whole.
  const resumed = await replayArchive(options);
  assert.deepEqual([resumed.repos, resumed.records, batches], [1, 30_000, [30_000]]);
  const [rows] = await target.rows(`SELECT toUInt32(count()) AS n FROM ${RECORDS_TABLE} FINAL`);
  assert.equal(rows?.["n"], 120_000);
});

test("stopped by the signal, it keeps what it has and continues the next time", async () => {
  await using folder = await temporaryFolder();
  await writeMany(folder.path);
  await using target = await ChdbTarget.open(join(folder.path, "db"));
  const stopping = new AbortController();
  const options = { folder: folder.path, target, collections: ALL_COLLECTIONS, now: () => 1, onDamage: fail };
  const first = await replayArchive({ ...options, onProgress: () => stopping.abort(), signal: stopping.signal });
  assert.deepEqual([first.stopped, first.repos], [true, 2]);
  const second = await replayArchive(options);
  assert.deepEqual([second.stopped, second.repos, second.records], [false, 2, 60_000]);
});

test("a segment that is still written is read as far as it is, and from there on when it is finished", async () => {
  await using folder = await temporaryFolder();
  await using target = await ChdbTarget.open(join(folder.path, "db"));
  await writeSegment(folder.path, SAMPLE);
  const writer = new SegmentWriter({ folder: folder.path, targetBytes: 2 ** 30, proofs: false, now: () => 1_000 });
  await writer.append({ did: "did:plc:one", pds: "", rev: "", crawledAt: 1n, collections: [] });
  assert.equal((await replay(folder.path, target)).repos, SAMPLE.length + 1);
  await writer.append({ did: "did:plc:two", pds: "", rev: "", crawledAt: 1n, collections: [] });
  await writer.close();
  assert.equal((await replay(folder.path, target)).repos, 1);
  assert.equal((await replay(folder.path, target)).segmentsSkipped, 2);
});

test("two archives in one database keep their bookmarks apart", async () => {
  await using folder = await temporaryFolder();
  await using target = await ChdbTarget.open(join(folder.path, "db"));
  await writeSegment(join(folder.path, "a"), SAMPLE.slice(0, 1), 2 ** 30, 1_000);
  await writeSegment(join(folder.path, "b"), SAMPLE.slice(1), 2 ** 30, 2_000);
  await replay(join(folder.path, "a"), target);
  await replay(join(folder.path, "b"), target);
  assert.deepEqual(await storedKeys(target), SAMPLE_KEYS);
});

test("an archive without segments, and a folder that is not a database, are errors for people", async () => {
  await using folder = await temporaryFolder();
  await using target = await ChdbTarget.open(join(folder.path, "db"));
  await assert.rejects(replay(folder.path, target), { code: "NO_SEGMENTS" });
  await assert.rejects(target.command("SELEKT 1"), { code: "CHDB_FAILED" });
});
