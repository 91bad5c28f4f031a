/** Bytes that are appended to; the room doubles when it is used up. */
const NOTHING = Buffer.alloc(0);
const LEAST = 4096;

export class GrowingBytes {
  #bytes = NOTHING;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Valid until more is appended. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    // Faster than Buffer's copy for so few bytes.
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  appendText(text: string): void {
    // No UTF-16 unit takes more than three bytes of UTF-8.
    this.#reserve(3 * text.length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Each byte becomes what the table says: one byte, or two with the first in the higher half. */
  appendMapped(bytes: Uint8Array, table: Uint16Array): void {
    this.#reserve(2 * bytes.length);
    const target = this.#bytes;
    let at = this.#length;
    for (let index = 0; index < bytes.length; index++) {
      const mapped = table[bytes[index]!]!;
      if (mapped > 0xff) target[at++] = mapped >> 8;
      target[at++] = mapped;
    }
    this.#length = at;
  }

  /** Forgets the bytes and keeps the room. */
  clear(): void {
    this.#length = 0;
  }

  /** Releases the memory too: what `bytes` returned stays valid. */
  take(): Buffer {
    const bytes = this.bytes;
    this.#bytes = NOTHING;
    this.#length = 0;
    return bytes;
  }

  #reserve(size: number): void {
    const needed = this.#length + size;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(LEAST, needed, 2 * this.#bytes.length));
    grown.set(this.bytes);
    this.#bytes = grown;
  }
}
