/** Whether a disk is almost full, looked at once a second: what writes to it pauses until there is room again. */
import type { Clock } from "../kernel/clock.ts";
import { diskBytes, freeBytes as freeBytesOnDisk } from "./file-system.ts";

const LOOK_MS = 1_000;
/** There is room again only with this much more space than the least; otherwise a pause would begin and end with every page. */
const ROOM_AGAIN = 1.1;

export type FreeBytes = (folder: string) => Promise<number>;

/** A tenth of a small disk, and enough of a large one for what is written until somebody looks again. */
export const usualLeastBytes = (totalBytes: number): number => Math.min(totalBytes / 10, 200 * 2 ** 20);

/** Remembers whether there was too little space, for one folder. */
export class DiskSpace {
  readonly #folder: string;
  readonly #freeBytes: FreeBytes;
  /** Less than this counts as almost full; 0 disables the check. */
  leastBytes: number;
  #isFull = false;

  constructor(folder: string, leastBytes: number, freeBytes: FreeBytes = freeBytesOnDisk) {
    this.#folder = folder;
    this.leastBytes = leastBytes;
    this.#freeBytes = freeBytes;
  }

  async isAlmostFull(): Promise<boolean> {
    if (this.leastBytes === 0) return false;
    const free = await this.#freeBytes(this.#folder);
    this.#isFull = free < this.leastBytes * (this.#isFull ? ROOM_AGAIN : 1);
    return this.#isFull;
  }
}

export const usualDisk = (folder: string): DiskSpace => new DiskSpace(folder, usualLeastBytes(diskBytes(folder)));

/** Reports each change until the returned function is called. A disk that cannot be looked at keeps its last state. */
export function watchDisk(disk: DiskSpace, clock: Clock, onChange: (isAlmostFull: boolean) => void): () => void {
  let isClosed = false;
  let known = false;
  let cancel = (): void => {};
  const look = async (): Promise<void> => {
    const isFull = await disk.isAlmostFull().catch(() => known);
    if (isClosed) return;
    cancel = clock.after(LOOK_MS, look);
    if (isFull === known) return;
    known = isFull;
    onChange(isFull);
  };
  void look();
  return () => {
    isClosed = true;
    cancel();
  };
}
