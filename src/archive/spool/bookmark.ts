/** How far a spool was read: `{"file", "offset"}`, replaced whole. A damaged one means from the first file. */
import { readFile } from "node:fs/promises";
import { z } from "zod";
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
    onNotice(`${path} is damaged: the spool is read from its first file. What is stored already is not fetched again.`);
    return START;
  }
}

export const writeBookmark = (path: string, { file, offset }: Bookmark, fs?: FileSystem): Promise<void> =>
  replaceFile(path, (handle) => handle.writeFile(JSON.stringify({ file, offset })), { fs });
