import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { zstdCompressSync } from "node:zlib";
import { Secp256k1Keypair } from "@atproto/crypto";
import { blocksToCarFile, MemoryBlockstore, Repo, WriteOpAction } from "@atproto/repo";
import { TrawlError } from "../../../errors.ts";
import type { JsonForm, ParsedRepo } from "../../repo/parsed-repo.ts";
import { parseRepo } from "../../repo/prepare-repo.ts";
import { compressCollections, encodeRecords } from "../format/collection.ts";
import { decodeProof, proofBlock } from "../format/proof.ts";
import { SegmentReader } from "../read/segment-reader.ts";
import {
  collect,
  collectDamage,
  noDamage,
  posts,
  type Records,
  sampleDid,
  sampleRepo,
  sampleWriter,
  temporaryFolder,
  writeSegment,
} from "../testing/samples.ts";
import { verifySegment } from "./verify-segments.ts";

test("a segment that is true has no problems", async (t) => {
  const repos = [0, 1, 5].map((count) => sampleRepo(sampleDid(count), posts(count)));
  const path = await writeSegment(await temporaryFolder(t), repos);
  const counts = await verifySegment(path, { proofs: false, onDamage: noDamage });
  assert.deepEqual([counts.repos, counts.records, counts.problems, counts.indexed], [3, 6, 0, true]);
});

test("a changed bit in any byte is found, but for the time in the header, which nothing covers", async (t) => {
  const path = await writeSegment(await temporaryFolder(t), [
    sampleRepo("did:plc:b", posts(1)),
    sampleRepo("did:plc:a"),
  ]);
  const good = await readFile(path);
  const missed: number[] = [];
  for (let at = 0; at < good.length; at++) {
    const bytes = Buffer.from(good);
    bytes[at]! ^= 1 << (at % 8);
    await writeFile(path, bytes);
    try {
      const { damage, onDamage } = collectDamage();
      await verifySegment(path, { proofs: false, onDamage });
      if (damage.length === 0) missed.push(at);
    } catch (error) {
      assert.ok(error instanceof TrawlError, `byte ${at}: ${error}`);
    }
  }
  assert.deepEqual(missed, [12, 13, 14, 15, 16, 17, 18, 19]);
});

test("what is wrong inside the frames is found, although every CRC is right", async (t) => {
  const folder = await temporaryFolder(t);
  const frame = (records: [string, string][]) =>
    zstdCompressSync(encodeRecords(records.map(([rkey, value]) => ({ rkey, value: Buffer.from(value, "latin1") }))));
  const cases: [RegExp, number, Uint8Array][] = [
    [/not JSON/, 1, frame([["a", "{"]])],
    [/not JSON/, 1, frame([["a", '"\xff"']])],
    [/not JSON/, 1, frame([["a", ""]])],
    [/out of order/, 2, frame([["b", "1"], ["a", "1"]])], // biome-ignore format: one case a line
    [/out of order/, 2, frame([["a", "1"], ["a", "1"]])], // biome-ignore format: one case a line
    [/behind the last/, 1, frame([["a", "1"], ["b", "1"]])], // biome-ignore format: one case a line
    [/beyond the end/, 3, frame([["a", "1"], ["b", "1"]])], // biome-ignore format: one case a line
    [/one zstd frame/, 1, Buffer.concat([frame([["a", "1"]]), frame([["b", "1"]])])],
  ];
  for (const [reason, recordCount, bytes] of cases) {
    const collections = [
      { name: "a.b", recordCount, frame: bytes },
      ...sampleRepo("did:plc:x", { "c.d": { x: 1 } } satisfies Records).collections,
    ];
    const path = await writeSegment(folder, [sampleRepo("did:plc:a", {}, { collections })]);
    const { damage, onDamage } = collectDamage();
    const counts = await verifySegment(path, { proofs: false, onDamage });
    assert.deepEqual([counts.problems, counts.records], [1, 1]);
    assert.match(damage[0]!.reason, reason);
    assert.deepEqual([damage[0]!.did, damage[0]!.offset], ["did:plc:a", 64]);
  }
});

const DID = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa";
/** The last two come in another order in the tree than in the archive. */
const COLLECTIONS = ["app.bsky.feed.post", "app.bsky.graph.list", "app.bsky.graph"] as const;
const CRAWLED = 1_700_000_000_000_000n;

/** What the seed's form of JSON loses, and numbers of every size. */
const hardRecord = (link: Repo["cid"]) => ({
  bytes: Uint8Array.of(1, 2, 250),
  subject: { uri: "at://x", cid: "bafyreib" },
  link,
  numbers: [0, 23, 24, 255, 256, 65_535, 65_536, 4_294_967_296, -1, -500, 2 ** 53 - 1],
  nested: [{ é: [null, true, false, ""] }, []],
});

