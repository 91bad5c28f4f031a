/**
 * Bytes that are written again and again, and rows assembled from them, in one buffer: copying within a buffer costs a
 * fraction of joining and encoding strings.
 */

/** Room for assembled rows: a few thousand rows of links. It grows if they are longer. */
const OUT_BYTES = 2 << 20;
const KEPT_BYTES = 16 << 20;

export class PieceMemory {
  /** Called when nothing is kept any more. */
  readonly onClear: (() => void)[] = [];
  /** Where the last text that was kept begins. */
  start = 0;
  #kept: number;
  #outBytes: number;
  #out = 0;
  /** Assembled rows come first, then the kept texts. */
  #bytes: Buffer;
  #next: number;

  constructor(outBytes = OUT_BYTES, keptBytes = KEPT_BYTES) {
    this.#outBytes = outBytes;
    this.#kept = keptBytes;
    this.#bytes = Buffer.allocUnsafeSlow(outBytes + keptBytes);
    this.#next = outBytes;
  }

  /** Keeps a text, which may clear all others, and returns where it ends. */
  keep(text: string): number {
    // No character takes more.
    const most = text.length * 3;
    if (this.#next + most > this.#bytes.length) this.#clear(most);
    this.start = this.#next;
    this.#next += this.#bytes.write(text, this.#next);
    return this.#next;
  }

  /** Appends what is kept from `start` to `end`. */
  write(start: number, end: number): void {
    const length = end - start;
    const out = this.#out + length;
    if (out > this.#outBytes) this.#growOut(start, end);
    else {
      this.#bytes.copyWithin(this.#out, start, end);
      this.#out = out;
    }
  }

  /** What was assembled since the last call. */
  take(): Buffer {
    const taken = Buffer.concat([...this.#full, this.#bytes.subarray(0, this.#out)]);
    this.#full = [];
    this.#out = 0;
    return taken;
  }

  #full: Buffer[] = [];

  /** There is more than fits, so what is there is set aside. */
  #growOut(start: number, end: number): void {
    this.#full.push(Buffer.from(this.#bytes.subarray(0, this.#out)), Buffer.from(this.#bytes.subarray(start, end)));
    this.#out = 0;
  }

  #clear(needed: number): void {
    for (const clear of this.onClear) clear();
    if (needed > this.#kept) {
      this.#kept = needed;
      const larger = Buffer.allocUnsafeSlow(this.#outBytes + needed);
      this.#bytes.copy(larger, 0, 0, this.#out);
      this.#bytes = larger;
    }
    this.#next = this.#outBytes;
  }
}
