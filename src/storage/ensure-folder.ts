/** Makes a folder and those above it, where they are not there. */
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { TrawlError } from "../errors.ts";

/**
 * Returns the topmost folder that was made; undefined when all were there. By hand, since Node's own `recursive` never
 * comes back from where the system makes no folders, such as /proc: told that something is missing, it begins again
 * with the parent, for ever. Here each folder is tried once.
 */
export function ensureFolder(path: string, mode?: number): string | undefined {
  if (isFolder(path)) return undefined;
  const parent = dirname(path);
  const first = parent === path ? undefined : ensureFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(path)) throw notMade(path, error as Error);
    return first;
  }
  return first ?? path;
}

/** What may not even be looked at is none: making it then tells why. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The cause keeps the system's code, by which a full disk is told from others. */
const notMade = (path: string, cause: Error): TrawlError =>
  new TrawlError("FILE_NOT_WRITABLE", `The folder ${path} cannot be made: ${cause.message}`, {
    cause,
    hint: "Name a folder on a disk that you may write to, and that is not full.",
  });
