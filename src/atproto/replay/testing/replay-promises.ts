/** What loading an archive promises on every target; each implementation's test calls this with a way to an empty one. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { test as nodeTest, type TestOptions } from "node:test";
import { ALL_COLLECTIONS, type CollectionFilter, collectionFilter } from "../../collection-filter.ts";
import type { StoredEvent } from "../../follow/event-format.ts";
import type { Damage } from "../../rca/format/bytes.ts";
import { segmentPath } from "../../rca/format/segment-names.ts";
import { openArchive } from "../../rca/read/archive.ts";
import { forgetRows } from "../forget-rows.ts";
import { type ReplayOptions, type ReplaySummary, replayArchive } from "../replay.ts";
import type { ReplayTarget } from "../replay-tables.ts";
import { ACCOUNTS_TABLE, BOOKMARKS_TABLE, RECORDS_TABLE } from "../replay-tables.ts";
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
} from "./sample-archive.ts";

export interface ReplayPlace {
  /** Why the tests are skipped, where they are. */
  options?: TestOptions;
  /** Without tables. */
  emptyTarget(): Promise<ReplayTarget>;
  microseconds: boolean;
}

export const replay = (
  folder: string,
  target: ReplayTarget,
  collections: CollectionFilter = ALL_COLLECTIONS,
  onDamage: (damage: Damage) => void = fail,
): Promise<ReplaySummary> => replayArchive({ ...defaults(folder, target), collections, onDamage });

const defaults = (folder: string, target: ReplayTarget): ReplayOptions => ({
  folder,
  target,
  collections: ALL_COLLECTIONS,
  now: () => 1_750_000_000_000,
  onDamage: fail,
});

/** Of all rows, without FINAL: operation, rkey, record. */
async function operations(target: ReplayTarget): Promise<string[]> {
  const rows = await target.rows(
    `SELECT concat(toString(operation), ' ', rkey, ' ', record_json) AS row FROM ${RECORDS_TABLE} ORDER BY collection, rkey, time_us`,
  );
  return rows.map(({ row }) => String(row));
}

/** `repo rkey` of all rows, as often as each is there: no FINAL. */
export async function storedKeys(target: ReplayTarget): Promise<string[]> {
  const rows = await target.rows(
    `SELECT concat(repo, ' ', collection, '/', rkey) AS id FROM ${RECORDS_TABLE} ORDER BY id`,
  );
  return rows.map(({ id }) => String(id));
}

export const SAMPLE_KEYS = SAMPLE.flatMap(({ did, collections }) =>
  Object.entries(collections).flatMap(([name, records]) =>
    Object.keys(records).map((rkey) => `${did} ${name}/${rkey}`),
  ),
).sort();

