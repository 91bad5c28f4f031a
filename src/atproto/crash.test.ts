/** A power cut at any point: what the state calls stored is in the segments once, with its proof, and nothing is there twice. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { aBatch, anAdmitted, type PlainMeta } from "../kernel/testing/samples.ts";
import { type FileSystem, realFileSystem } from "../storage/file-system.ts";
import { assertCrashSafe } from "../storage/testing/replay-crashes.ts";
import { resetAtproto } from "./atproto-status.ts";
import { HEADER_SIZE } from "./rca/format/frame.ts";
import { segmentNames } from "./rca/format/segment-names.ts";
import { RepoArchive } from "./rca/read/archive.ts";
import { repairSegment } from "./rca/repair/repair-segments.ts";
import { verifySegment } from "./rca/repair/verify-segments.ts";
import { noDamage, posts, sampleDid, sampleRepo, temporaryFolder, writeSegment } from "./rca/testing/samples.ts";
import { SegmentWriter, type WrittenRepo } from "./rca/write/segment-writer.ts";
import { recoverSegments } from "./recover-segments.ts";
import { type PreparedRepo, prepareRepo } from "./repo/prepare-repo.ts";
import { makeKeys } from "./repo/testing/build-car.ts";
import type { CrawlState, StateChange } from "./state/crawl-state.ts";
import { StateLedger } from "./state/cursor-ledger.ts";
import { carOf, didOf, REV } from "./testing/fake-pds.ts";

const KEYS = makeKeys("secp256k1");
const REPOS = new Map(
  Array.from({ length: 7 }, (_, number): [string, PreparedRepo] => {
    const did = didOf(number);
    const options = {
      did,
      pds: "https://pds.example",
      verify: "blocks",
      json: "seed",
      cids: false,
      blocks: true,
    } as const;
    const prepared = prepareRepo(
      carOf(did, 2, REV, KEYS),
      { ...options, crawledAt: 1_700_000_000_000_000n, zstdLevel: 3 },
      () => 0,
    );
    return [did, prepared];
  }),
);

/** What is acknowledged: a commit of the state, or a segment that was finished. */
type Promised = { change: StateChange } | { finished: string };

const writerInto = (folder: string, fs: FileSystem, onFinished: (path: string) => void): SegmentWriter =>
  new SegmentWriter(
    {
      folder,
      // Two or three repos in each.
      targetBytes: 900,
      proofs: true,
      now: () => 1_700_000_000_000,
      onFinished: ({ path }) => onFinished(path),
    },
    fs,
  );

/** As a crawl does it: the record of a repo is durable before the state hears of it. */
async function crawl(folder: string, fs: FileSystem, promise: (value: Promised) => void): Promise<void> {
  const writer = writerInto(folder, fs, (path) => promise({ finished: path.slice(folder.length + 1) }));
  let segmentNumber = 0;
  const state: Partial<CrawlState> = {
    take: async () => {},
    read: async () => ({ lanes: new Map(), notes: new Map(), progress: noProgress() }),
    // A database that is on the disk the moment it is asked: the order of segment and state is the worst it can be.
    commit: async (change) => promise({ change }),
    close: async () => {},
  };
  const ledger = new StateLedger<Promise<WrittenRepo>, PlainMeta>({
    state: state as CrawlState,
    durable: async (written) => {
      segmentNumber = Math.max(segmentNumber, (await written).segment);
    },
    endingOf: () => ({ failure: null, isFinal: true, detail: null, host: null, retryAt: 0 }),
    refusalOf: () => null,
    progress: () => ({ ...noProgress(), segmentNumber }),
  });
  await ledger.open();
  const dids = [...REPOS.keys()];
  for (let at = 0; at < dids.length; at += 2) {
    const pair = dids.slice(at, at + 2).map((did, index) => ({ did, id: at + index + 1 }));
    await ledger.commit(
      aBatch({
        admitted: pair.map(({ did, id }) => anAdmitted(id, { key: did })),
        settled: pair.map(({ did, id }) => ({ id, state: "done", verdict: null, record: append(writer, did) })),
      }),
    );
  }
  await writer.close();
  await ledger.close();
}

const noProgress = () => ({ stats: { total_crawled: 0, bytes_written: 0 }, segmentNumber: 0 });

function append(writer: SegmentWriter, did: string): Promise<WrittenRepo> {
  const { block, proof } = REPOS.get(did)!;
  return writer.append(block, proof);
}

