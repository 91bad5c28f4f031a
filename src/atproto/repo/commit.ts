/** The commit of a repo, versions 2 and 3: its DID, revision and tree, and whether its signature is valid. */

import { createPublicKey, ECDH, type KeyObject, verify } from "node:crypto";
import { BYTES, CborProblem, type CborReader, MAP, TEXT, UNSIGNED } from "./cbor-reader.ts";
import { decodeBase58 } from "./multibase.ts";
import { LONGEST_REV, RepoParseError } from "./parsed-repo.ts";

export interface Commit {
  did: string;
  version: 2 | 3;
  rev: string;
  /** The digest of the tree's root, as an offset. */
  dataDigest: number;
  signature: Uint8Array;
  /** What was signed: the commit without its signature. */
  unsigned: Uint8Array;
}

const PRINTABLE = /^[!-~]*$/;
/** A map of up to 23 pairs has its count in its first byte. */
const MOST_FIELDS = 23;

export function readCommit(reader: CborReader, start: number, end: number): Commit {
  try {
    return read(reader, start, end);
  } catch (problem) {
    if (problem instanceof CborProblem) throw refused(problem.reason);
    throw problem;
  }
}

function read(reader: CborReader, start: number, end: number): Commit {
  reader.enter(start, end);
  let did: string | null = null;
  let rev: string | null = null;
  let version = 0;
  let dataDigest = -1;
  let signature: Uint8Array | null = null;
  let signed: [start: number, end: number] = [end, end];
  const count = reader.expect(MAP, "it");
  if (count > MOST_FIELDS) throw new CborProblem("has too many fields");
  for (let left = count; left > 0; left--) {
    const begin = reader.at;
    switch (text(reader, "a key")) {
      case "did":
        did = text(reader, "did");
        break;
      case "rev":
        rev = text(reader, "rev");
        break;
      case "version":
        version = reader.expect(UNSIGNED, "version");
        break;
      case "data":
        dataDigest = reader.link("data");
        break;
      case "sig": {
        const length = reader.expect(BYTES, "sig");
        signature = reader.bytes.slice(reader.at, reader.at + length);
        reader.at += length;
        signed = [begin, reader.at];
        break;
      }
      default:
        reader.skip();
    }
  }
  reader.expectEnd();
  if (version !== 2 && version !== 3) throw refused(`its version is ${version}, not 2 or 3`);
  if (did === null || dataDigest < 0 || signature === null)
    throw refused("it lacks its DID, its tree or its signature");
  if (rev === null && version === 3) throw refused("it lacks its revision");
  if ((rev?.length ?? 0) > LONGEST_REV || !PRINTABLE.test(rev ?? "")) throw refused("its revision is not valid");
  // Fields are sorted by name and the count is in the first byte: taking one out needs no encoder.
  const unsigned = Buffer.concat([reader.bytes.subarray(start, signed[0]), reader.bytes.subarray(signed[1], end)]);
  unsigned[0] = unsigned[0]! - 1;
  return { did, version, rev: rev ?? "", dataDigest, signature, unsigned };
}

function text(reader: CborReader, what: string): string {
  const length = reader.expect(TEXT, what);
  reader.at += length;
  return reader.latin1(reader.at - length, reader.at);
}

function refused(reason: string): RepoParseError {
  return new RepoParseError("parse_error", `The repo's commit cannot be read: ${reason}.`);
}

interface Curve {
  jwk: string;
  openssl: string;
  /** Half of the group's order. A signature with a larger s is a second form of another, and the AT Protocol refuses it. */
  largestS: bigint;
}

/** By the multicodec that begins a key, a varint of two bytes. */
const CURVES = new Map<number, Curve>([
  [
    0xe701,
    {
      jwk: "secp256k1",
      openssl: "secp256k1",
      largestS: 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n,
    },
  ],
  [
    0x8024,
    {
      jwk: "P-256",
      openssl: "prime256v1",
      largestS: 0x7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8n,
    },
  ],
]);
const COORDINATE_BYTES = 32;
const DID_KEY = "did:key:";
/** Two bytes of codec and a compressed point take 48 characters or so. */
const LONGEST_KEY = 128;

/** Throws when the signature was not made with this key. */
export function checkSignature(unsigned: Uint8Array, signature: Uint8Array, signingKey: string): void {
  const { key, curve } = publicKey(signingKey);
  if (signature.length !== 2 * COORDINATE_BYTES) throw doesNotHold("it is not 64 bytes long");
  const s = BigInt(`0x${Buffer.from(signature.subarray(COORDINATE_BYTES)).toString("hex")}`);
  if (s > curve.largestS) throw doesNotHold("it is not in its low-S form");
  if (!verify("sha256", unsigned, { key, dsaEncoding: "ieee-p1363" }, signature)) {
    throw doesNotHold("it was not made with the key of the DID document");
  }
}

function publicKey(signingKey: string): { key: KeyObject; curve: Curve } {
  const multikey = signingKey.startsWith(DID_KEY) ? signingKey.slice(DID_KEY.length) : signingKey;
  const bytes = multikey[0] === "z" && multikey.length <= LONGEST_KEY ? decodeBase58(multikey.slice(1)) : null;
  const curve = bytes && bytes.length > 2 ? CURVES.get((bytes[0]! << 8) | bytes[1]!) : undefined;
  if (!bytes || !curve) throw doesNotHold("the key of the DID document has an unknown type");
  try {
    const point = ECDH.convertKey(bytes.subarray(2), curve.openssl, undefined, undefined, "uncompressed") as Buffer;
    const x = point.subarray(1, 1 + COORDINATE_BYTES).toString("base64url");
    const y = point.subarray(1 + COORDINATE_BYTES).toString("base64url");
    return { key: createPublicKey({ key: { kty: "EC", crv: curve.jwk, x, y }, format: "jwk" }), curve };
  } catch {
    throw doesNotHold("the key of the DID document is not a point on its curve");
  }
}

function doesNotHold(reason: string): RepoParseError {
  return new RepoParseError("bad_signature", `The commit's signature is not valid: ${reason}.`);
}
