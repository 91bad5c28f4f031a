import assert from "node:assert/strict";
import { test } from "node:test";
import { Secp256k1Keypair } from "@atproto/crypto";
import {
  blocksToCarFile,
  MemoryBlockstore,
  type RecordCreateOp,
  Repo,
  readCarWithRoot,
  WriteOpAction,
} from "@atproto/repo";
import fc from "fast-check";
import {
  LARGEST_OUTPUT_RATIO,
  MOST_UNDECODABLE_LISTED,
  OUTPUT_ALLOWANCE_BYTES,
  type ParsedRepo,
  type ParseOptions,
  RepoParseError,
} from "./parsed-repo.ts";
import { parseRepo } from "./prepare-repo.ts";
import { type Block, blockOf, buildCar, makeKeys } from "./testing/build-car.ts";
import { encode, map, NULL, unsigned } from "./testing/cbor.ts";

const DID = "did:plc:abcdefghijklmnopqrstuvwx";
const OPTIONS: ParseOptions = { did: DID, verify: "blocks", json: "seed", cids: false };
const random = () => 0.7;
const parse = (car: Uint8Array, options: Partial<ParseOptions> = {}) =>
  parseRepo(car, { ...OPTIONS, ...options }, random);

/** The records as an archive's reader finds them. */
function recordsOf({ collections }: ParsedRepo): [key: string, json: string][] {
  return collections.flatMap(({ name, bytes, recordCount }) => {
    const block = Buffer.from(bytes);
    const records: [string, string][] = [];
    for (let at = 0; at < block.length; ) {
      const rkeyEnd = at + 2 + block.readUInt16LE(at);
      const jsonEnd = rkeyEnd + 4 + block.readUInt32LE(rkeyEnd);
      records.push([
        `${name}/${block.toString("utf8", at + 2, rkeyEnd)}`,
        block.toString("utf8", rkeyEnd + 4, jsonEnd),
      ]);
      at = jsonEnd;
    }
    assert.equal(records.length, recordCount);
    return records;
  });
}

function refused(run: () => unknown): RepoParseError {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof RepoParseError, String((error as Error).stack));
    return error;
  }
  return assert.fail("it was accepted");
}

const numbered = (count: number, collection = "app.example.post"): Map<string, Buffer> =>
  new Map(
    Array.from({ length: count }, (_, index) => [`${collection}/r${index}`, encode({ $type: collection, index })]),
  );

test("a repo with a record of each kind, seen in both forms", () => {
  const cid = blockOf(NULL).cid;
  const post = { $type: "app.example.post", text: "Grüße", ref: { $link: cid }, subject: { cid: "b", uri: "at://x" } };
  const car = buildCar(
    new Map([
      ["app.example.post/3k", encode(post)],
      ["app.example.post.gate/self", encode({ raw: Buffer.from("ab") })],
    ]),
    { did: DID, rev: "3abc" },
  );
  const repo = parse(car);
  assert.equal(repo.rev, "3abc");
  assert.equal(repo.recordCount, 2);
  assert.ok(car.includes(Buffer.from(repo.commit)));
  // Sorted by name, though the tree has them the other way: `.` comes before `/`.
  assert.deepEqual(recordsOf(repo), [
    [
      "app.example.post/3k",
      '{"ref":{"$link":"bafyreifqwkmiw256ojf2zws6tzjeonw6bpd5vza4i22ccpcq4hjv2ts7cm"},"text":"Grüße","$type":"app.example.post","subject":{"uri":"at://x"}}',
    ],
    ["app.example.post.gate/self", '{"raw":"YWI="}'],
  ]);
  assert.match(recordsOf(parse(car, { json: "lossless" }))[1]![1], /\{"\$bytes":"YWI"\}/);
});

test("an empty repo", () => {
  const repo = parse(buildCar(new Map(), { did: DID }));
  assert.deepEqual(repo.collections, []);
  assert.equal(repo.recordCount, 0);
});

