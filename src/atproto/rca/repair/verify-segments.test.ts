import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { test } from "node:test";
import { zstdCompressSync } from "node:zlib";
import { Secp256k1Keypair } from "@atproto/crypto";
import { blocksToCarFile, MemoryBlockstore, Repo, verifyRepoCar, WriteOpAction } from "@atproto/repo";
import fc from "fast-check";
import { TrawlError } from "../../../errors.ts";
import type { JsonForm, ParsedRepo } from "../../repo/parsed-repo.ts";
import { parseRepo } from "../../repo/prepare-repo.ts";
import { buildCar, makeKeys } from "../../repo/testing/build-car.ts";
import { encode } from "../../repo/testing/cbor.ts";
import { compressCollections, encodeRecords, recordsOf } from "../format/collection.ts";
import { decodeProof, proofBlock } from "../format/proof.ts";
import { openArchive } from "../read/archive.ts";
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
import { signedCar, storedProof } from "./signed-car.ts";
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

async function oracleRepo(
  records: number,
  key: Secp256k1Keypair,
  json: JsonForm = "seed",
  blocks = false,
): Promise<ParsedRepo> {
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
  return parseRepo(car, { did: DID, verify: "blocks", json, cids: !blocks, blocks }, () => 0.5);
}

/** A segment with its proofs, verified; `change` may break the proof. */
async function verified(
  t: Parameters<typeof temporaryFolder>[0],
  parsed: ParsedRepo,
  signingKey: string | null = null,
  proofOf: (parsed: ParsedRepo) => ParsedRepo = (same) => same,
  { since = 0, crawledWith = null as string | null } = {},
) {
  const folder = await temporaryFolder(t);
  const writer = sampleWriter(folder, { proofs: true });
  const about = { did: DID, pds: "https://pds.example", rev: parsed.rev, crawledAt: CRAWLED };
  const repo = { ...about, collections: compressCollections(parsed.collections, 3) };
  const { path } = await writer.append(repo, proofBlock(about, proofOf(parsed), 3, crawledWith));
  await writer.close();
  const { damage, onDamage } = collectDamage();
  const keysOf = () => (signingKey === null ? null : { keys: [signingKey], since, earlier: [] });
  const counts = await verifySegment(path, { proofs: true, keysOf, onDamage });
  return { counts, reasons: damage.map(({ reason }) => reason), path };
}

test("a tree rebuilt from the archive is the one that was signed", async (t) => {
  const key = await Secp256k1Keypair.create();
  for (const size of [0, 1, 2, 17, 300]) {
    for (const json of ["seed", "lossless"] as const) {
      const { counts, reasons } = await verified(t, await oracleRepo(size, key, json, true), key.did());
      assert.deepEqual(reasons, [], `${size} records`);
      assert.deepEqual([counts.provenRepos, counts.records, counts.provenRecords], [1, size, size]);
    }
  }
});

test("what cannot be proven is said, and not counted as proven", async (t) => {
  const key = await Secp256k1Keypair.create();
  const parsed = await oracleRepo(5, key, "seed", true);
  const reasonOf = async (
    ...given: Parameters<typeof verified> extends [unknown, unknown, ...infer Rest] ? Rest : never
  ) => {
    const { counts, reasons } = await verified(t, parsed, ...given);
    assert.equal(counts.provenRepos + counts.unprovableRepos + reasons.length, 1);
    return counts.unprovableRepos === 1 ? Object.keys(counts.unproven)[0] : (reasons[0] ?? "proven");
  };
  const [own, other] = [key.did(), (await Secp256k1Keypair.create()).did()];
  const same = (repo: ParsedRepo) => repo;
  assert.equal(await reasonOf(own), "proven");
  assert.equal(await reasonOf(null), "no_key");
  assert.match((await reasonOf(null, same, { crawledWith: other }))!, /key it was crawled with/);
  const later = Number(CRAWLED / 1000n) + 1;
  assert.equal(await reasonOf(other, same, { crawledWith: own, since: later }), "replaced_key");
  assert.match((await reasonOf(other, same, { crawledWith: own, since: later - 2 }))!, /account's key/);
  assert.match((await reasonOf(other, same, { since: later }))!, /account's key/);
});

test("any changed byte of a record is found, although every CRC is right", async (t) => {
  const key = await Secp256k1Keypair.create();
  const parsed = await oracleRepo(6, key, "seed", true);
  const whole = Buffer.concat(parsed.collections.map(({ bytes }) => bytes));
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: whole.length - 1 }), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const collections = parsed.collections.map((collection) => ({
        ...collection,
        bytes: Uint8Array.from(collection.bytes),
      }));
      let place = at;
      for (const { bytes } of collections) {
        if (place >= 0 && place < bytes.length) bytes[place]! ^= change;
        place -= bytes.length;
      }
      const { counts, reasons } = await verified(t, { ...parsed, collections }, key.did(), () => parsed);
      assert.ok(reasons.length > 0, `byte ${at} ^ ${change}`);
      assert.equal(counts.provenRepos, 0);
    }),
    { numRuns: 150 },
  );
});

