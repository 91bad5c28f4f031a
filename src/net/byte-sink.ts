/** Collects a body into one buffer. Bytes are copied: a body sent byte by byte must not become millions of small buffers. */

const SMALLEST = 16 * 1024;
/** A Content-Length is only a claim: no more than this is set aside for it in advance. */
const LARGEST_CLAIM = 1024 * 1024;

const EMPTY = Buffer.alloc(0);

export class ByteSink {
  #buffer: Buffer = EMPTY;
  #length = 0;
  /** The first chunk is held as it is: most bodies have no second. */
  #first: Buffer | null = null;
  readonly #claim: number;

  /** `claim` is the expected length, 0 when not known. */
  constructor(claim: number) {
    this.#claim = Math.min(claim, LARGEST_CLAIM);
  }

  write(chunk: Buffer): void {
    if (this.#length === 0) {
      this.#first = chunk;
      this.#length = chunk.length;
      return;
    }
    const length = this.#length + chunk.length;
    if (length > this.#buffer.length) this.#grow(length);
    if (this.#first !== null) {
      this.#buffer.set(this.#first, 0);
      this.#first = null;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
  }

  bytes(): Buffer {
    return this.#first ?? this.#buffer.subarray(0, this.#length);
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#claim, SMALLEST, 2 * this.#buffer.length));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }
}
