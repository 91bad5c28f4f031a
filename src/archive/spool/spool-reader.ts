/** Reads a spool from a bookmark to where it ends now. A line that is still being written is left for the next time. */
import { join } from "node:path";
import { readLines } from "../../storage/read-lines.ts";
import type { Bookmark } from "./bookmark.ts";
import { type Discovery, parseDiscovery } from "./discovery.ts";
import { spoolFiles } from "./spool-files.ts";

export interface SpoolItem {
  /** Null for a line that is damaged: it is passed over. */
  discovery: Discovery | null;
  /** Where reading goes on behind this line. */
  next: Bookmark;
}

export async function* readSpool(folder: string, from: Bookmark): AsyncGenerator<SpoolItem> {
  const files = await spoolFiles(folder);
  // A bookmark whose file is gone was read to its end before somebody took it away, or is of another spool.
  const first = from.file === null ? 0 : Math.max(0, files.indexOf(from.file));
  for (const file of files.slice(first)) {
    const start = file === from.file ? from.offset : 0;
    for await (const { bytes, offset, length, flaw } of readLines(join(folder, file), { from: start })) {
      if (flaw === "torn") break;
      yield { discovery: parseDiscovery(bytes), next: { file, offset: offset + length + 1 } };
    }
  }
}
