/**
 * A ledger that saves the spool's bookmark behind each commit that says how far the spool was read. The place comes as
 * a note in the same commit as the URLs before it, so the bookmark never passes a URL that a crash would lose.
 */
import type { Ledger } from "../../kernel/ledger.ts";
import type { FileSystem } from "../../storage/file-system.ts";
import { type Bookmark, writeBookmark } from "./bookmark.ts";

export const BOOKMARK_NOTE = "bookmark";

export const bookmarkNote = (bookmark: Bookmark) => ({ key: BOOKMARK_NOTE, value: JSON.stringify(bookmark) });

/** `onOpen` is told of every URL that an earlier run left open. */
export function bookmarkedLedger<Rec>(
  ledger: Ledger<Rec>,
  path: string,
  onOpen: (url: string) => void,
  fs?: FileSystem,
): Ledger<Rec> {
  /** The next commit may begin before this one's bookmark is saved: one after the other, or two would share a temporary file. */
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
