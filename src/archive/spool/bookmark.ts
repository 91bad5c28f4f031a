/**
 * How far a spool has been read: `{"file", "offset"}`, always replaced as a whole. If damaged, reading starts at the
 * first file.
 */
import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { Ledger } from "../../kernel/ledger.ts";
import { isMissing, replaceFile } from "../../storage/durable.ts";
import type { FileSystem } from "../../storage/file-system.ts";

const Bookmark = z.object({ file: z.string().nullable(), offset: z.int().min(0) });

export type Bookmark = z.infer<typeof Bookmark>;

const START: Bookmark = { file: null, offset: 0 };

export async function readBookmark(path: string, onNotice: (text: string) => void): Promise<Bookmark> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return START;
    throw error;
  }
  try {
    return Bookmark.parse(JSON.parse(text));
  } catch {
    onNotice(`${path} is damaged: reading the spool from its first file. Stored pages are not fetched again.`);
    return START;
  }
}

export const writeBookmark = (path: string, { file, offset }: Bookmark, fs?: FileSystem): Promise<void> =>
  replaceFile(path, (handle) => handle.writeFile(JSON.stringify({ file, offset })), { fs });

export const BOOKMARK_NOTE = "bookmark";

export const bookmarkNote = (bookmark: Bookmark) => ({ key: BOOKMARK_NOTE, value: JSON.stringify(bookmark) });

/**
 * A ledger that saves the bookmark after each commit that says how far the spool was read. The position comes as a note
 * in the same commit as the URLs before it, so the bookmark never passes a URL that a crash would lose.
 *
 * `onOpen` is called with each URL that an earlier run left open.
 */
export function bookmarkedLedger<Rec, Meta>(
  ledger: Ledger<Rec, Meta>,
  path: string,
  onOpen: (url: string) => void,
  fs?: FileSystem,
): Ledger<Rec, Meta> {
  /**
   * The next commit may begin before this one's bookmark is saved. They are saved one at a time, or two would share a
   * temporary file.
   */
  let saved: Promise<void> = Promise.resolve();
  return {
    open: (onKnown) =>
      ledger.open((known) => {
        if (known.state === "open") onOpen(known.key);
        onKnown(known);
      }),
    take: (lane, after, max) => ledger.take(lane, after, max),
    close: () => ledger.close(),
    async commit(batch) {
      const note = batch.notes.findLast(({ key }) => key === BOOKMARK_NOTE);
      await ledger.commit(batch);
      if (note === undefined) return;
      saved = saved.then(() => writeBookmark(path, JSON.parse(note.value) as Bookmark, fs));
      await saved;
    },
  };
}
