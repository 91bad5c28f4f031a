/** What makes a file survive a power cut: its bytes are synced, and so is the folder that holds its name. */
import { dirname } from "node:path";
import { TrawlError } from "../errors.ts";
import { type FileSystem, isDiskFull, type OpenFile, realFileSystem } from "./file-system.ts";

/** Makes a folder and its parents. The names of all folders that were made are durable. */
export async function makeFolder(path: string, fs: FileSystem = realFileSystem): Promise<void> {
  const first = fs.ensureFolder(path);
  if (first === undefined) return;
  const top = dirname(first);
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    await fs.syncFolder(folder);
    if (folder === top || folder === dirname(folder)) return;
  }
}

export interface ReplaceOptions {
  permissions?: number;
  fs?: FileSystem;
}

/**
 * Gives `path` new contents, as a whole or not at all: a temporary file next to it is written, synced and renamed. The
 * process id in its name keeps two processes from sharing a temporary file.
 */
export async function replaceFile<T>(
  path: string,
  write: (handle: OpenFile) => Promise<T>,
  { permissions = 0o644, fs = realFileSystem }: ReplaceOptions = {},
): Promise<T> {
  const temporary = `${path}.${process.pid}${TEMPORARY_SUFFIX}`;
  try {
    await makeFolder(dirname(path), fs);
    const handle = await fs.open(temporary, "w", permissions);
    let result: T;
    try {
      result = await write(handle);
      // The mode given to open is subject to the umask.
      await handle.chmod(permissions);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await fs.rename(temporary, path);
    await fs.syncFolder(dirname(path));
    return result;
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw notWritable(path, error);
  }
}

/** Creates a file. False when there is one already, which stays as it is. */
export async function createFile(path: string, text: string, permissions: number): Promise<boolean> {
  let isOurs = false;
  try {
    await makeFolder(dirname(path));
    const handle = await realFileSystem.open(path, "wx", permissions);
    isOurs = true;
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await realFileSystem.syncFolder(dirname(path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    // On a full disk it is empty: the next attempt would take it for one that is wanted.
    if (isOurs) await realFileSystem.rm(path, { force: true });
    throw notWritable(path, error);
  }
}

/** Gives a file a second name, durably: it survives when the file is replaced. Does nothing when the name is taken. */
export async function linkAside(path: string, target: string, fs: FileSystem = realFileSystem): Promise<void> {
  await makeFolder(dirname(target), fs);
  await fs.link(path, target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await fs.syncFolder(dirname(target));
}

/** How the names of files end that a crash may leave behind. */
export const TEMPORARY_SUFFIX = ".tmp";

/**
 * An error for people. Its cause keeps the system's code (such as `ENOSPC`), which tells a full disk from other
 * problems.
 */
export function notWritable(path: string, error: unknown): Error {
  if (error instanceof TrawlError || !isSystemError(error)) return error as Error;
  return new TrawlError("FILE_NOT_WRITABLE", `${path} cannot be written: ${error.message}`, { cause: error });
}

/** A full disk, wherever it showed, as one error that names the file; any other error as it is. */
export function asDiskFull(error: unknown): unknown {
  if (!isDiskFull(error) || (error instanceof TrawlError && error.code === "DISK_FULL")) return error;
  const { message, path } = error as NodeJS.ErrnoException;
  const [, what = ""] = /^(.+): (?:ENOSPC|EDQUOT)\b/.exec(message) ?? [];
  const where = what !== "" ? `: ${what}` : path === undefined ? "" : `: ${path} cannot be written`;
  return new TrawlError("DISK_FULL", `The disk is full${where}.`, { cause: error });
}

export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === "string";

export const isMissing = (error: unknown): boolean => isSystemError(error) && error.code === "ENOENT";

/** For `.catch`: a missing file is null; a file that cannot be read is an error for people. */
export const missingAsNull =
  (path: string) =>
  (error: unknown): null => {
    if (isMissing(error)) return null;
    if (!isSystemError(error)) throw error;
    throw new TrawlError("FILE_NOT_READABLE", `${path} cannot be read: ${error.message}`, { cause: error });
  };
