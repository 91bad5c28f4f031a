/**
 * The part of the file system that decides what a crash leaves behind: writes, names and syncs. Everything that must
 * survive a power cut goes through it, so that a test can pass in a recorder (`testing/recorder.ts`). Reads go to Node
 * directly.
 */

import { statfsSync } from "node:fs";
import { type FileHandle, link, open, rename, rm, statfs } from "node:fs/promises";
import { ensureFolder } from "./ensure-folder.ts";

/** An open file. Node's `FileHandle` satisfies this as it is. */
export type OpenFile = Pick<
  FileHandle,
  "read" | "write" | "writeFile" | "truncate" | "chmod" | "stat" | "sync" | "datasync" | "close"
>;

export interface FileSystem {
  open(path: string, flags: string | number, mode?: number): Promise<OpenFile>;
  rename(from: string, to: string): Promise<void>;
  /** Gives a file a second name. Fails when the name is taken. */
  link(from: string, to: string): Promise<void>;
  rm(path: string, options?: { force?: boolean }): Promise<void>;
  /** Makes a folder and its parents. Returns the topmost folder it made. */
  ensureFolder(path: string, mode?: number): string | undefined;
  /** Until this resolves, a power cut may undo what was created, renamed or removed in the folder. */
  syncFolder(path: string): Promise<void>;
}

export const realFileSystem: FileSystem = { open, rename, link, rm, ensureFolder, syncFolder };

async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder as a file, and keeps names in its own journal.
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The size of the disk that holds `folder`. */
export function diskBytes(folder: string): number {
  const { blocks, bsize } = statfsSync(folder);
  return blocks * bsize;
}

/** How many bytes this user can still write to the disk that holds `folder`. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

const SQLITE_FULL = 13;

/** Looks through the causes too: the system's error, or SQLite's, is usually wrapped in one for people. */
export function isDiskFull(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code, errcode } = at as NodeJS.ErrnoException & { errcode?: number };
    if (code === "ENOSPC" || code === "EDQUOT" || errcode === SQLITE_FULL) return true;
  }
  return false;
}
