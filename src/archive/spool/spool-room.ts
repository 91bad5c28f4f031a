/**
 * Makes room in a spool that has reached its budget: removes, oldest first, the files whose discoveries have all been
 * dealt with. The last file always stays, because discoveries may still be added to it.
 */
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { readLines } from "../../storage/read-lines.ts";
import { type Bookmark, spoolFiles, spoolTimestamp } from "./spool-files.ts";
import { type SpoolFolders, spoolSumsPath } from "./spool-sums.ts";

export interface RoomOptions {
  folders: SpoolFolders;
  /** How far the spool was read, in the ledger as it is on the disk. */
  bookmark: Bookmark;
  /** Whether none of the discoveries in a file is open. */
  isOver: (file: string) => boolean;
  budgetBytes: number;
}

/** The crawl resumes when no more than this share of the budget is used, so that it does not pause again at once. */
const ROOMY = 0.5;

/** Returns the names of the files that were removed. */
export async function makeRoom({ folders, bookmark, isOver, budgetBytes }: RoomOptions): Promise<string[]> {
  const { spool: folder, spoolSums } = folders;
  const files = await spoolFiles(folder);
  const sizes = new Map<string, number>();
  for (const file of files) {
    const size = await stat(join(folder, file)).then(
      (found) => found.size,
      () => 0,
    );
    sizes.set(file, size);
  }
  let total = sizes.values().reduce((sum, size) => sum + size, 0);
  const removed: string[] = [];
  if (total < budgetBytes) return removed;
  for (const file of files.slice(0, -1)) {
    if (total <= budgetBytes * ROOMY || !isOver(file) || !(await isRead(folder, file, bookmark))) break;
    await rm(join(folder, file), { force: true });
    await rm(spoolSumsPath(spoolSums, file), { force: true });
    total -= sizes.get(file)!;
    removed.push(file);
  }
  return removed;
}

/** A line that a crash cut short will never be completed, because another file follows. */
async function isRead(folder: string, file: string, bookmark: Bookmark): Promise<boolean> {
  if (bookmark.file === null) return false;
  if (file !== bookmark.file) return spoolTimestamp(file)! < (spoolTimestamp(bookmark.file) ?? 0);
  for await (const { flaw } of readLines(join(folder, file), { from: bookmark.offset })) return flaw === "torn";
  return true;
}
