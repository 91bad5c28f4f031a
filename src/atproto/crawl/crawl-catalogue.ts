/** The catalogue as a crawl keeps it: brought up to date before it begins, written before the state, and complete at its end. */
import { basename } from "node:path";
import { catalogueFolder } from "../catalogue/catalogue.ts";
import { type CatalogueEntry, statusOf } from "../catalogue/catalogue-record.ts";
import { CatalogueWriter } from "../catalogue/catalogue-writer.ts";
import { indexSegments } from "../catalogue/index-segments.ts";
import type { Damage } from "../rca/format/bytes.ts";
import type { FinishedSegment } from "../rca/write/segment-file.ts";
import type { WrittenRepo } from "../rca/write/segment-writer.ts";
import type { SettledDid } from "../state/crawl-state.ts";

export interface CrawlCatalogueOptions {
  /** That of the segments. */
  folder: string;
  /** Unix milliseconds. */
  now: () => number;
  onDamage: (damage: Damage) => void;
  onNotice: (text: string) => void;
  signal: AbortSignal;
}

export class CrawlCatalogue {
  readonly #now: () => number;
  readonly #writer: CatalogueWriter;
  /** Blocks of each segment that are in the catalogue, until all are. */
  readonly #put = new Map<number, number>();
  readonly #finished = new Map<number, FinishedSegment>();

  private constructor(now: () => number, writer: CatalogueWriter) {
    this.#now = now;
    this.#writer = writer;
  }

  /** Whatever a crash left must have been recovered before. */
  static async open({ folder, now, onDamage, onNotice, signal }: CrawlCatalogueOptions): Promise<CrawlCatalogue> {
    const catalogue = catalogueFolder(folder);
    try {
      const { segments, blocks } = await indexSegments({ folder, catalogue, onDamage, signal });
      if (segments > 0) onNotice(`${blocks} repos of ${segments} segments were added to the catalogue.`);
    } catch (error) {
      // The crawl is being stopped, so the next one does it.
      if (!signal.aborted) throw error;
    }
    return new CrawlCatalogue(now, await CatalogueWriter.open({ folder: catalogue }));
  }

  /** Resolves when they are on the disk, after which the state may call them settled. */
  async settled(dids: readonly SettledDid[], written: ReadonlyMap<string, WrittenRepo>): Promise<void> {
    await this.#writer.put(dids.map((settled) => this.#entryOf(settled, written.get(settled.did))));
    for (const { segment } of written.values()) this.#put.set(segment, (this.#put.get(segment) ?? 0) + 1);
    await this.#cover();
  }

  segmentFinished(segment: FinishedSegment): void {
    this.#finished.set(Number(/\d+/.exec(basename(segment.path))?.[0]), segment);
  }

  async close(): Promise<void> {
    await this.#cover();
    await this.#writer.close();
  }

  #entryOf({ did, failure, retryAt }: SettledDid, written: WrittenRepo | undefined): CatalogueEntry {
    if (written === undefined) {
      const at = BigInt(Math.floor(this.#now() * 1000));
      return { did, place: null, rev: null, status: statusOf(failure), nextAttempt: retryAt, at };
    }
    const { segment, offset, size, crc, rev, crawledAt: at } = written;
    return { did, place: { segment, offset, size, crc }, rev, status: "stored", nextAttempt: 0, at };
  }

  /** A segment counts as covered once every block of it has been put. */
  async #cover(): Promise<void> {
    const covered = new Map<number, number>();
    for (const [number, { repoCount, size }] of this.#finished) {
      if (this.#put.get(number) === repoCount) covered.set(number, size);
    }
    await this.#writer.cover(covered);
    for (const number of covered.keys()) {
      this.#finished.delete(number);
      this.#put.delete(number);
    }
  }
}
