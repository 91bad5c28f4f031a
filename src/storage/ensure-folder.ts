/** Makes a folder and its missing parents. */
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { TrawlError } from "../errors.ts";

/**
 * Returns the topmost folder that was made, or undefined when all of them existed. Node's own `recursive` option never
 * returns where the system cannot make folders, such as in /proc: when told that something is missing it starts over
 * with the parent, forever. Here each folder is tried once.
 */
export function ensureFolder(path: string, mode?: number): string | undefined {
  if (isFolder(path)) return undefined;
  const parent = dirname(path);
  const first = parent === path ? undefined : ensureFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have made it in the meantime.
    if (!isFolder(path)) throw notMade(path, error as Error);
    return first;
  }
  return first ?? path;
}

/** A folder that cannot be inspected counts as missing: the attempt to make it then says why. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The cause keeps the system's code, which tells a full disk from other problems. */
const notMade = (path: string, cause: Error): TrawlError =>
  new TrawlError("FILE_NOT_WRITABLE", `The folder ${path} cannot be created: ${cause.message}`, {
    cause,
    hint: "Choose a folder on a disk that you can write to and that is not full.",
  });
