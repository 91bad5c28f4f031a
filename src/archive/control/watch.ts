/** Looks once a second at the files and the disk that may make the archive rest or end. */
import type { Clock } from "../../kernel/clock.ts";
import { freeBytes as freeBytesOnDisk } from "../../storage/free-space.ts";
import { clearStop, readFlags } from "./flag-files.ts";
import type { Pauses } from "./pauses.ts";

const LOOK_MS = 1_000;
/** The pause ends only with this much more than what began it, or it would begin and end with every page. */
const ROOM_AGAIN = 1.1;

export interface WatchOptions {
  workspace: string;
  pauses: Pauses;
  /** Less than this is "almost full"; 0 for never. */
  minFreeBytes: number;
  stop: () => void;
  clock: Clock;
  freeBytes?: (folder: string) => Promise<number>;
}

export class ControlWatch {
  readonly #options: WatchOptions;
  #minFreeBytes: number;
  #isFull = false;
  #cancel: (() => void) | null = null;
  #closed = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#minFreeBytes = options.minFreeBytes;
  }

  setMinFreeBytes(bytes: number): void {
    this.#minFreeBytes = bytes;
  }

  start(): void {
    this.#cancel = this.#options.clock.after(LOOK_MS, () => {
      this.look().then(
        () => this.#again(),
        () => this.#again(),
      );
    });
  }

  /** Looks now: a write failed for want of room, or the archive begins. */
  async look(): Promise<void> {
    const { workspace, pauses, stop, freeBytes = freeBytesOnDisk } = this.#options;
    const flags = await readFlags(workspace);
    if (this.#closed) return;
    if (flags.stop.length > 0) {
      await clearStop(workspace);
      stop();
      return;
    }
    pauses.set("file", flags.pause.length > 0);
    const free = await freeBytes(workspace);
    if (this.#closed) return;
    this.#isFull = free < this.#minFreeBytes * (this.#isFull ? ROOM_AGAIN : 1);
    pauses.set("disk", this.#isFull);
  }

  close(): void {
    this.#closed = true;
    this.#cancel?.();
  }

  #again(): void {
    if (!this.#closed) this.start();
  }
}
