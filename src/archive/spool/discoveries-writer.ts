/**
 * Writes discoveries for `scrape` to fetch: durably, in files of limited size. Once the spool reaches its budget,
 * nothing is added until there is room again; what is dropped is counted, and the crawl continues.
 */
import { join } from "node:path";
import type { Clock } from "../../kernel/clock.ts";
import { AppendFile } from "../../storage/append-file.ts";
import { type FileSystem, realFileSystem } from "../../storage/file-system.ts";
import {
  type Discovery,
  formatDiscovery,
  spoolBytes,
  spoolFileName,
  spoolFiles,
  spoolTimestamp,
} from "./spool-files.ts";

export interface SpoolLimits {
  rotateBytes: number;
  budgetBytes: number;
}

/** How often the folder is measured again while the budget is spent: files may have been removed. */
const MEASURE_AGAIN_MS = 10_000;

export class DiscoveriesWriter {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #clock: Clock;
  #limits: SpoolLimits;
  #file: AppendFile | null = null;
  #fileBytes = 0;
  #lastTimestamp: number;
  #spoolBytes: number;
  #measuredAt: number;
  /** One write at a time: a rotation must not overtake what belongs in the file before it. */
  #writing: Promise<void> = Promise.resolve();

  private constructor(folder: string, limits: SpoolLimits, clock: Clock, last: number, bytes: number, fs: FileSystem) {
    this.#fs = fs;
    this.#folder = folder;
    this.#limits = limits;
    this.#clock = clock;
    this.#lastTimestamp = last;
    this.#spoolBytes = bytes;
    this.#measuredAt = clock.now();
  }

  /** Every run starts a new file: a reader may consider the last one read to its end. */
  static async open(
    folder: string,
    limits: SpoolLimits,
    clock: Clock,
    fs = realFileSystem,
  ): Promise<DiscoveriesWriter> {
    const last = (await spoolFiles(folder)).at(-1);
    const timestamp = last === undefined ? 0 : spoolTimestamp(last)!;
    return new DiscoveriesWriter(folder, limits, clock, timestamp, await spoolBytes(folder), fs);
  }

  setLimits(limits: SpoolLimits): void {
    this.#limits = limits;
  }

  get isPaused(): boolean {
    return this.#spoolBytes >= this.#limits.budgetBytes;
  }

  /** Returns false when the budget is spent and nothing was written. */
  add(discoveries: readonly Discovery[]): boolean {
    if (this.isPaused) {
      this.#measure();
      return false;
    }
    const bytes = Buffer.from(discoveries.map(formatDiscovery).join(""));
    this.#spoolBytes += bytes.length;
    this.#writing = this.#writing.then(() => this.#write(bytes));
    // Callers that need to know wait in `flush`; without this, a failure would end the process before that.
    this.#writing.catch(() => {});
    return true;
  }

  /** Resolves when everything added is durable. */
  flush(): Promise<void> {
    return this.#writing;
  }

  async close(): Promise<void> {
    try {
      await this.#writing;
    } finally {
      await this.#file?.close();
    }
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.#file === null || (this.#fileBytes > 0 && this.#fileBytes + bytes.length > this.#limits.rotateBytes)) {
      await this.#file?.close();
      this.#lastTimestamp = Math.max(Math.floor(this.#clock.now() / 1000), this.#lastTimestamp + 1);
      this.#file = await AppendFile.open(join(this.#folder, spoolFileName(this.#lastTimestamp)), this.#fs);
      this.#fileBytes = 0;
    }
    await this.#file.append(bytes);
    this.#fileBytes += bytes.length;
  }

  #measure(): void {
    const now = this.#clock.now();
    if (now - this.#measuredAt < MEASURE_AGAIN_MS) return;
    this.#measuredAt = now;
    this.#writing = this.#writing.then(async () => {
      this.#spoolBytes = await spoolBytes(this.#folder);
    });
    this.#writing.catch(() => {});
  }
}
