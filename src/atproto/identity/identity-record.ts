/** An identity in 57 bytes: a did:plc, the key that signs its repo, the number of its host, and when that was written. */
import { decodeBase58, encodeBase58 } from "../repo/multibase.ts";

/** DID 15, kind of key 1, compressed point 33, host 4, seconds 4. Little-endian. */
export const RECORD_BYTES = 57;
export const DID_BYTES = 15;
const KIND_AT = DID_BYTES;
const POINT_AT = KIND_AT + 1;
const POINT_BYTES = 33;
const HOST_AT = POINT_AT + POINT_BYTES;
const TIME_AT = HOST_AT + 4;

/** A host number: there is no PDS, because the DID was given up or never had one. */
export const NO_HOST = 0;

export interface IdentityRecord {
  /** The number of its host; `NO_HOST` for none. */
  host: number;
  /** As did:key; null if there is none, or none of a known type. */
  signingKey: string | null;
}

/** The two curves of the AT Protocol, by the multicodec that begins a key. */
const KINDS = new Map<number, number>([
  [0xe701, 1],
  [0x8024, 2],
]);
const CODECS = [[], [0xe7, 0x01], [0x80, 0x24]] as const;
const DID_KEY = "did:key:";
const PREFIX = "did:plc:";
const DID_LETTERS = 24;

/** In the order of ASCII, so that records sort as their DIDs do. */
const LETTERS = Buffer.from("234567abcdefghijklmnopqrstuvwxyz");
const VALUES = new Uint8Array(256).fill(255);
for (const [value, letter] of LETTERS.entries()) VALUES[letter] = value;

/** Writes a did:plc as 15 bytes; false when it is not one. */
export function writeDid(did: string, bytes: Uint8Array, at: number): boolean {
  if (did.length !== PREFIX.length + DID_LETTERS || !did.startsWith(PREFIX)) return false;
  for (let group = 0; group < 3; group++) {
    // Eight letters of five bits are five bytes: the first 25 bits, then the other 15.
    let high = 0;
    let low = 0;
    for (let index = 0; index < 8; index++) {
      const value = VALUES[did.charCodeAt(PREFIX.length + group * 8 + index) & 0xff]!;
      if (value === 255 || did.charCodeAt(PREFIX.length + group * 8 + index) > 255) return false;
      if (index < 5) high = (high << 5) | value;
      else low = (low << 5) | value;
    }
    const place = at + group * 5;
    bytes[place] = high >>> 17;
    bytes[place + 1] = (high >>> 9) & 0xff;
    bytes[place + 2] = (high >>> 1) & 0xff;
    bytes[place + 3] = ((high & 1) << 7) | (low >>> 8);
    bytes[place + 4] = low & 0xff;
  }
  return true;
}

export function readDid(bytes: Uint8Array, at: number): string {
  let text = PREFIX;
  for (let group = 0; group < 3; group++) {
    const place = at + group * 5;
    const high =
      (bytes[place]! << 17) | (bytes[place + 1]! << 9) | (bytes[place + 2]! << 1) | (bytes[place + 3]! >>> 7);
    const low = ((bytes[place + 3]! & 0x7f) << 8) | bytes[place + 4]!;
    for (let index = 0; index < 5; index++) text += String.fromCharCode(LETTERS[(high >>> (5 * (4 - index))) & 31]!);
    for (let index = 0; index < 3; index++) text += String.fromCharCode(LETTERS[(low >>> (5 * (2 - index))) & 31]!);
  }
  return text;
}

export const compareDids = (a: Buffer, atA: number, b: Buffer, atB: number): number =>
  a.compare(b, atB, atB + DID_BYTES, atA, atA + DID_BYTES);

/** False when the DID is not a did:plc. A key of another form is left out. */
export function writeRecord(
  bytes: Buffer,
  at: number,
  { did, signingKey, host, seconds }: IdentityRecord & { did: string; seconds: number },
): boolean {
  if (!writeDid(did, bytes, at)) return false;
  bytes[at + KIND_AT] = signingKey === null ? 0 : writeKey(signingKey, bytes, at + POINT_AT);
  if (bytes[at + KIND_AT] === 0) bytes.fill(0, at + POINT_AT, at + HOST_AT);
  bytes.writeUInt32LE(host, at + HOST_AT);
  bytes.writeUInt32LE(seconds, at + TIME_AT);
  return true;
}

export function readRecord(bytes: Buffer, at: number): IdentityRecord {
  const codec = CODECS[bytes[at + KIND_AT]!] ?? [];
  const key =
    codec.length === 0 ? null : Buffer.concat([Buffer.from(codec), bytes.subarray(at + POINT_AT, at + HOST_AT)]);
  return {
    host: bytes.readUInt32LE(at + HOST_AT),
    signingKey: key === null ? null : `${DID_KEY}z${encodeBase58(key)}`,
  };
}

export const secondsOf = (bytes: Buffer, at: number): number => bytes.readUInt32LE(at + TIME_AT);

/** The kind of the key; 0 when it has another form. */
function writeKey(signingKey: string, bytes: Buffer, at: number): number {
  if (!signingKey.startsWith(`${DID_KEY}z`) || signingKey.length > 80) return 0;
  const key = decodeBase58(signingKey.slice(DID_KEY.length + 1));
  if (key?.length !== 2 + POINT_BYTES) return 0;
  const kind = KINDS.get((key[0]! << 8) | key[1]!) ?? 0;
  if (kind !== 0) bytes.set(key.subarray(2), at);
  return kind;
}
