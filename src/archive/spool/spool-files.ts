/**
 * A spool: files `discoveries-<unix time>.jsonl`, each line a page that was found, and a bookmark that says how far
 * they were read.
 */

import { open, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Batch, Ledger } from "../../kernel/ledger.ts";
import { isMissing, replaceFile } from "../../storage/durable.ts";
import type { FileSystem } from "../../storage/file-system.ts";
import { readLines } from "../../storage/read-lines.ts";

const NAME = /^discoveries-(\d{1,15})\.jsonl$/;

export const spoolFileName = (timestamp: number): string => `discoveries-${timestamp}.jsonl`;

/** The time in a file's name; null when it is not a spool file. */
export function spoolTimestamp(name: string): number | null {
  const match = NAME.exec(name);
  return match === null ? null : Number(match[1]);
}

/** Oldest first. */
export async function spoolFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(emptyIfMissing);
  return names
    .filter((name) => NAME.test(name))
    .sort((a, b) => spoolTimestamp(a)! - spoolTimestamp(b)! || (a < b ? -1 : 1));
}

export async function spoolBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await spoolFiles(folder)) {
    // Someone may be cleaning up.
    bytes += await stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return bytes;
}

function emptyIfMissing(error: unknown): string[] {
  if (isMissing(error)) return [];
  throw error;
}

const Discovery = z.object({
  url: z.string(),
  page_type: z.string(),
  depth: z.int().min(0),
  referrer: z.string().nullable(),
  /** Unix time in seconds. Missing in older spools. */
  discovered_at: z.number().optional(),
  metadata: z.record(z.string(), z.json()).optional(),
});

export type Discovery = z.infer<typeof Discovery>;

export const formatDiscovery = (discovery: Discovery): string => `${JSON.stringify(discovery)}\n`;

/** Null for a line that is not a discovery. */
export function parseDiscovery(line: Buffer): Discovery | null {
  try {
    return Discovery.parse(JSON.parse(line.toString("utf8")));
  } catch {
    return null;
  }
}

/** Why a line is not a discovery. */
export function damageOf(line: Buffer): string {
  let value: unknown;
  try {
    value = JSON.parse(line.toString("utf8"));
  } catch {
    return "it is not JSON";
  }
  const issue = Discovery.safeParse(value).error?.issues[0];
  return issue === undefined ? "it is not a discovery" : `${issue.path.join(".") || "line"}: ${issue.message}`;
}

/** Where a line begins. */
export interface SpoolPlace {
  file: string;
  offset: number;
}

export interface SpoolItem {
  /** Null for a damaged line, which is skipped. */
  discovery: Discovery | null;
  place: SpoolPlace;
  /** The line without its newline. */
  bytes: Buffer;
  /** Where reading continues after this line. */
  next: Bookmark;
}

/**
 * Reads from a bookmark to the current end of the spool. A line that is still being written is left for the next time.
 */
export async function* readSpool(folder: string, from: Bookmark): AsyncGenerator<SpoolItem> {
  const files = await spoolFiles(folder);
  // A bookmark whose file is gone: either the file was read to its end and then removed, or the bookmark belongs to
  // another spool.
  const first = from.file === null ? 0 : Math.max(0, files.indexOf(from.file));
  for (const file of files.slice(first)) {
    const start = file === from.file && (await isLineStart(join(folder, file), from.offset)) ? from.offset : 0;
    for await (const { bytes, offset, length, flaw } of readLines(join(folder, file), { from: start })) {
      if (flaw === "torn") break;
      const next = { file, offset: offset + length + 1 };
      yield { discovery: parseDiscovery(bytes), place: { file, offset }, bytes, next };
    }
  }
}

/**
 * A file that was replaced, or a bookmark that was changed, must not make the reader start in the middle of a line or
 * run past the end.
 */
async function isLineStart(path: string, offset: number): Promise<boolean> {
  if (offset === 0) return true;
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, offset - 1);
    return bytesRead === 1 && buffer[0] === NEWLINE;
  } finally {
    await file.close();
  }
}

const NEWLINE = 10;

/**
 * How far a spool has been read: `{"file", "offset"}`, always replaced as a whole. If damaged, reading starts at the
 * first file.
 */
const Bookmark = z.object({ file: z.string().nullable(), offset: z.int().min(0) });

export type Bookmark = z.infer<typeof Bookmark>;

export const SPOOL_START: Bookmark = { file: null, offset: 0 };

export async function readBookmark(path: string, onNotice: (text: string) => void): Promise<Bookmark> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return SPOOL_START;
    throw error;
  }
  try {
    return Bookmark.parse(JSON.parse(text));
  } catch {
    onNotice(`${path} is damaged: reading the spool from its first file. Stored pages are not fetched again.`);
    return SPOOL_START;
  }
}

export const writeBookmark = (path: string, { file, offset }: Bookmark, fs?: FileSystem): Promise<void> =>
  replaceFile(path, (handle) => handle.writeFile(JSON.stringify({ file, offset })), { fs });

/** The bookmark that is further behind: nothing between the two is lost, and stored pages are not fetched again. */
export function earlierOf(one: Bookmark, other: Bookmark): Bookmark {
  const at = ({ file }: Bookmark): number => (file === null ? -1 : (spoolTimestamp(file) ?? -1));
  if (one.file === other.file) return one.offset <= other.offset ? one : other;
  return at(one) <= at(other) ? one : other;
}

export const BOOKMARK_NOTE = "bookmark";

export const bookmarkNote = (bookmark: Bookmark) => ({ key: BOOKMARK_NOTE, value: JSON.stringify(bookmark) });

/**
 * A ledger that saves the bookmark after each commit that records how far the spool was read. The position comes as a
 * note in the same commit as the URLs before it, so the bookmark never passes a URL that a crash would lose.
 *
 * `onOpen` is called with each URL that an earlier run left open, `onCommitted` when a batch and its bookmark are on
 * the disk.
 */
export function bookmarkedLedger<Rec, Meta>(
  ledger: Ledger<Rec, Meta>,
  path: string,
  onOpen: (url: string, id: number) => void,
  fs?: FileSystem,
  onCommitted: (batch: Pick<Batch<Rec, Meta>, "admitted" | "settled">, bookmark: string | null) => void = () => {},
): Ledger<Rec, Meta> {
  /**
   * The next commit may begin before this one's bookmark is saved. Bookmarks are saved one at a time, because two would
   * share a temporary file.
   */
  let saved: Promise<void> = Promise.resolve();
  return {
    open: (onKnown) =>
      ledger.open((known) => {
        if (known.state === "open") onOpen(known.key, known.id);
        onKnown(known);
      }),
    take: (lane, after, max) => ledger.take(lane, after, max),
    close: () => ledger.close(),
    stateOf: (id) => ledger.stateOf?.(id) ?? null,
    async commit(batch) {
      const note = batch.notes.findLast(({ key }) => key === BOOKMARK_NOTE);
      // The caller may change the batch in the meantime.
      const given = { admitted: [...batch.admitted], settled: [...batch.settled] };
      await ledger.commit(batch);
      if (note !== undefined) {
        saved = saved.then(() => writeBookmark(path, JSON.parse(note.value) as Bookmark, fs));
        await saved;
      }
      onCommitted(given, note?.value ?? null);
    },
  };
}
