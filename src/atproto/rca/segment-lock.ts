/**
 * Tells a segment that is being written from one that a crash left: its writer holds a lock beside it, which the system
 * lets go of when the process ends.
 */
import { existsSync, rmSync } from "node:fs";
import { type FileLock, lockFile } from "../../storage/file-lock.ts";

const SUFFIXES = /\.(?:rca|rcx)(?:\.partial)?$/;

/** `path` is any file of the segment. Null when somebody holds the lock. */
export function lockSegment(path: string): FileLock | null {
  const lockPath = `${path.replace(SUFFIXES, "")}.lock`;
  const lock = lockFile(lockPath, 0);
  if (lock === null) return null;
  if (!existsSync(lockPath)) {
    // The one before removed the file after we opened it: this lock would keep nobody out.
    lock.release();
    return null;
  }
  return {
    release: () => {
      // While it is held, so that nobody takes a lock on a file that is about to go. Windows removes no open file.
      if (process.platform !== "win32") rmSync(lockPath, { force: true });
      lock.release();
      if (process.platform === "win32") rmSync(lockPath, { force: true });
    },
  };
}
