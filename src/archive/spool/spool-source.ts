/** The spool as a source of the crawl: what it names and the store lacks, in batches. */
import type { Note } from "../../kernel/ledger.ts";
import type { Found } from "../../kernel/task.ts";
import { type Canonicalize, prepareBase } from "../../web/url.ts";
import type { ArchiveMeta, PageTypes } from "../policy/policy.ts";
import {
  type Bookmark,
  bookmarkNote,
  type Discovery,
  damageOf,
  readSpool,
  type SpoolItem,
  type SpoolPlace,
} from "./spool-files.ts";
import type { Underway } from "./underway.ts";

/** `stored`: the store has it already. */
export type ItemResult = "offered" | "stored";

export interface SpoolSourceOptions {
  folder: string;
  /** Known when the ledger is open. */
  from: () => Bookmark;
  batchSize: number;
  canonicalize: Canonicalize;
  types: PageTypes;
  underway: Underway;
  /** Fetched pages are fetched again. */
  isRefetch: boolean;
  isStored: (url: string) => Promise<boolean>;
  note: (note: Note) => void;
  onItem: (result: ItemResult) => void;
  onDamaged: (place: SpoolPlace, why: string) => void;
}

export async function* spoolSource(options: SpoolSourceOptions): AsyncGenerator<Found<ArchiveMeta>[]> {
  const { underway, types } = options;
  await recall(options);
  let batch: Found<ArchiveMeta>[] = [];
  let read = 0;
  let reached: Bookmark | null = null;
  // The URLs offered have been admitted when this is called, so the position comes in the same commit or a later one.
  const mark = (bookmark: Bookmark): void => {
    const note = bookmarkNote(bookmark);
    underway.mark(note.value);
    options.note(note);
  };
  for await (const item of readSpool(options.folder, options.from())) {
    reached = item.next;
    read++;
    const discovery = await wanted(item, options);
    if (discovery !== null) {
      const { url, depth } = discovery;
      underway.offer(discovery, item.place);
      const found: Found<ArchiveMeta> = { key: url, depth, parent: 0, hops: 0, meta: types.metaOf(url) };
      batch.push(options.isRefetch ? { ...found, refetch: true } : found);
    }
    if (read % options.batchSize !== 0) continue;
    yield batch;
    batch = [];
    mark(item.next);
  }
  if (batch.length > 0) yield batch;
  if (reached !== null) mark(reached);
}

/** A discovery to fetch, with its URL in canonical form; null for a line that is damaged or whose page is stored. */
async function wanted({ discovery, place, bytes }: SpoolItem, options: SpoolSourceOptions): Promise<Discovery | null> {
  const url = discovery === null ? null : canonical(discovery.url, options.canonicalize);
  if (url === null) {
    options.onDamaged(place, discovery === null ? damageOf(bytes) : `${discovery.url} cannot be fetched`);
    return null;
  }
  const result = (await options.isStored(url)) ? "stored" : "offered";
  options.onItem(result);
  return result === "stored" ? null : { ...discovery!, url };
}

/** URLs before the bookmark that an earlier run left open: what the spool says about them is read again. */
async function recall({ folder, underway, canonicalize }: SpoolSourceOptions): Promise<void> {
  if (!underway.needsRecall) return;
  for await (const { discovery, place } of readSpool(folder, { file: null, offset: 0 })) {
    const url = discovery === null ? null : canonical(discovery.url, canonicalize);
    if (url !== null) underway.recall({ ...discovery!, url }, place);
  }
  underway.recalled();
}

function canonical(written: string, canonicalize: Canonicalize): string | null {
  const url = URL.canParse(written) ? canonicalize(written, prepareBase(written)) : null;
  return typeof url === "string" ? url : null;
}