async function oracleRepo(records: number, key: Secp256k1Keypair, json: JsonForm = "seed"): Promise<ParsedRepo> {
  const { cid: link } = await Repo.create(new MemoryBlockstore(), DID, key);
  const storage = new MemoryBlockstore();
  const writes = Array.from({ length: records }, (_, index) => ({
    action: WriteOpAction.Create as const,
    collection: COLLECTIONS[index % 3]!,
    rkey: `3k${String((index * 7919) % 100_003).padStart(11, "2")}`,
    record: index % 2 === 0 ? { text: `record ${index}` } : hardRecord(link),
  }));
  const repo = await Repo.create(storage, DID, key, writes);
  const car = await blocksToCarFile(repo.cid, storage.blocks);
  return parseRepo(car, { did: DID, verify: "blocks", json, cids: true }, () => 0.5);
}

/** A segment with its proofs, verified; `change` may break the proof. */
async function verified(
  t: Parameters<typeof temporaryFolder>[0],
  parsed: ParsedRepo,
  signingKey: string | null = null,
  proofOf: (parsed: ParsedRepo) => ParsedRepo = (same) => same,
) {
  const folder = await temporaryFolder(t);
  const writer = sampleWriter(folder, { proofs: true });
  const about = { did: DID, pds: "https://pds.example", rev: parsed.rev, crawledAt: CRAWLED };
  const repo = { ...about, collections: compressCollections(parsed.collections, 3) };
  const { path } = await writer.append(repo, proofBlock(about, proofOf(parsed), 3));
  await writer.close();
  const { damage, onDamage } = collectDamage();
  const counts = await verifySegment(path, { proofs: true, signingKey: async () => signingKey, onDamage });
  return { counts, reasons: damage.map(({ reason }) => reason), path };
}

test("a tree made again from the archive is the one that was signed", async (t) => {
  const key = await Secp256k1Keypair.create();
  for (const size of [0, 1, 2, 17, 300]) {
    const { counts, reasons } = await verified(t, await oracleRepo(size, key), key.did());
    assert.deepEqual(reasons, [], `${size} records`);
    assert.deepEqual([counts.provenRepos, counts.records], [1, size]);
  }
});

test("lossless JSON gives every record's CID back, the seed's form some", async (t) => {
  const key = await Secp256k1Keypair.create();
  const lossless = await verified(t, await oracleRepo(20, key, "lossless"));
  assert.deepEqual([lossless.counts.provenRecords, lossless.reasons], [20, []]);
  const seed = await verified(t, await oracleRepo(20, key, "seed"));
  assert.deepEqual([seed.counts.provenRecords, seed.counts.provenRepos], [10, 1]);
});

test("a proof that does not hold is found", async (t) => {
  const key = await Secp256k1Keypair.create();
  const parsed = await oracleRepo(20, key);
  const other = await Secp256k1Keypair.create();
  assert.match((await verified(t, parsed, other.did())).reasons[0]!, /signature/);

  const changedCid = await verified(t, parsed, null, (repo) => {
    const [first, ...rest] = repo.collections;
    const cids = Uint8Array.from(first!.cids!);
    cids[35]! ^= 1;
    return { ...repo, collections: [{ ...first!, cids }, ...rest] };
  });
  assert.match(changedCid.reasons[0]!, /tree that was signed/);

  const missing = await verified(t, parsed, null, (repo) => ({ ...repo, collections: repo.collections.slice(1) }));
  assert.match(missing.reasons[0]!, /other records/);

  const otherCommit = await verified(t, parsed, null, (repo) => {
    const commit = Uint8Array.from(repo.commit);
    commit[commit.length - 1]! ^= 1;
    return { ...repo, commit };
  });
  assert.match(otherCommit.reasons[0]!, /CID/);

  const undecodable = await verified(t, parsed, null, (repo) => ({ ...repo, undecodableCount: 1 }));
  assert.deepEqual([undecodable.counts.unprovableRepos, undecodable.counts.problems], [1, 0]);
});

test("a segment without proofs says so when it is asked for them", async (t) => {
  const folder = await temporaryFolder(t);
  const writer = sampleWriter(folder);
  const { path } = await writer.append({ did: DID, pds: "", rev: "", crawledAt: CRAWLED, collections: [] });
  await writer.close();
  const { damage, onDamage } = collectDamage();
  await verifySegment(path, { proofs: true, onDamage });
  assert.match(damage[0]!.reason, /proofs of the segment are missing/);
});

test("an .rcx is read as what it is, and not taken for an .rca", async (t) => {
  const parsed = await oracleRepo(5, await Secp256k1Keypair.create());
  const { path } = await verified(t, parsed);
  const beside = path.replace(/rca$/, "rcx");
  await assert.rejects(SegmentReader.open(beside, { onDamage: noDamage }), { code: "NOT_A_SEGMENT" });
  const reader = await SegmentReader.open(beside, { onDamage: noDamage }, "rcx");
  const [block] = await collect(reader.repos());
  const proof = decodeProof(block!);
  assert.equal(proof.commitCid, parsed.commitCid);
  assert.deepEqual([...proof.signature], [...parsed.signature]);
  assert.deepEqual(
    proof.records.map(({ key }) => key),
    proof.records.map(({ key }) => key).sort(),
  );
  await reader.close();
});
