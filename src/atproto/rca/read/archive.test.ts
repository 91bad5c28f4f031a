import assert from "node:assert/strict";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { catRepo } from "../../catalogue/cat-repo.ts";
import { encodeBlock } from "../format/block.ts";
import { collectionsOf } from "../format/collection.ts";
import {
  collect,
  collectDamage,
  completedDids,
  noDamage,
  posts,
  sampleDid,
  sampleRepo,
  temporaryFolder,
  writeSegment,
} from "../testing/samples.ts";
import { RepoArchive } from "./archive.ts";
import { diffSegments } from "./diff.ts";
import { inspectSegment } from "./inspect.ts";

const at = (seconds: number) => ({ crawledAt: BigInt(seconds) * 1_000_000n });

test("the newest block of a DID wins, whichever segment it is in", async (t) => {
  const folder = await temporaryFolder(t);
  await writeSegment(folder, [sampleRepo("did:plc:a", posts(3), { rev: "new", ...at(20) }), sampleRepo("did:plc:b")]);
  await writeSegment(folder, [
    sampleRepo("did:plc:a", posts(1), { rev: "old", ...at(10) }),
    sampleRepo("did:plc:a", posts(2), { rev: "middle", ...at(15) }),
  ]);
  await using archive = await RepoArchive.open(folder, noDamage);
  const found = await archive.find("did:plc:a");
  assert.equal(found!.rev, "new");
  assert.equal(found!.path, join(folder, "segment_0001.rca"));
  assert.equal(await archive.find("did:plc:c"), null);
  assert.equal((await collect(archive.repos())).length, 4);
});

test("completed DIDs come once each and in order, unfinished segments included", async (t) => {
  const folder = await temporaryFolder(t);
  const numbers = [5, 3, 9, 1, 7, 3, 2, 8];
  for (const number of numbers) await writeSegment(folder, [sampleRepo(sampleDid(number), posts(1))]);
  await rename(join(folder, "segment_0004.rca"), join(folder, "segment_0004.rca.partial"));
  await writeFile(join(folder, "segment_0009.rca.partial"), "");
  const { damage, onDamage } = collectDamage();
  const dids = await collect(completedDids(folder, onDamage));
  assert.deepEqual(dids, [1, 2, 3, 5, 7, 8, 9].map(sampleDid));
  assert.deepEqual(
    damage.map(({ torn }) => torn),
    [true],
  );
  assert.deepEqual(await collect(completedDids(join(folder, "none"), noDamage)), []);
});

test("cat gives all records, a collection, or one record", async (t) => {
  const folder = await temporaryFolder(t);
  const records = { "a.b": { x: { n: 1 }, y: { n: 2 } }, "c.d": { x: { text: "é" } } };
  await writeSegment(folder, [sampleRepo("did:plc:a", records)]);
  const cat = async (collection?: string, rkey?: string) => {
    const result = await catRepo({ folder, did: "did:plc:a", collection, rkey, onDamage: noDamage });
    return Array.from(result!.records, (record) => `${record.collection}/${record.rkey} ${record.json}`);
  };
  assert.deepEqual(await cat(), ['a.b/x {"n":1}', 'a.b/y {"n":2}', 'c.d/x {"text":"é"}']);
  assert.deepEqual(await cat("c.d"), ['c.d/x {"text":"é"}']);
  assert.deepEqual(await cat("a.b", "y"), ['a.b/y {"n":2}']);
  assert.deepEqual(await cat("a.b", "z"), []);
  assert.equal(await catRepo({ folder, did: "did:plc:b", onDamage: noDamage }), null);
  const missing = catRepo({ folder: join(folder, "none"), did: "did:plc:a", onDamage: noDamage });
  await assert.rejects(missing, { code: "NO_SEGMENTS" });
});

test("a collection that cannot be unpacked is reported, and the others are given", async (t) => {
  const folder = await temporaryFolder(t);
  const good = sampleRepo("did:plc:a", { "a.b": { x: 1 }, "c.d": { y: 2 } });
  const [first, second] = good.collections;
  const collections = [{ ...first!, recordCount: 7 }, second!];
  await writeSegment(folder, [{ ...good, collections }]);
  await using archive = await RepoArchive.open(folder, noDamage);
  const { damage, onDamage } = collectDamage();
  const names = Array.from(collectionsOf((await archive.find("did:plc:a"))!, onDamage), ({ name }) => name);
  assert.deepEqual(names, ["c.d"]);
  assert.match(damage[0]!.reason, /^a\.b: /);
});

test("diff reports added, removed and changed repos with their numbers of records", async (t) => {
  const before = await temporaryFolder(t);
  const after = await temporaryFolder(t);
  await writeSegment(before, [
    sampleRepo("did:plc:same", posts(5)),
    sampleRepo("did:plc:gone", posts(2)),
    sampleRepo("did:plc:more", { "a.b": { x: 1 }, "c.d": { x: 1 } }, { rev: "1" }),
  ]);
  await writeSegment(after, [sampleRepo("did:plc:new", posts(1)), sampleRepo("did:plc:same", posts(5), at(99))]);
  await writeSegment(after, [
    sampleRepo("did:plc:more", { "a.b": { x: 1, y: 2 }, "c.d": { x: 2 } }, { rev: "2" }),
    sampleRepo("did:plc:new2"),
  ]);
  const post = "app.bsky.feed.post";
  assert.deepEqual(await collect(diffSegments(before, after, noDamage)), [
    {
      did: "did:plc:gone",
      change: "removed",
      revBefore: "3kabc",
      revAfter: null,
      collections: [{ name: post, before: 2, after: 0 }],
    },
    {
      did: "did:plc:more",
      change: "changed",
      revBefore: "1",
      revAfter: "2",
      collections: [{ name: "a.b", before: 1, after: 2 }],
    },
    {
      did: "did:plc:new",
      change: "added",
      revBefore: null,
      revAfter: "3kabc",
      collections: [{ name: post, before: 0, after: 1 }],
    },
    { did: "did:plc:new2", change: "added", revBefore: null, revAfter: "3kabc", collections: [] },
  ]);
});

test("inspect counts by collection", async (t) => {
  const folder = await temporaryFolder(t);
  const repos = [sampleRepo("did:plc:b", posts(4)), sampleRepo("did:plc:a", { ...posts(2), "a.b": { x: 1 } }, at(5))];
  const path = await writeSegment(folder, repos);
  const dids: string[] = [];
  const found = await inspectSegment(path, ({ did }) => dids.push(did));
  assert.deepEqual(dids, ["did:plc:a", "did:plc:b"]);
  assert.deepEqual([found.repos, found.records, found.indexed, found.damage], [2, 7, true, []]);
  assert.deepEqual([found.crawledFrom, found.crawledTo], [5_000_000n, 1_700_000_000_000_000n]);
  assert.deepEqual(
    found.collections.map(({ name, repos, records }) => [name, repos, records]),
    [
      ["app.bsky.feed.post", 2, 6],
      ["a.b", 1, 1],
    ],
  );
  const posted = found.collections[0]!;
  // rkey with its length, JSON with its length.
  assert.equal(posted.contentBytes, 6 * (2 + 7 + 4 + '{"text":"post 0"}'.length));
  assert.equal(
    posted.compressedBytes,
    repos.reduce((total, repo) => total + repo.collections.find(({ name }) => name === posted.name)!.frame.length, 0),
  );
  assert.equal(found.size, 64 + repos.reduce((total, repo) => total + encodeBlock(repo).length, 0) + 4 + 2 * 27 + 32);
});
