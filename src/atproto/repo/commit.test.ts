import assert from "node:assert/strict";
import { test } from "node:test";
import { CborReader } from "./cbor-reader.ts";
import { type Commit, checkSignature, readCommit } from "./commit.ts";
import { RepoParseError } from "./parsed-repo.ts";
import { didKeyOf, flipS, makeKeys, signLowS } from "./testing/build-car.ts";
import { bytes, link, map, NULL, text, unsigned } from "./testing/cbor.ts";

const CID = Buffer.from(`01711220${"cd".repeat(32)}`, "hex");
const FIELDS: [string, Buffer][] = [
  ["did", text("did:plc:a")],
  ["rev", text("3lprcc55bb222")],
  ["sig", bytes(Buffer.alloc(64, 7))],
  ["data", link(CID)],
  ["prev", NULL],
  ["version", unsigned(3)],
];

const read = (fields: readonly [string, Buffer][]): Commit => readBytes(map(fields));

function readBytes(block: Buffer): Commit {
  const car = Buffer.concat([Buffer.alloc(5), block, Buffer.alloc(5)]);
  return readCommit(new CborReader(car), 5, 5 + block.length);
}

const refuses = (run: () => unknown, reason: RegExp) =>
  assert.throws(
    run,
    (error) =>
      error instanceof RepoParseError &&
      /^(?:parse_error|bad_signature)$/.test(error.class) &&
      reason.test(error.message),
  );

test("version 3", () => {
  const commit = read(FIELDS);
  assert.equal(commit.did, "did:plc:a");
  assert.equal(commit.rev, "3lprcc55bb222");
  assert.equal(commit.version, 3);
  assert.deepEqual(Buffer.from(commit.signature), Buffer.alloc(64, 7));
  assert.deepEqual(commit.unsigned, map(FIELDS.filter(([name]) => name !== "sig")));
});

test("version 2, with a revision and without, and fields that nobody knows", () => {
  const old = FIELDS.map(([name, value]): [string, Buffer] =>
    name === "version" ? [name, unsigned(2)] : [name, value],
  );
  assert.equal(read(old).version, 2);
  assert.equal(read(old.filter(([name]) => name !== "rev")).rev, "");
  assert.equal(read([...FIELDS, ["whatever", map([["x", link(CID)]])]]).did, "did:plc:a");
});

test("what lacks something or has it wrong is refused", () => {
  for (const name of ["did", "rev", "sig", "data"]) {
    refuses(() => read(FIELDS.filter(([field]) => field !== name)), /lacks/);
    refuses(() => read(FIELDS.map(([field, value]) => [field, field === name ? unsigned(1) : value])), /type|link/);
  }
  const change = (name: string, value: Buffer) =>
    read(FIELDS.map((field) => (field[0] === name ? [name, value] : field)));
  refuses(() => change("version", unsigned(4)), /version/);
  refuses(() => change("rev", text("\u001b[2J")), /revision/);
  refuses(() => change("rev", text("3".repeat(65))), /revision/);
  refuses(() => readBytes(Buffer.concat([map(FIELDS), NULL])), /after its end/);
  for (let end = 0; end < 40; end++) refuses(() => readBytes(map(FIELDS).subarray(0, end)), /commit/);
});

for (const curve of ["secp256k1", "prime256v1"] as const) {
  test(`signatures on ${curve}`, () => {
    const { privateKey, didKey } = makeKeys(curve);
    const data = Buffer.from("what was signed");
    const signature = signLowS(data, privateKey);
    checkSignature(data, signature, didKey);
    checkSignature(data, signature, didKey.slice("did:key:".length));
    refuses(() => checkSignature(data, flipS(signature, privateKey), didKey), /low-S/);
    refuses(() => checkSignature(Buffer.from("something else"), signature, didKey), /not made with the key/);
    refuses(() => checkSignature(data, signature, makeKeys(curve).didKey), /not made with the key/);
    refuses(() => checkSignature(data, signature.subarray(1), didKey), /64 bytes/);
  });
}

test("keys that are not valid are refused", () => {
  const signature = Buffer.alloc(64, 1);
  for (const key of [
    "",
    "z",
    "did:key:",
    "did:key:zQ3sh",
    "did:key:z0OIl",
    "did:web:example.com",
    `z${"1".repeat(5_000)}`,
  ]) {
    refuses(() => checkSignature(Buffer.alloc(1), signature, key), /unknown type|not a point/);
  }
  // No point of secp256k1 has 5 for its x.
  const off = didKeyOf(Buffer.concat([Buffer.of(0xe7, 0x01, 2), Buffer.alloc(31), Buffer.of(5)]));
  refuses(() => checkSignature(Buffer.alloc(1), signature, off), /not a point/);
});
