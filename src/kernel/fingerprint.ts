/** A 64-bit fingerprint of a text, as two 32-bit numbers; kept in one object so that a million calls make no garbage. */

export class Fingerprint {
  high = 0;
  low = 0;
  readonly #seed: number;

  /** Seeded anew each time, so that no site can prepare URLs whose fingerprints collide. Fingerprints are never stored. */
  constructor(seed = Math.floor(Math.random() * 2 ** 32)) {
    this.#seed = seed;
  }

  /** Two lanes over the same characters, mixed at the end so that all 64 bits depend on all of the text. */
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
    a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
    b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
    this.high = (b ^ (b >>> 16)) >>> 0;
    this.low = (a ^ (a >>> 16)) >>> 0;
  }
}
