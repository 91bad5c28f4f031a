/**
 * The URLs of tasks by their ids, for `foundOn`: recent ones in memory, because they may not be stored yet, and older
 * ones on disk.
 */
import { SiteReader } from "../../site/store/reader.ts";

/** More than any batch that waits to be stored; memory does not grow with the crawl. */
const REMEMBERED = 10_000;

export class FoundOn {
  readonly #path: string;
  readonly #recent = new Map<number, string>();
  #reader: SiteReader | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** A page whose links are about to be found. */
  remember(id: number, url: string): void {
    this.#recent.set(id, url);
    if (this.#recent.size > REMEMBERED) this.#recent.delete(this.#recent.keys().next().value!);
  }

  /** Null for 0, which is never a page's id: a source named the URL. */
  urlOf(id: number): string | null {
    if (id === 0) return null;
    return this.#recent.get(id) ?? this.#stored(id);
  }

  close(): void {
    this.#reader?.close();
    this.#reader = null;
  }

  #stored(id: number): string | null {
    this.#reader ??= new SiteReader(this.#path);
    const row = this.#reader.db.prepare("SELECT url FROM urls WHERE id = ?").get(id);
    return row === undefined ? null : String(row["url"]);
  }
}
