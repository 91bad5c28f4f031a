/** Compaction: only what no longer counts goes, whatever the power does, and readers never miss a repo. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { realFileSystem } from "../../storage/file-system.ts";
import { assertCrashSafe } from "../../storage/testing/replay-crashes.ts";
import { readableSegments } from "../rca/format/segment-names.ts";
import { RepoArchive } from "../rca/read/archive.ts";
import { noDamage, posts, sampleDid, sampleRepo, temporaryFolder, writeSegment } from "../rca/testing/samples.ts";
import { Catalogue, catalogueFolder } from "./catalogue.ts";
import { readNames } from "./catalogue-files.ts";
import { CatalogueWriter } from "./catalogue-writer.ts";
import { type CompactOptions, compactArchive, indexArchive } from "./compact.ts";
import { findRepo } from "./find-repo.ts";
import { forgetInSegments } from "./forget-segments.ts";
import { indexSegments } from "./index-segments.ts";

const at = (second: number) => ({ crawledAt: BigInt(1_700_000_000 + second) * 1_000_000n, rev: `3k${second}` });
const [A, B, C, D] = [sampleDid(1), sampleDid(2), sampleDid(3), sampleDid(4)] as const;

/** Two accounts crawled twice, one once. */
async function fill(folder: string): Promise<void> {
  await writeSegment(folder, [
    sampleRepo(A, posts(2), at(1)),
    sampleRepo(B, posts(2), at(1)),
    sampleRepo(C, posts(1), at(1)),
  ]);
  await writeSegment(folder, [sampleRepo(A, posts(3), at(2))]);
  await writeSegment(folder, [sampleRepo(B, posts(4), at(3)), sampleRepo(A, posts(5), at(4))]);
}

const optionsOf = (folder: string, changes: Partial<CompactOptions> = {}): CompactOptions => ({
  folder,
  targetBytes: 2 ** 31,
  now: () => 1_800_000_000_000,
  onDamage: ({ reason }) => assert.fail(reason),
  ...changes,
});

async function revs(folder: string): Promise<(string | undefined)[]> {
  return Promise.all([A, B, C].map(async (did) => (await findRepo(folder, did, noDamage))?.rev));
}

async function blockCount(folder: string): Promise<number> {
  await using archive = await RepoArchive.open(folder, ({ reason }) => assert.fail(reason));
  let blocks = 0;
  for await (const _ of archive.repos()) blocks++;
  return blocks;
}

test("superseded blocks go, the newest of each account stay, and a second time there is nothing to do", async (t) => {
  const folder = await temporaryFolder(t);
  await fill(folder);
  const result = await compactArchive(optionsOf(folder));
  assert.deepEqual([result.segments, result.droppedBlocks], [2, 3]);
  assert.ok(result.bytesAfter < result.bytesBefore);
  assert.deepEqual(await revs(folder), ["3k4", "3k3", "3k1"]);
  assert.equal(await blockCount(folder), 3);
  assert.equal((await compactArchive(optionsOf(folder))).segments, 0);
  assert.equal((await indexSegments({ folder, catalogue: catalogueFolder(folder), onDamage: noDamage })).segments, 0);
});

test("index refuses while an account is erased, and the other way round; what is erased stays so", async (t) => {
  const folder = await temporaryFolder(t);
  const other = "did:web:other.example";
  await fill(folder);
  await writeSegment(folder, [sampleRepo(other, posts(1), at(1))]);
  const index = (onSegment = () => {}) =>
    indexArchive({ folder, catalogue: catalogueFolder(folder), rebuild: true, onDamage: noDamage, onSegment });
  const refusals: unknown[] = [];
  const keep = (running: Promise<unknown>) =>
    refusals.push(
      running.then(
        () => "ran",
        ({ code }) => code,
      ),
    );
  await index(() => keep(forgetInSegments(optionsOf(folder), other)));
  const indexed = refusals.length;
  await forgetInSegments(optionsOf(folder, { onSegment: () => keep(index()) }), other);
  assert.ok(indexed > 0 && refusals.length > indexed);
  assert.deepEqual(new Set(await Promise.all(refusals)), new Set(["STATE_BUSY"]));
  assert.ok((await index()).rebuilt);
  assert.equal(await findRepo(folder, other, noDamage), null);
  assert.ok(![...readNames(catalogueFolder(folder)).values()].includes(other));
});

