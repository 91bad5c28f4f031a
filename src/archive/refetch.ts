/**
 * Requests fetched URLs again: everything that a choice names, from the metadata, whatever the seeds are now. The
 * ledger remembers the choice until every URL is queued, so if the run is killed meanwhile, the next run continues it.
 */

import type { Note } from "../kernel/ledger.ts";
import type { CrawlContext } from "../kernel/product.ts";
import { SeenTable } from "../kernel/seen.ts";
import type { Found } from "../kernel/task.ts";
import type { ArchiveProduct } from "./archive-product.ts";
import { type Choice, chooser } from "./choice.ts";
import type { ArchiveMeta } from "./policy/policy.ts";
import { type MetadataRecord, readMetadata } from "./store/metadata-record.ts";

/** The note that holds the choices that are not yet queued. */
const REFETCH_NOTE = "refetch";

const BATCH = 200;

export interface RefetchOptions {
  /** Of this run. */
  choices: readonly Choice[];
  metadataPath: string;
  /** Wall time in ms. */
  now: number;
  product: Pick<ArchiveProduct, "policy" | "refetching">;
  onQueued: (count: number) => void;
}

export class Refetch {
  /** Choices of an earlier run that was interrupted. */
  #left: Choice[] = [];

  recoverNote({ key, value }: Note): void {
    if (key === REFETCH_NOTE && value !== "") this.#left = JSON.parse(value) as Choice[];
  }

  async *source(options: RefetchOptions, context: CrawlContext): AsyncGenerator<Found<ArchiveMeta>[]> {
    const { product, metadataPath, onQueued } = options;
    // What this run itself fetches is not chosen, neither now nor by the next run if this one is interrupted.
    const now = Math.floor(options.now / 1_000) + 1;
    const choices = [...this.#left, ...options.choices.map((choice) => ({ ...choice, before: choice.before ?? now }))];
    if (choices.length === 0) return;
    context.note({ key: REFETCH_NOTE, value: JSON.stringify(choices) });
    const before = product.refetching;
    const isChosen = choices.map(chooser);
    let batch: Found<ArchiveMeta>[] = [];
    for await (const record of lastLines(metadataPath)) {
      if (!isChosen.some((choose) => choose(record))) continue;
      const { url, depth, referrer } = record;
      const meta = { ...product.policy.types.metaOf(url), ...(referrer !== null && { referrer }) };
      batch.push({ key: url, depth, parent: 0, hops: 0, meta, refetch: true });
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
    yield batch;
    // The URLs offered have been admitted by now, so this comes in the same commit or a later one.
    this.#left = [];
    context.note({ key: REFETCH_NOTE, value: "" });
    onQueued(product.refetching - before);
  }
}

/** The last line of each URL, among the lines that are there now. */
async function* lastLines(metadataPath: string): AsyncGenerator<MetadataRecord> {
  const last = new SeenTable();
  let end = 0;
  for await (const { record, line } of readMetadata(metadataPath, () => {})) {
    last.set(record.url, line.number);
    end = line.number;
  }
  for await (const { record, line } of readMetadata(metadataPath, () => {})) {
    if (line.number > end) return;
    if (last.get(record.url) === line.number) yield record;
  }
}