export function testReplayPromises({ emptyTarget, microseconds, options = {} }: ReplayPlace): void {
  const test = (name: string, run: () => Promise<void>): void => {
    void nodeTest(name, options, run);
  };
  test("every record is one row, to the byte, at the time its repo was crawled", async () => {
    await using folder = await temporaryFolder();
    await using target = await emptyTarget();
    await writeSegment(folder.path, SAMPLE);
    assert.deepEqual(await replay(folder.path, target), summary({ segments: 1, repos: 3, records: 4 }));
    const rows = await target.rows(
      `SELECT repo, collection, rkey, toString(operation) AS operation, hex(record_json) AS record,
         toString(toUnixTimestamp(created_at)) AS created, toString(time_us) AS time FROM ${RECORDS_TABLE} ORDER BY repo, collection, rkey`,
    );
    const [a, , web] = SAMPLE;
    const hex = (json: string): string => Buffer.from(json).toString("hex").toUpperCase();
    const expected = (did: string, collection: string, rkey: string, json: string, crawledAt: bigint) => ({
      repo: did,
      collection,
      rkey,
      operation: "create",
      record: hex(json),
      created: String(crawledAt / 1_000_000n),
      time: String(crawledAt),
    });
    assert.deepEqual(rows, [
      expected(a!.did, LIKE, "l1", '{"subject":"x"}', a!.crawledAt),
      expected(a!.did, POST, "k1", '{"text":"one"}', a!.crawledAt),
      expected(a!.did, POST, "k2", JSON.stringify(TRICKY), a!.crawledAt),
      expected(web!.did, POST, "k1", '{\n\t"text": "three"\r\n}', web!.crawledAt),
    ]);
    if (!microseconds) return;
    const [fraction] = await target.rows(
      `SELECT toString(toUnixTimestamp64Micro(created_at)) AS micros FROM ${RECORDS_TABLE} WHERE collection = '${LIKE}'`,
    );
    assert.equal(fraction?.["micros"], String(a!.crawledAt));
  });

  test("replaying again loads nothing, and without bookmarks leaves one row a record", async () => {
    await using folder = await temporaryFolder();
    await using target = await emptyTarget();
    await writeSegment(folder.path, SAMPLE, 1);
    await replay(folder.path, target);
    assert.deepEqual(await replay(folder.path, target), summary({ segments: 3, segmentsSkipped: 3 }));
    await target.command(`DROP TABLE ${BOOKMARKS_TABLE}`);
    assert.equal((await replay(folder.path, target)).records, 4);
    assert.deepEqual(await storedKeys(target), SAMPLE_KEYS);
    const [all] = await target.rows(`SELECT toString(count()) AS n FROM ${RECORDS_TABLE}`);
    // Without FINAL.
    assert.equal(all?.["n"], "4");
  });

  test("records that were dropped or emptied are loaded again", async () => {
    await using folder = await temporaryFolder();
    await using target = await emptyTarget();
    await writeSegment(folder.path, SAMPLE, 1);
    for (const away of [null, "DROP", "TRUNCATE"]) {
      if (away !== null) await target.command(`${away} TABLE ${RECORDS_TABLE}`);
      assert.equal((await replay(folder.path, target)).records, 4);
      assert.deepEqual(await storedKeys(target), SAMPLE_KEYS);
    }
  });

  test("a newer crawl of a record wins", async () => {
    await using folder = await temporaryFolder();
    await using target = await emptyTarget();
    const [repo] = SAMPLE;
    const newer = { ...repo!, crawledAt: repo!.crawledAt + 1n, collections: { [POST]: { k1: { text: "edited" } } } };
    // The older one is read last.
    await writeSegment(folder.path, [newer, repo!], 1);
    await replay(folder.path, target);
    const rows = await target.rows(`SELECT record_json FROM ${RECORDS_TABLE} WHERE rkey = 'k1'`);
    assert.deepEqual(rows, [{ record_json: '{"text":"edited"}' }]);
  });

  test("a record that a newer crawl does not have becomes a row delete, and comes back as a create", async () => {
    await using folder = await temporaryFolder();
    await using target = await emptyTarget();
    const [repo] = SAMPLE;
    const crawled = (days: bigint, collections: SampleRepo["collections"]) => ({
      ...repo!,
      crawledAt: repo!.crawledAt + days * 86_400_000_000n,
      collections,
    });
    await writeSegment(folder.path, [repo!]);
    await replay(folder.path, target);
    // Two months later: another partition, which merges never join with the first.
    await writeSegment(folder.path, [crawled(60n, { [POST]: { k2: { text: "left" } } })]);
    await replay(folder.path, target);
    assert.deepEqual(await operations(target), ["delete l1 ", "delete k1 ", 'create k2 {"text":"left"}']);
    // A filter says nothing about what it leaves out.
    await writeSegment(folder.path, [crawled(61n, { [POST]: { k1: { text: "again" } } })]);
    await replay(folder.path, target, collectionFilter([LIKE]));
    assert.deepEqual(await operations(target), ["delete l1 ", "delete k1 ", 'create k2 {"text":"left"}']);
    await replay(folder.path, target);
    assert.deepEqual(await operations(target), ["delete l1 ", 'create k1 {"text":"again"}', "delete k2 "]);
  });

  test("events change, add and delete rows; what a fetched repo has seen already does not count again", async () => {
    await using folder = await temporaryFolder();
    await using target = await emptyTarget();
    const [repo] = SAMPLE;
    const { did, crawledAt } = repo!;
    await writeSegment(folder.path, [{ ...repo!, rev: "3lb" }]);
    const later = crawledAt + 40n * 86_400_000_000n;
    await recordEvents(folder.path, [
      // Seen late: the repo that was fetched is newer than both.
      commitEvent(1, did, "3la", later, { [`${POST}/k1`]: { text: "stale" }, [`${LIKE}/l0`]: null }),
      commitEvent(2, did, "3lc", later, { [`${POST}/k2`]: { text: "edited" }, [`${POST}/k3`]: { text: "short" } }),
      // In the same microsecond.
      commitEvent(3, did, "3ld", later, { [`${POST}/k3`]: null, [`${POST}/k4`]: { text: "new" } }),
    ]);
    const first = await replay(folder.path, target);
    assert.deepEqual([first.records, first.changes], [3, 6]);
    const expected = [
      "delete l0 ",
      'create l1 {"subject":"x"}',
      'create k1 {"text":"one"}',
      'create k2 {"text":"edited"}',
    ];
    const posts = ["delete k3 ", 'create k4 {"text":"new"}'];
    assert.deepEqual(await operations(target), [...expected, ...posts]);
    assert.equal((await replay(folder.path, target)).changes, 0);
    await recordEvents(folder.path, [commitEvent(4, did, "3le", later + 9n, { [`${POST}/k4`]: null })]);
    assert.equal((await replay(folder.path, target)).changes, 1);
    assert.deepEqual(await operations(target), [...expected, "delete k3 ", "delete k4 "]);
    // Loaded twice by accident, it is still one row per record.
    await target.command(`DROP TABLE ${BOOKMARKS_TABLE}`);
    await replay(folder.path, target);
    assert.deepEqual(await operations(target), [...expected, "delete k3 ", "delete k4 "]);
  });

  test("accounts that are not active are left out, removed, and come back when they do", async () => {
    await using folder = await temporaryFolder();
    await using target = await emptyTarget();
    const [repo, , web] = SAMPLE;
    const { did, crawledAt } = repo!;
    const seen = crawledAt + 1_000_000n;
    const account = (seq: number, active: boolean): StoredEvent => ({
      kind: "account",
      seq,
      seenAt: Number(seen) + seq,
      did,
      active,
      status: active ? "" : "takendown",
    });
    const repos = async (): Promise<string[]> => [
      ...new Set((await storedKeys(target)).map((key) => key.slice(0, key.indexOf(" ")))),
    ];
    await writeSegment(folder.path, SAMPLE);
    await recordEvents(folder.path, [
      commitEvent(1, did, "3lz", seen, { [`${POST}/live`]: { text: "live" } }),
      account(2, false),
    ]);
    await replay(folder.path, target);
    assert.deepEqual(await repos(), [web!.did]);
    const [marked] = await target.rows(`SELECT repo, status FROM ${ACCOUNTS_TABLE} WHERE status != ''`);
    assert.deepEqual(marked, { repo: did, status: "takendown" });
    await recordEvents(folder.path, [account(3, true)]);
    await replay(folder.path, target);
    const all = [...SAMPLE_KEYS, `${did} ${POST}/live`].sort();
    assert.deepEqual(await storedKeys(target), all);
    await recordEvents(folder.path, [account(4, false)]);
    assert.equal((await replay(folder.path, target)).removedAccounts, 1);
    assert.deepEqual(await repos(), [web!.did]);
    const statuses = await target.rows(`SELECT repo, status FROM ${ACCOUNTS_TABLE} WHERE repo = '${did}'`);
    assert.deepEqual(statuses, [{ repo: did, status: "takendown" }], "one row, without FINAL");
    await replayArchive({ ...defaults(folder.path, target), inactive: true });
    assert.deepEqual(await storedKeys(target), all);
  });

  test("an account is erased from every table, and the others stay", async () => {
    await using folder = await temporaryFolder();
    await using target = await emptyTarget();
    const [repo] = SAMPLE;
    assert.equal(await forgetRows(target, repo!.did), 0, "there are no tables yet");
    await writeSegment(folder.path, SAMPLE);
    await replay(folder.path, target);
    const others = SAMPLE_KEYS.filter((key) => !key.startsWith(repo!.did));
    assert.equal(await forgetRows(target, repo!.did), SAMPLE_KEYS.length - others.length);
    assert.deepEqual(await storedKeys(target), others);
    for (const [table, column] of [[ACCOUNTS_TABLE, "repo"] as const, [BOOKMARKS_TABLE, "did"] as const]) {
      const rows = await target.rows(`SELECT ${column} AS did FROM ${table} WHERE ${column} = '${repo!.did}'`);
      assert.deepEqual(rows, [], table);
    }
    assert.equal(await forgetRows(target, repo!.did), 0);
  });

  test("some collections first, then all of them", async () => {
    await using folder = await temporaryFolder();
    await using target = await emptyTarget();
    await writeSegment(folder.path, SAMPLE);
    const likes = collectionFilter([LIKE]);
    assert.equal((await replay(folder.path, target, likes)).records, 1);
    assert.equal((await replay(folder.path, target, likes)).segmentsSkipped, 1);
    assert.equal((await replay(folder.path, target)).records, 4);
    // Everything is there, so likes are too.
    assert.equal((await replay(folder.path, target, collectionFilter(["app.bsky.feed.l*"]))).segmentsSkipped, 1);
    assert.deepEqual(await storedKeys(target), SAMPLE_KEYS);
  });

  test("what is damaged is reported, the rest is loaded, and repairing it loads what was missing", async () => {
    await using folder = await temporaryFolder();
    await using target = await emptyTarget();
    await writeSegment(folder.path, SAMPLE);
    const path = segmentPath(folder.path, 1, "rca");
    const whole = await readFile(path);
    const broken = Buffer.from(whole);
    await using archive = await openArchive(folder.path, fail);
    const [entry] = await archive.segments[0]!.find(SAMPLE[0]!.did);
    const last = entry!.offset + entry!.size - 1;
    broken[last] = broken[last]! ^ 1;
    await writeFile(path, broken);
    const damages: Damage[] = [];
    assert.equal((await replay(folder.path, target, ALL_COLLECTIONS, (damage) => damages.push(damage))).records, 1);
    assert.deepEqual([damages[0]?.did, damages[0]?.offset], [SAMPLE[0]!.did, entry!.offset]);
    await writeFile(path, whole);
    assert.equal((await replay(folder.path, target)).records, 4);
    assert.deepEqual(await storedKeys(target), SAMPLE_KEYS);
  });
}

const summary = (counts: Partial<ReplaySummary>): ReplaySummary => ({
  segments: 0,
  segmentsSkipped: 0,
  repos: 0,
  records: 0,
  changes: 0,
  removedAccounts: 0,
  stopped: false,
  ...counts,
});

export function fail(damage: Damage): never {
  throw new Error(`unexpected damage: ${JSON.stringify(damage)}`);
}