test("a segment with damage is left as it is", async (t) => {
  const folder = await temporaryFolder(t);
  await fill(folder);
  const [first] = await readableSegments(folder);
  const bytes = readFileSync(first!.path);
  bytes[bytes.lastIndexOf(Buffer.from("app.bsky.feed.post")) + 40]! ^= 1;
  writeFileSync(first!.path, bytes);
  const result = await compactArchive(optionsOf(folder, { onDamage: () => {} }));
  assert.deepEqual(result.damaged, [first!.path]);
  assert.ok((await readableSegments(folder)).some(({ path }) => path === first!.path));
});

test("forgetting an account leaves nothing of it, and everything of the others", async (t) => {
  const folder = await temporaryFolder(t);
  await fill(folder);
  const result = await forgetInSegments(optionsOf(folder), A);
  assert.deepEqual([result.segments, result.droppedBlocks], [3, 3]);
  assert.deepEqual(await revs(folder), [undefined, "3k3", "3k1"]);
  assert.equal(await blockCount(folder), 3, "the older block of the other account is not this command's to drop");
  for (const { path } of await readableSegments(folder)) assert.equal(readFileSync(path).includes(A), false);
  const catalogue = new Catalogue(catalogueFolder(folder));
  assert.equal(catalogue.get(A), null);
  catalogue.close();
});

test("a reader that looks at any moment finds the newest of every account", async (t) => {
  const folder = await temporaryFolder(t);
  await fill(folder);
  let looked = 0;
  const look = async (): Promise<void> => {
    looked++;
    assert.deepEqual(await revs(folder), ["3k4", "3k3", "3k1"]);
  };
  const fs = {
    ...realFileSystem,
    rm: async (path: string, more?: { force?: boolean }) => {
      await look();
      await realFileSystem.rm(path, more);
      await look();
    },
    rename: async (from: string, to: string) => {
      await look();
      await realFileSystem.rename(from, to);
      await look();
    },
  };
  await compactArchive(optionsOf(folder, { fs }));
  assert.ok(looked > 10);
});

/** Why a compaction could do without these: what they protect is found again from the segments. */
const REBUILT = "the catalogue is rebuilt when it does not match the segments";
const STILL_READ = "a segment whose last name is lost is read under the name it had while it was written";
const NEEDLESS = {
  "sync . (SegmentFile.create in segment-file.ts)": "the old segment is there until the new one has its last name",
  "sync . (finishSegment in segment-file.ts)": STILL_READ,
  "sync segment_*.rca.partial (#write in append-file.ts)": "the file is synced again before it gets its last name",
  "sync catalogue (AppendFile.open in append-file.ts)": REBUILT,
  "sync catalogue (appendNames in catalogue-writer.ts)": REBUILT,
  "sync catalogue (replaceFile in durable.ts)": REBUILT,
  "sync catalogue/log-* (#write in append-file.ts)": REBUILT,
  "sync catalogue/log-* (AppendFile.truncate in append-file.ts)": REBUILT,
  "sync catalogue/names.txt (appendNames in catalogue-writer.ts)": REBUILT,
};

test("a power cut during a compaction loses no account, no failure, and brings back no damage", async (t) => {
  const failed = { did: D, place: null, rev: null, status: "takendown", nextAttempt: 0, at: 1n } as const;
  const { states } = await assertCrashSafe<string>(t, {
    async prepare(folder) {
      await fill(folder);
      const writer = await CatalogueWriter.open({ folder: catalogueFolder(folder) });
      await writer.put([failed]);
      await writer.close();
    },
    async work({ folder, fs, promise }) {
      await compactArchive(optionsOf(folder, { fs }));
      promise("compacted");
    },
    async recover({ folder, fs, promised }) {
      assert.deepEqual(await revs(folder), ["3k4", "3k3", "3k1"]);
      if (promised.length > 0) assert.equal(await blockCount(folder), 3, "what was dropped stays dropped");
      await compactArchive(optionsOf(folder, { fs, onDamage: () => {} }));
      assert.deepEqual(await revs(folder), ["3k4", "3k3", "3k1"]);
      const catalogue = new Catalogue(catalogueFolder(folder));
      try {
        assert.deepEqual(catalogue.get(D), failed);
      } finally {
        catalogue.close();
      }
    },
    needless: NEEDLESS,
  });
  assert.ok(states > 20);
});
