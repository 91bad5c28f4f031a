/** The two text forms of the AT Protocol: base32 for CIDs, base58 for keys. */

export const BASE32 = Buffer.from("abcdefghijklmnopqrstuvwxyz234567");
const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** CIDv1, DAG-CBOR, SHA-256, 32 bytes. */
export const CID_PREFIX = Uint8Array.of(0x01, 0x71, 0x12, 0x20);
const DIGEST_BYTES = 32;

/** The text of the CID whose digest stands at this offset. */
export function encodeCid(bytes: Uint8Array, digest: number): string {
  let text = "b";
  let buffer = 0;
  let bits = 0;
  for (const byte of [...CID_PREFIX, ...bytes.subarray(digest, digest + DIGEST_BYTES)]) {
    buffer = ((buffer << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += String.fromCharCode(BASE32[(buffer >> (bits - 5)) & 31]!);
  }
  return bits > 0 ? text + String.fromCharCode(BASE32[(buffer << (5 - bits)) & 31]!) : text;
}

const DIGITS = new Int8Array(128).fill(-1);
for (let digit = 0; digit < BASE58.length; digit++) DIGITS[BASE58.charCodeAt(digit)] = digit;
/** Four digits at a time into limbs of 24 bits: a product has at most 48, and a double holds 53. */
const GROUP = 4;
const LIMB = 2 ** 24;

/** Of `z…`, without the z; null when a character is not in the alphabet. For short texts: it takes quadratic time. */
export function decodeBase58(text: string): Uint8Array | null {
  const limbs: number[] = [];
  for (let at = 0, end = text.length % GROUP || GROUP; at < text.length; end += GROUP) {
    let carry = 0;
    let factor = 1;
    for (; at < end; at++) {
      const digit = DIGITS[text.charCodeAt(at)] ?? -1;
      if (digit < 0) return null;
      carry = carry * 58 + digit;
      factor *= 58;
    }
    for (let index = 0; index < limbs.length; index++) {
      const value = limbs[index]! * factor + carry;
      carry = Math.floor(value / LIMB);
      limbs[index] = value - carry * LIMB;
    }
    if (carry > 0) limbs.push(carry);
  }
  let zeros = 0;
  while (zeros < text.length && text[zeros] === "1") zeros++;
  const top = limbs.at(-1) ?? 0;
  const length = limbs.length === 0 ? 0 : limbs.length * 3 - (top < 0x100 ? 2 : top < 0x1_0000 ? 1 : 0);
  const bytes = new Uint8Array(zeros + length);
  for (let index = 0; index < length; index++) {
    bytes[bytes.length - 1 - index] = (limbs[Math.floor(index / 3)]! >>> (8 * (index % 3))) & 0xff;
  }
  return bytes;
}

/** The text after `z`. */
export function encodeBase58(bytes: Uint8Array): string {
  let text = "";
  let value = BigInt(`0x0${Buffer.from(bytes).toString("hex")}`);
  for (; value > 0n; value /= 58n) text = BASE58[Number(value % 58n)]! + text;
  for (let index = 0; index < bytes.length && bytes[index] === 0; index++) text = `1${text}`;
  return text;
}
