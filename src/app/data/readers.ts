/** Keeps recently used databases of crawls open: a screen queries the same crawl many times. */
import type { SiteReader } from "../../site/store/reader.ts";

/** An open database uses a few file handles and some cache; users look at fewer crawls at once. */
const KEPT = 8;

export class Readers {
  /** Called before a reader is closed. */
  onDrop: ((id: number) => void) | null = null;
  readonly #open: (id: number) => SiteReader;
  readonly #readers = new Map<number, SiteReader>();

  constructor(open: (id: number) => SiteReader) {
    this.#open = open;
  }

  /** Use it at once: a later call may close it. */
  get(id: number): SiteReader {
    const reader = this.#readers.get(id) ?? this.#open(id);
    this.#readers.delete(id);
    this.#readers.set(id, reader);
    if (this.#readers.size > KEPT) this.drop(this.#readers.keys().next().value!);
    return reader;
  }

  drop(id: number): void {
    const reader = this.#readers.get(id);
    if (reader === undefined) return;
    this.onDrop?.(id);
    this.#readers.delete(id);
    reader.close();
  }

  close(): void {
    for (const id of [...this.#readers.keys()]) this.drop(id);
  }
}