test("blocks in any order, twice, or belonging to nothing change nothing", () => {
  const records = numbered(200);
  const expected = recordsOf(parse(buildCar(records, { did: DID })));
  const strange = [blockOf(Buffer.from("nobody links here")), blockOf(encode({ also: "nobody" }))];
  const arrangements: ((blocks: Block[]) => Block[])[] = [
    (blocks) => blocks.reverse(),
    (blocks) => blocks.sort((one, other) => Buffer.compare(one.cid, other.cid)),
    (blocks) => [...strange, ...blocks, ...blocks, ...strange],
  ];
  for (const arrange of arrangements)
    assert.deepEqual(recordsOf(parse(buildCar(records, { did: DID, arrange }))), expected);
});

test("CIDs of records come in their order when asked for", () => {
  const records = new Map([...numbered(5, "b.c"), ...numbered(3, "a.b"), ["b.c/bad", unsigned(1)] as const]);
  const repo = parse(buildCar(records, { did: DID }), { cids: true });
  assert.equal(repo.undecodableCount, 1);
  for (const { name, cids, recordCount } of repo.collections) {
    const expected = Array.from({ length: recordCount }, (_, index) => blockOf(records.get(`${name}/r${index}`)!).cid);
    assert.deepEqual(Buffer.from(cids!), Buffer.concat(expected));
  }
  assert.equal(parse(buildCar(records, { did: DID })).collections[0]!.cids, null);
});

test("records that cannot be decoded, and invalid keys, are listed, and the rest is kept", () => {
  const records = new Map([
    ...numbered(3, "a.b"),
    ["a.b/bad", map([["a", Buffer.from([0xc1, 0])]])] as const,
    ["a.b/r1/x", encode({})] as const,
    ["a.b/r1 x", encode({})] as const,
    ["a.b/..", encode({})] as const,
    ["a.b/", encode({})] as const,
    ["/r", encode({})] as const,
    ["none", encode({})] as const,
    ["z.only.bad/r", unsigned(1)] as const,
  ]);
  const repo = parse(buildCar(records, { did: DID }));
  assert.deepEqual(
    recordsOf(repo).map(([key]) => key),
    ["a.b/r0", "a.b/r1", "a.b/r2"],
  );
  assert.equal(repo.collections.length, 1);
  assert.equal(repo.undecodableCount, 8);
  assert.deepEqual(
    repo.undecodable.map(({ key }) => key),
    ["/r", "a.b/", "a.b/..", "a.b/bad", "a.b/r1 x", "a.b/r1/x", "none", "z.only.bad/r"],
  );
  assert.match(repo.undecodable[3]!.reason, /tag/);
  const many = new Map(
    Array.from({ length: MOST_UNDECODABLE_LISTED + 5 }, (_, index) => [`a.b/${index}`, NULL] as const),
  );
  const broken = parse(buildCar(many, { did: DID }));
  assert.equal(broken.undecodableCount, MOST_UNDECODABLE_LISTED + 5);
  assert.equal(broken.undecodable.length, MOST_UNDECODABLE_LISTED);
});

test("a commit for another DID is refused, and text from it stays text", () => {
  const car = buildCar(numbered(1), { did: "did:plc:\u001b[2J" });
  const { message } = refused(() => parse(car));
  assert.match(message, /not for did:plc:abc/);
  assert.ok(!message.includes("\u001b"));
});

test("any block that the repo needs and that is missing is named", () => {
  const records = numbered(40);
  const all: Block[] = [];
  const arrange = (blocks: Block[]) => {
    all.push(...blocks);
    return blocks;
  };
  buildCar(records, { did: DID, arrange });
  for (let index = 0; index < all.length; index++) {
    const car = buildCar(records, { did: DID, arrange: (blocks) => blocks.toSpliced(index, 1) });
    assert.match(refused(() => parse(car)).message, /bafyrei\w{52}, is missing/);
  }
});

