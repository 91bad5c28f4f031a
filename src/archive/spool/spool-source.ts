/** The spool as a source of the crawl: what it names and the store does not have, in batches. */
import type { Note } from "../../kernel/ledger.ts";
import type { Found } from "../../kernel/task.ts";
import { type Canonicalize, prepareBase } from "../../web/url.ts";
import type { ArchiveMeta, PageTypes } from "../policy/policy.ts";
import { type Bookmark, bookmarkNote, type Discovery, readSpool } from "./spool-files.ts";

/** `stored`: the store has it already. `damaged`: the line is not a discovery. */
export type ItemResult = "offered" | "stored" | "damaged";

export interface SpoolSourceOptions {
  folder: string;
  from: Bookmark;
  batchSize: number;
  canonicalize: Canonicalize;
  types: PageTypes;
  /** URLs before the bookmark that an earlier run left open: what the spool says about them is read once more. */
  leftOpen: ReadonlySet<string>;
  onRecalled: (discovery: Discovery) => void;
  isStored: (url: string) => Promise<boolean>;
  note: (note: Note) => void;
  onItem: (result: ItemResult, discovery: Discovery | null) => void;
}

export async function* spoolSource(options: SpoolSourceOptions): AsyncGenerator<Found<ArchiveMeta>[]> {
  await recall(options);
  let batch: Found<ArchiveMeta>[] = [];
  let read = 0;
  let reached: Bookmark | null = null;
  for await (const { discovery, next } of readSpool(options.folder, options.from)) {
    reached = next;
    read++;
    const url = discovery === null ? null : canonical(discovery.url, options.canonicalize);
    if (url === null) options.onItem("damaged", discovery);
    else if (await options.isStored(url)) options.onItem("stored", discovery);
    else {
      options.onItem("offered", { ...discovery!, url });
      batch.push({ key: url, depth: discovery!.depth, parent: 0, hops: 0, meta: options.types.metaOf(url) });
    }
    if (read % options.batchSize !== 0) continue;
    yield batch;
    batch = [];
    // The batch has been admitted by now, so this position comes in the same commit or a later one.
    options.note(bookmarkNote(next));
  }
  if (batch.length > 0) yield batch;
  if (reached !== null) options.note(bookmarkNote(reached));
}

async function recall({ folder, leftOpen, canonicalize, onRecalled }: SpoolSourceOptions): Promise<void> {
  if (leftOpen.size === 0) return;
  for await (const { discovery } of readSpool(folder, { file: null, offset: 0 })) {
    const url = discovery === null ? null : canonical(discovery.url, canonicalize);
    if (url !== null && leftOpen.has(url)) onRecalled({ ...discovery!, url });
  }
}

function canonical(written: string, canonicalize: Canonicalize): string | null {
  const url = URL.canParse(written) ? canonicalize(written, prepareBase(written)) : null;
  return typeof url === "string" ? url : null;
}
