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

/** Of `z…`, without the z; null when a character is not in the alphabet. For short texts: it takes quadratic time. */
export function decodeBase58(text: string): Uint8Array | null {
  const bytes: number[] = [];
  for (const character of text) {
    let carry = BASE58.indexOf(character);
    if (carry < 0) return null;
    for (let index = 0; index < bytes.length; index++) {
      carry += bytes[index]! * 58;
      bytes[index] = carry & 0xff;
      carry >>= 8;
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 0xff);
  }
  for (let index = 0; index < text.length && text[index] === "1"; index++) bytes.push(0);
  return Uint8Array.from(bytes.reverse());
}