test("full checks the signature too", () => {
  for (const curve of ["secp256k1", "prime256v1"] as const) {
    const keys = makeKeys(curve);
    for (const version of [2, 3] as const) {
      const car = buildCar(numbered(3), { did: DID, keys, version });
      assert.equal(parse(car, { verify: "full", signingKey: keys.didKey }).commitVersion, version);
      assert.match(
        refused(() => parse(car, { verify: "full", signingKey: makeKeys(curve).didKey })).message,
        /signature/,
      );
      assert.match(refused(() => parse(car, { verify: "full" })).message, /no key/);
    }
  }
});

test("one large record named many times does not become terabytes", () => {
  const large = encode({ text: "x".repeat(200_000) });
  const records = new Map(Array.from({ length: 500 }, (_, index) => [`a.b/${index}`, large]));
  const seen = new Set<string>();
  const arrange = (blocks: Block[]) => blocks.filter(({ cid }) => seen.size < seen.add(cid.toString("hex")).size);
  const car = buildCar(records, { did: DID, arrange });
  assert.ok(car.length < 300_000);
  assert.match(refused(() => parse(car)).message, /far more than the CAR/);
});

test("mutated CARs are read or refused, never more, and the output keeps its limit", () => {
  const records = new Map([
    ...numbered(25, "app.example.post"),
    ...numbered(9, "app.example.like"),
    [
      "app.example.profile/self",
      encode({ text: '日本語 "quoted"', list: [1, 2n ** 60n, [null, true]], raw: Buffer.alloc(40) }),
    ] as const,
  ]);
  const original = buildCar(records, { did: DID });
  const position = fc.nat(original.length - 1);
  const mutation = fc.oneof(
    fc.record({ kind: fc.constant("flip" as const), at: position, bit: fc.nat(7) }),
    fc.record({ kind: fc.constant("set" as const), at: position, bit: fc.nat(255) }),
    fc.record({ kind: fc.constant("cut" as const), at: position, bit: fc.nat(0) }),
    fc.record({ kind: fc.constant("remove" as const), at: position, bit: fc.nat(40) }),
    fc.record({ kind: fc.constant("repeat" as const), at: position, bit: fc.nat(200) }),
  );
  let read = 0;
  fc.assert(
    fc.property(
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
      fc.constantFrom("none", "blocks"),
      (mutations, verify) => {
        let car = Buffer.from(original);
        for (const { kind, at, bit } of mutations) {
          if (at >= car.length) continue;
          if (kind === "flip") car[at]! ^= 1 << bit;
          else if (kind === "set") car[at] = bit;
          else if (kind === "cut") car = car.subarray(0, at);
          else if (kind === "remove") car = Buffer.concat([car.subarray(0, at), car.subarray(at + bit)]);
          else car = Buffer.concat([car.subarray(0, at + bit), car.subarray(at)]);
        }
        const options: ParseOptions = { ...OPTIONS, verify: verify as "none" | "blocks" };
        try {
          const repo = parseRepo(car, options, random);
          read++;
          const capacity = repo.collections[0]?.bytes.buffer.byteLength ?? 0;
          assert.ok(capacity <= LARGEST_OUTPUT_RATIO * car.length + OUTPUT_ALLOWANCE_BYTES);
          for (const [, json] of recordsOf(repo)) JSON.parse(json);
          assert.ok(repo.recordCount + repo.undecodableCount <= records.size);
        } catch (error) {
          assert.ok(error instanceof RepoParseError, String((error as Error).stack));
        }
      },
    ),
    { numRuns: 3_000 },
  );
  assert.ok(read > 10, `${read} were still read`);
});

