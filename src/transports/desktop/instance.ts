/** One window a data folder. The lock is the system's: it ends with its process, so a crash leaves none behind. */
import { join } from "node:path";
import { TrawlError } from "../../errors.ts";
import { type FileLock, lockFile } from "../../storage/file-lock.ts";
import { askForFocus, openControlChannel } from "./control-channel.ts";

/** How long each try waits for the lock. */
const PATIENCE_MS = 250;
/** Together 10 s: in that time one that closes has paused its crawls, and one that opens has its channel. */
const TRIES = 40;

export interface Instance {
  /** Answers another start that asks for the window. False, once it closes: then the other waits, and opens its own. */
  onFocus: () => Promise<boolean>;
  close(): Promise<void>;
}

/** Null when there is a window already: then it was brought to the front. */
export async function claimInstance(folder: string, tries = TRIES): Promise<Instance | null> {
  for (let left = tries; left > 0; left--) {
    const lock = lockFile(join(folder, "lock.db"), PATIENCE_MS);
    if (lock !== null) return startInstance(folder, lock);
    if (await askForFocus(folder)) return null;
  }
  throw new TrawlError("WINDOW_BUSY");
}

async function startInstance(folder: string, lock: FileLock): Promise<Instance> {
  try {
    const channel = await openControlChannel(folder, () => instance.onFocus());
    const instance: Instance = {
      // It is about to open, and will be in front.
      onFocus: async () => true,
      async close() {
        await channel.close();
        lock.release();
      },
    };
    return instance;
  } catch (error) {
    lock.release();
    throw error;
  }
}
