/** How much space a disk has left, and which errors say that it is full. */
import { statfs } from "node:fs/promises";

/** How many bytes this user can still write to the disk that holds `folder`. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Looks through the causes too: the system's error is usually wrapped in one for people. */
export function isDiskFull(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT") return true;
  }
  return false;
}