test("with every hash checked, no changed bit of a linked block goes unseen", () => {
  const car = buildCar(numbered(4), { did: DID });
  const expected = recordsOf(parse(car));
  const first = car[0]! + 1;
  for (let at = first; at < car.length; at++) {
    const changed = Buffer.from(car);
    changed[at]! ^= 1 << (at % 8);
    // What is left to be read can only be the repo itself: a codec in a CID that nothing depends on.
    try {
      assert.deepEqual(recordsOf(parse(changed)), expected);
    } catch (error) {
      assert.ok(error instanceof RepoParseError, String(error));
    }
  }
});

/** What the reference implementation reads, as JSON in the seed's form, by its keys in the tree's order. */
async function reference(car: Uint8Array): Promise<string[]> {
  const { root, blocks } = await readCarWithRoot(car, { skipCidVerification: true });
  const repo = await Repo.load(new MemoryBlockstore(blocks), root);
  const records: string[] = [];
  for await (const { collection, rkey, record } of repo.walkRecords()) {
    records.push(`${collection}/${rkey} ${JSON.stringify(plain(record))}`);
  }
  return records.sort();
}

const ours = (repo: ParsedRepo): string[] =>
  recordsOf(repo)
    .map(([key, json]) => `${key} ${json}`)
    .sort();

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  if ("multihash" in value) return { $link: String(value) };
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (key === "cid" ? [] : [[key, plain(item)]])),
  );
}

test("repos that the reference implementation wrote and signed are read as it reads them", async () => {
  const keypair = await Secp256k1Keypair.create();
  for (const count of [0, 1, 2, 17, 150]) {
    const writes = Array.from(
      { length: count },
      (_, index): RecordCreateOp => ({
        action: WriteOpAction.Create,
        collection: `app.example.${"abc"[index % 3]}`,
        rkey: `${(index * 7919) % 1_000}-${index}`,
        record: {
          $type: "app.example",
          text: `№ ${index} "${"\u0001".repeat(index % 3)}`,
          deep: [{ cid: "x", index }],
          bytes: Buffer.from([index]),
        },
      }),
    );
    const storage = new MemoryBlockstore();
    const repo = await Repo.create(storage, DID, keypair, writes);
    const car = await blocksToCarFile(repo.cid, storage.blocks);
    const parsed = parse(car, { verify: "full", signingKey: keypair.did() });
    assert.equal(parsed.commitCid, repo.cid.toString());
    assert.equal(parsed.rev, repo.commit.rev);
    assert.deepEqual(ours(parsed), await reference(car));
  }
});

test("any records in our CARs are what the reference implementation reads in them", async () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9.:_~-]{0,8}$/).filter((text) => !/^\.+$/.test(text));
  const { any } = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: "grapheme" }),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes)),
      fc.constant({ $link: blockOf(NULL).cid }),
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("cid", "a", "bb", "ccc", "d"), tie("any"), { maxKeys: 3 }),
    ),
  }));
  const record = fc.dictionary(fc.constantFrom("$type", "cid", "text", "x"), any, { maxKeys: 4 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, name, record), { maxLength: 30 }), async (entries) => {
      const car = buildCar(
        new Map(entries.map(([collection, rkey, value]) => [`${collection}/${rkey}`, encode(value)])),
        { did: DID },
      );
      assert.deepEqual(ours(parse(car)), await reference(car));
    }),
    { numRuns: 60 },
  );
});

test("fifty thousand records are what the reference implementation reads", async () => {
  const collections = ["app.example.like", "app.example.post", "app.example.graph.follow"];
  const records = new Map(
    Array.from({ length: 50_000 }, (_, index) => [
      `${collections[index % 3]}/${(index * 7_919).toString(36)}`,
      encode({ index }),
    ]),
  );
  const car = buildCar(records, { did: DID, arrange: (blocks) => blocks.reverse() });
  const parsed = parse(car);
  assert.equal(parsed.recordCount, 50_000);
  // One by one: a difference between two lists of this length takes minutes to print.
  const expected = await reference(car);
  for (const [index, record] of ours(parsed).entries()) assert.equal(record, expected[index]);
});