/** The next crawl: recovers, fetches what its state does not call stored, and has everything once. */
async function resume(folder: string, fs: FileSystem, changes: readonly StateChange[]): Promise<void> {
  const stored = new Set(changes.flatMap(({ settled }) => settled.map(({ did }) => did)));
  const markStored = async (dids: readonly string[]): Promise<string[]> => {
    const news = dids.filter((did) => !stored.has(did));
    for (const did of news) stored.add(did);
    return news;
  };
  const from = changes.at(-1)?.progress?.segmentNumber ?? 0;
  await recoverSegments(folder, { markStored }, from, onDamage, fs);
  const writer = writerInto(folder, fs, () => {});
  await Promise.all([...REPOS.keys()].filter((did) => !stored.has(did)).map((did) => append(writer, did)));
  await writer.close();
  await assertOnce(folder);
}

/**
 * Of two repos that were appended together, the second may have reached the disk without the first: that looks like damage,
 * and the damaged file is kept. A finished segment is never damaged.
 */
const onDamage = ({ path, reason }: { path: string; reason: string }): void =>
  assert.ok(path.endsWith(".partial"), `${path}: ${reason}`);

async function assertOnce(folder: string): Promise<void> {
  await using archive = await RepoArchive.open(folder, noDamage);
  const dids: string[] = [];
  for await (const { did } of archive.repos()) dids.push(did);
  assert.deepEqual(dids.sort(), [...REPOS.keys()]);
  for (const { path } of archive.segments) {
    const keysOf = () => ({ keys: [KEYS.didKey], since: 0, earlier: [] });
    const { provenRepos, repos } = await verifySegment(path, { proofs: true, keysOf, onDamage: noDamage });
    assert.equal(provenRepos, repos, "each with its proof");
  }
  const left = readdirSync(folder).filter((name) => !/^segment_\d{4}\.rc[ax](\.damaged(-\d+)?)?$/.test(name));
  assert.deepEqual(left, []);
}

test("segments and state: nothing called stored is lost, nothing is stored twice, no proof is missing", async (t) => {
  await assertCrashSafe<Promised>(t, {
    work: ({ folder, fs, promise }) => crawl(join(folder, "rca"), fs, promise),
    async recover({ folder, fs, promised }) {
      const rca = join(folder, "rca");
      const changes = promised.flatMap((each) => ("change" in each ? [each.change] : []));
      for (const each of promised)
        if ("finished" in each) assert.ok(existsSync(join(rca, each.finished)), each.finished);
      await resume(rca, fs, changes);
    },
  });
});

test("an older state, as a database gives back that lost its last commits: what the segments hold is found there", async (t) => {
  const folder = await temporaryFolder(t);
  const changes: StateChange[] = [];
  await crawl(folder, realFileSystem, (each) => "change" in each && changes.push(each.change));
  for (let kept = 0; kept <= changes.length; kept++) await resume(folder, realFileSystem, changes.slice(0, kept));
});

test("a damaged segment is repaired: the good blocks are there, and the damaged file is kept until they are", async (t) => {
  for (const state of ["final", "partial"] as const) {
    let damaged = Buffer.alloc(0);
    await assertCrashSafe<"repaired">(t, {
      async prepare(folder) {
        const path = await writeSegment(
          folder,
          [1, 2, 3].map((number) => sampleRepo(sampleDid(number), posts(2))),
        );
        damaged = readFileSync(path);
        damaged[HEADER_SIZE + 150]! ^= 0xff;
        if (state === "partial") rmSync(path);
        writeFileSync(state === "final" ? path : `${path}.partial`, damaged);
      },
      async work({ folder, fs, promise }) {
        await repairAll(folder, fs);
        promise("repaired");
      },
      async recover({ folder, fs, promised }) {
        const names = readdirSync(folder);
        const isKept = names.some((name) => readFileSync(join(folder, name)).equals(damaged));
        assert.ok(isKept, "the damaged file is still there");
        if (promised.length > 0) assert.ok(names.includes("segment_0001.rca.damaged"), names.join());
        if (promised.length === 0) await repairAll(folder, fs);
        await using archive = await RepoArchive.open(folder, noDamage);
        const dids: string[] = [];
        for await (const { did } of archive.repos()) dids.push(did);
        assert.deepEqual(dids, [2, 3].map(sampleDid));
      },
    });
  }
});

async function repairAll(folder: string, fs: FileSystem): Promise<void> {
  for (const { path, state } of await segmentNames(folder)) {
    if (state !== "damaged") await repairSegment(path, () => {}, "rca", fs);
  }
}

test("reset: segments that were deleted do not come back", async (t) => {
  await assertCrashSafe<"deleted">(t, {
    prepare: async (folder) => void (await writeSegment(folder, [sampleRepo(sampleDid(1), posts(1))])),
    async work({ folder, fs, promise }) {
      await resetAtproto({ outputDir: folder, redisAddress: null }, undefined, fs);
      promise("deleted");
    },
    async recover({ folder, promised }) {
      if (promised.length > 0) assert.deepEqual(await segmentNames(folder), []);
    },
  });
});
