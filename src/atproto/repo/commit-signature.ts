/** Checks a commit's signature against the key of the DID document: ECDSA on secp256k1 or P-256, low-S only. */
import { createPublicKey, ECDH, type KeyObject, verify } from "node:crypto";
import { decodeBase58 } from "./multibase.ts";
import { RepoParseError } from "./repo-error.ts";

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

/** Throws when the signature is not this key's. */
export function checkSignature(unsigned: Uint8Array, signature: Uint8Array, signingKey: string): void {
  const { key, curve } = publicKey(signingKey);
  if (signature.length !== 2 * COORDINATE_BYTES) throw refused("it is not 64 bytes long");
  const s = BigInt(`0x${Buffer.from(signature.subarray(COORDINATE_BYTES)).toString("hex")}`);
  if (s > curve.largestS) throw refused("it is not in its low-S form");
  if (!verify("sha256", unsigned, { key, dsaEncoding: "ieee-p1363" }, signature)) {
    throw refused("it is not by the key of the DID document");
  }
}

function publicKey(signingKey: string): { key: KeyObject; curve: Curve } {
  const multikey = signingKey.startsWith(DID_KEY) ? signingKey.slice(DID_KEY.length) : signingKey;
  const bytes = multikey[0] === "z" && multikey.length <= LONGEST_KEY ? decodeBase58(multikey.slice(1)) : null;
  const curve = bytes && bytes.length > 2 ? CURVES.get((bytes[0]! << 8) | bytes[1]!) : undefined;
  if (!bytes || !curve) throw refused("the key of the DID document is of no known kind");
  try {
    const point = ECDH.convertKey(bytes.subarray(2), curve.openssl, undefined, undefined, "uncompressed") as Buffer;
    const x = point.subarray(1, 1 + COORDINATE_BYTES).toString("base64url");
    const y = point.subarray(1 + COORDINATE_BYTES).toString("base64url");
    return { key: createPublicKey({ key: { kty: "EC", crv: curve.jwk, x, y }, format: "jwk" }), curve };
  } catch {
    throw refused("the key of the DID document is no point of its curve");
  }
}

function refused(reason: string): RepoParseError {
  return new RepoParseError("parse_error", `The commit's signature does not hold: ${reason}.`);
}
