/**
 * The discoveries that a scrape is working on: what the spool says about each, and which file it is in. A file is done
 * when none of its discoveries is still open in the ledger on the disk.
 */
import type { Batch } from "../../kernel/ledger.ts";
import type { MetadataRecord } from "../store/metadata-record.ts";
import type { Discovery, SpoolPlace } from "./spool-files.ts";

export interface Origin extends SpoolPlace {
  referrer: string | null;
  metadata: MetadataRecord["metadata"];
}

interface Offered extends Origin {
  number: number;
}

export class Underway {
  /** Offered to the crawl; the ledger has not committed them yet. In the order of the spool. */
  readonly #offered = new Map<string, Offered>();
  readonly #open = new Map<string, Origin>();
  readonly #urls = new Map<number, string>();
  /** URLs that an earlier run left open, with their ids: the spool has yet to say where they are. */
  readonly #leftOpen = new Map<string, number>();
  readonly #openIn = new Map<string, number>();
  /** How many discoveries had been offered when the spool had been read to a bookmark. */
  readonly #marks = new Map<string, number>();
  #count = 0;

  /** What an earlier run left open. */
  leftOpen(url: string, id: number): void {
    this.#leftOpen.set(url, id);
  }

  get needsRecall(): boolean {
    return this.#leftOpen.size > 0;
  }

  /** The spool is read again for what was left open. */
  recall({ url, referrer, metadata = {} }: Discovery, place: SpoolPlace): void {
    const id = this.#leftOpen.get(url);
    if (id === undefined) return;
    this.#leftOpen.delete(url);
    this.#enter(id, url, { ...place, referrer, metadata });
  }

  /** The spool has been read, and does not mention what is still missing. */
  recalled(): void {
    this.#leftOpen.clear();
  }

  offer({ url, referrer, metadata = {} }: Discovery, place: SpoolPlace): void {
    // The first one counts: another may be known to the ledger already.
    if (this.#open.has(url) || this.#offered.has(url)) return;
    this.#offered.set(url, { ...place, referrer, metadata, number: ++this.#count });
  }

  /** Everything up to this bookmark has been offered. */
  mark(bookmark: string): void {
    this.#marks.set(bookmark, this.#count);
  }

  originOf(url: string): Origin | null {
    return this.#open.get(url) ?? this.#offered.get(url) ?? null;
  }

  /** `bookmark`: the last bookmark in the batch; null if it has none. */
  committed({ admitted, settled }: Pick<Batch<unknown>, "admitted" | "settled">, bookmark: string | null): void {
    for (const { id, key, verdict } of admitted) {
      const origin = this.#offered.get(key);
      this.#offered.delete(key);
      if (origin !== undefined && verdict.action === "crawl") this.#enter(id, key, origin);
    }
    for (const { id } of settled) this.#leave(id);
    if (bookmark === null) return;
    // Discoveries that were offered earlier and not admitted were already known.
    const mark = this.#marks.get(bookmark) ?? 0;
    this.#marks.delete(bookmark);
    for (const [url, { number }] of this.#offered) {
      if (number > mark) break;
      this.#offered.delete(url);
    }
  }

  isOver(file: string): boolean {
    return !this.needsRecall && (this.#openIn.get(file) ?? 0) === 0;
  }

  #enter(id: number, url: string, origin: Origin): void {
    this.#open.set(url, origin);
    this.#urls.set(id, url);
    this.#openIn.set(origin.file, (this.#openIn.get(origin.file) ?? 0) + 1);
  }

  #leave(id: number): void {
    const url = this.#urls.get(id);
    const origin = url === undefined ? undefined : this.#open.get(url);
    if (url === undefined || origin === undefined) return;
    this.#urls.delete(id);
    this.#open.delete(url);
    const left = this.#openIn.get(origin.file)! - 1;
    if (left === 0) this.#openIn.delete(origin.file);
    else this.#openIn.set(origin.file, left);
  }
}