test("JSON that some readers take for something else than what was signed is not proven, although only CIDs were kept", async (t) => {
  const key = await Secp256k1Keypair.create();
  const parsed = await oracleRepo(1, key, "lossless");
  const [collection] = parsed.collections;
  const jsonOf = (text: string) => [
    { ...collection!, bytes: encodeRecords([{ rkey: "3k22222222220", value: Buffer.from(text) }]) },
  ];
  const honest = '{"text":"record 0"}';
  const tampered = ['{"text":"forged","text":"record 0"}', '{"text": "record 0"}', '{"text":"\\u0072ecord 0"}'];
  const [rkey] = [...recordsOf(Buffer.from(collection!.bytes), 1)].map((record) => record.rkey);
  assert.equal(rkey, "3k22222222220");
  const proven = async (text: string) => {
    const { counts } = await verified(t, { ...parsed, collections: jsonOf(text) }, key.did(), () => parsed);
    return [counts.provenRepos, counts.provenRecords];
  };
  assert.deepEqual(await proven(honest), [1, 1]);
  for (const text of tampered) assert.deepEqual(await proven(text), [0, 0], text);
});

test("a repo signed with 64 times 0x01 is not certified", async (t) => {
  const did = DID;
  const car = buildCar(new Map([["app.bsky.feed.post/3k", encode({ text: "x" })]]), { did });
  const parsed = parseRepo(car, { did, verify: "blocks", json: "seed", cids: false, blocks: true }, () => 0.5);
  assert.deepEqual([...new Set(parsed.signature)], [1]);
  const known = await verified(t, parsed, (await Secp256k1Keypair.create()).did());
  assert.match(known.reasons[0]!, /signature was not made with the account's key/);
  const unknown = await verified(t, parsed);
  assert.deepEqual([unknown.counts.provenRepos, unknown.counts.unproven], [0, { no_key: 1 }]);
});

test("the CAR is rebuilt from the proof, byte for byte as the reference checks it", async (t) => {
  const key = await Secp256k1Keypair.create();
  for (const size of [0, 1, 40]) {
    const { path } = await verified(t, await oracleRepo(size, key, "seed", true), key.did());
    await using archive = await openArchive(dirname(path), noDamage);
    const car = signedCar(await storedProof((await archive.find(DID))!, noDamage));
    const checked = await verifyRepoCar(car!, DID, key.did());
    assert.equal(checked.creates.length, size);
  }
});

test("records that cannot be decoded are proven, too, when blocks were kept", async (t) => {
  const keys = makeKeys("secp256k1");
  const records = new Map([
    ["app.bsky.feed.post/3k", encode({ text: "x" })],
    ["app.bsky.feed.post/3l", Buffer.from("a16161ff", "hex")],
    ["no record", encode({ text: "y" })],
  ]);
  const car = buildCar(records, { did: DID, keys });
  const parsed = parseRepo(car, { did: DID, verify: "blocks", json: "seed", cids: false, blocks: true }, () => 0.5);
  assert.equal(parsed.undecodableCount, 2);
  const { counts, reasons } = await verified(t, parsed, keys.didKey);
  assert.deepEqual([counts.provenRepos, reasons], [1, []]);
  const left = await verified(t, { ...parsed, collections: [] }, keys.didKey, (repo) => {
    // As if the only record had been hidden among those.
    const hidden = encodeRecords([
      { rkey: Buffer.from("app.bsky.feed.post/3k").toString("hex"), value: records.get("app.bsky.feed.post/3k")! },
      { rkey: Buffer.from("app.bsky.feed.post/3l").toString("hex"), value: records.get("app.bsky.feed.post/3l")! },
      { rkey: Buffer.from("no record").toString("hex"), value: records.get("no record")! },
    ]);
    return { ...repo, collections: [], undecodableCount: 3, undecodableBlocks: hidden };
  });
  assert.match(left.reasons[0]!, /left out of the archive/);
});

test("lossless JSON gives every record's CID back, the seed's form some", async (t) => {
  const key = await Secp256k1Keypair.create();
  const lossless = await verified(t, await oracleRepo(20, key, "lossless"));
  assert.deepEqual([lossless.counts.provenRecords, lossless.reasons], [20, []]);
  const seed = await verified(t, await oracleRepo(20, key, "seed"), key.did());
  assert.deepEqual([seed.counts.provenRecords, seed.counts.unproven], [10, { lossy_json: 1 }]);
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
  assert.match(missing.reasons[0]!, /different records/);

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
