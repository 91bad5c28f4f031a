import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { byHandBlock, posts, sampleDid, sampleRepo } from "../testing/samples.ts";
import { decodeBlock, encodeBlock, type RepoBlock, RepoNotStorable } from "./block.ts";
import { BadBytes, compareBytewise } from "./bytes.ts";

test("a block is what the seed says, byte for byte", () => {
  const repo: RepoBlock = {
    did: "did:plc:a",
    pds: "p",
    rev: "r",
    crawledAt: 258n,
    collections: [{ name: "c.d", recordCount: 3, frame: Buffer.from([9, 8]) }],
  };
  const expected =
    "32000000" + // TotalBlockSize: 50, its own four bytes included
    "0900" +
    Buffer.from("did:plc:a").toString("hex") +
    "010070" +
    "010072" +
    "0201000000000000" +
    "0100" +
    "211b7c1d" + // CRC32 of what follows, by another program
    "0300632e64" +
    "03000000" +
    "02000000" +
    "0908";
  assert.equal(encodeBlock(repo).toString("hex"), expected);
});

test("an empty repo has no collections and CRC 0", () => {
  const block = encodeBlock(sampleRepo("did:plc:a"));
  assert.deepEqual([...block.subarray(-6)], [0, 0, 0, 0, 0, 0]);
  assert.equal(block.readUInt32LE(0), block.length);
  assert.deepEqual(decodeBlock(block).collections, []);
});

test("collections are sorted bytewise, and those without records are left out", () => {
  const frame = Buffer.from("frame");
  const names = ["b.c", "a.b", "a.b.c", "a.B", "a.é", "a.\u{10000}", "a.\uffee"];
  const collections = names.map((name) => ({ name, recordCount: 1, frame }));
  collections.push({ name: "a.empty", recordCount: 0, frame });
  const read = decodeBlock(encodeBlock(sampleRepo("did:plc:a", {}, { collections })));
  const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  assert.deepEqual(
    read.collections.map(({ name }) => name),
    sorted,
  );
});

const names = fc.string({ unit: "binary", maxLength: 20 });
const collection = fc.record({
  name: names,
  recordCount: fc.integer({ min: 1, max: 0xffff_ffff }),
  frame: fc.uint8Array({ maxLength: 50 }),
});
const repos = fc.record({
  did: names,
  pds: names,
  rev: names,
  crawledAt: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  collections: fc.uniqueArray(collection, { selector: ({ name }) => name, maxLength: 5 }),
});

test("the order is that of UTF-8", () => {
  const texts = fc.string({ unit: fc.constantFrom("a", "b", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{10ffff}") });
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      assert.equal(Math.sign(compareBytewise(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

test("what was written is read, and another encoder writes the same", () => {
  fc.assert(
    fc.property(repos, (repo) => {
      const sorted = repo.collections.toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
      const block = encodeBlock(repo);
      assert.deepEqual([...block], byHandBlock({ ...repo, collections: sorted }));
      const read = decodeBlock(block);
      const bare = { ...read, collections: read.collections.map((each) => ({ ...each, frame: [...each.frame] })) };
      assert.deepEqual(bare, { ...repo, collections: sorted.map((each) => ({ ...each, frame: [...each.frame] })) });
    }),
    { numRuns: 50 },
  );
});

test("a cut or changed block is bad bytes, or reads as it was but for its head", () => {
  const block = encodeBlock(sampleRepo(sampleDid(1), posts(3)));
  const headSize = 4 + 34 + 21 + 7 + 8;
  for (let length = 0; length < block.length; length++) {
    assert.throws(() => decodeBlock(block.subarray(0, length)), BadBytes, `${length} bytes`);
  }
  for (let at = headSize; at < block.length; at++) {
    const changed = Buffer.from(block);
    changed[at]! ^= 1 << (at % 8);
    assert.throws(() => decodeBlock(changed), BadBytes, `byte ${at}`);
  }
});

test("random bytes never do more than throw BadBytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const block = Buffer.concat([Buffer.alloc(4), bytes]);
      block.writeUInt32LE(block.length);
      try {
        decodeBlock(block);
      } catch (error) {
        assert.ok(error instanceof BadBytes, String(error));
      }
    }),
  );
});

test("a repo that the format has no room for is refused", () => {
  const long = "x".repeat(0x10000);
  assert.throws(() => encodeBlock(sampleRepo("did:plc:a", {}, { rev: long })), RepoNotStorable);
  const frame = Buffer.alloc(0);
  const many = Array.from({ length: 0x10000 }, (_, index) => ({ name: `c${index}`, recordCount: 1, frame }));
  assert.throws(() => encodeBlock(sampleRepo("did:plc:a", {}, { collections: many })), RepoNotStorable);
});
