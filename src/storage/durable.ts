/** What makes a file survive a power cut: its bytes are synced, and so is the folder that holds its name. */
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { TrawlError } from "../errors.ts";
import { ensureFolder } from "./ensure-folder.ts";

/** A name made by `rename` or `mkdir` may be gone after a power cut until its folder is synced. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder as a file, and keeps names in its own journal.
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder and those above it; the names of all that were made are durable. */
export async function makeFolder(path: string): Promise<void> {
  const first = ensureFolder(path);
  if (first === undefined) return;
  const top = dirname(first);
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    await syncFolder(folder);
    if (folder === top || folder === dirname(folder)) return;
  }
}

/**
 * Gives `path` new contents, whole or not at all: a temporary file beside it is written, synced and renamed. The
 * process id keeps two processes that write the same name out of each other's temporary file.
 */
export async function replaceFile<T>(
  path: string,
  write: (handle: FileHandle) => Promise<T>,
  permissions = 0o644,
): Promise<T> {
  const temporary = `${path}.${process.pid}${TEMPORARY_SUFFIX}`;
  try {
    await makeFolder(dirname(path));
    const handle = await open(temporary, "w", permissions);
    let result: T;
    try {
      result = await write(handle);
      // The mode given to open is subject to the umask.
      await handle.chmod(permissions);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
    await syncFolder(dirname(path));
    return result;
  } catch (error) {
    await rm(temporary, { force: true });
    throw notWritable(path, error);
  }
}

/** The end of the names that a crash may leave behind. */
export const TEMPORARY_SUFFIX = ".tmp";

/** The error for people; the cause keeps the system's code (`ENOSPC`), by which a full disk is told from others. */
export function notWritable(path: string, error: unknown): Error {
  if (error instanceof TrawlError || !isSystemError(error)) return error as Error;
  return new TrawlError("FILE_NOT_WRITABLE", `${path} cannot be written: ${error.message}`, { cause: error });
}

export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === "string";

export const isMissing = (error: unknown): boolean => isSystemError(error) && error.code === "ENOENT";

/** For `.catch`: what is not there is null, and what cannot be read is an error for people. */
export const missingAsNull =
  (path: string) =>
  (error: unknown): null => {
    if (isMissing(error)) return null;
    if (!isSystemError(error)) throw error;
    throw new TrawlError("FILE_NOT_READABLE", `${path} cannot be read: ${error.message}`, { cause: error });
  };
