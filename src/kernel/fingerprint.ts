/** A 64-bit fingerprint of a text, as two 32-bit numbers; kept in one object so that a million calls create no garbage. */

export class Fingerprint {
  high = 0;
  low = 0;
  readonly #seed: number;

  /** Seeded with new random numbers each time, so that no site can prepare URLs whose fingerprints collide. Such fingerprints are never stored. */
  constructor(seed = Math.floor(Math.random() * 2 ** 32)) {
    this.#seed = seed;
  }

  take(text: string): void {
    let a = 0xdeadbeef ^ this.#seed;
    let b = 0x41c6ce57 ^ this.#seed;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      a = Math.imul(a ^ code, 0x9e3779b1);
      b = Math.imul(b ^ code, 0x5f356495);
      a ^= a >>> 15;
      b ^= b >>> 13;
    }
    this.#mix(a, b);
  }

  /** The same for a range of bytes. It differs from the fingerprint of the same text, because it uses different salts. */
  takeBytes(bytes: Uint8Array, start: number, end: number, saltHigh = 0, saltLow = 0): void {
    let a = 0xdeadbeef ^ this.#seed ^ saltLow;
    // Includes the length: otherwise trailing zero bytes would not change the fingerprint.
    let b = (0x41c6ce57 ^ this.#seed ^ saltHigh) + (end - start);
    let at = start;
    for (const words = end - 3; at < words; at += 4) {
      const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
      a = Math.imul(a ^ word, 0x9e3779b1);
      b = Math.imul(b ^ word, 0x5f356495);
      a ^= a >>> 15;
      b ^= b >>> 13;
    }
    for (; at < end; at++) {
      a = Math.imul(a ^ bytes[at]!, 0x9e3779b1);
      b = Math.imul(b ^ bytes[at]!, 0x5f356495);
      a ^= a >>> 15;
      b ^= b >>> 13;
    }
    this.#mix(a, b);
  }

  /** Two lanes over the same characters, mixed at the end so that all 64 bits depend on all of the text. */
  #mix(first: number, second: number): void {
    let a = first;
    let b = second;
    a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
    b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
    this.high = (b ^ (b >>> 16)) >>> 0;
    this.low = (a ^ (a >>> 16)) >>> 0;
  }
}
