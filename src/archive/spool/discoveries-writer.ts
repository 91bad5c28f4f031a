/**
 * Writes discoveries for `scrape` to fetch: durably, in files of limited size. Once the spool reaches its budget it is
 * full, and the crawl must pause; what pages in flight still find is still written, so nothing is lost.
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
import { type SpoolFolders, SpoolSums } from "./spool-sums.ts";

export interface SpoolLimits {
  rotateBytes: number;
  budgetBytes: number;
}

export class DiscoveriesWriter {
  readonly #fs: FileSystem;
  readonly #folders: SpoolFolders;
  readonly #clock: Clock;
  #limits: SpoolLimits;
  #file: AppendFile | null = null;
  #sums: SpoolSums | null = null;
  #fileBytes = 0;
  #lastTimestamp: number;
  #spoolBytes: number;
  /** Called when the spool has become full. */
  onFull: () => void = () => {};
  /** One write at a time: a rotation must not overtake what belongs in the file before it. */
  #writing: Promise<void> = Promise.resolve();

  private constructor(
    folders: SpoolFolders,
    limits: SpoolLimits,
    clock: Clock,
    last: number,
    bytes: number,
    fs: FileSystem,
  ) {
    this.#fs = fs;
    this.#folders = folders;
    this.#limits = limits;
    this.#clock = clock;
    this.#lastTimestamp = last;
    this.#spoolBytes = bytes;
  }

  /** Every run starts a new file, because a reader may have read the last file to its end and be done with it. */
  static async open(
    folders: SpoolFolders,
    limits: SpoolLimits,
    clock: Clock,
    fs = realFileSystem,
  ): Promise<DiscoveriesWriter> {
    const last = (await spoolFiles(folders.spool)).at(-1);
    const timestamp = last === undefined ? 0 : spoolTimestamp(last)!;
    const writer = new DiscoveriesWriter(folders, limits, clock, timestamp, await spoolBytes(folders.spool), fs);
    if (writer.isFull) await writer.#startFile();
    return writer;
  }

  setLimits(limits: SpoolLimits): void {
    this.#limits = limits;
  }

  get isFull(): boolean {
    return this.#spoolBytes >= this.#limits.budgetBytes;
  }

  /** Returns false when the spool has become full, and the crawl must pause. */
  add(discoveries: readonly Discovery[]): boolean {
    const lines = discoveries.map(formatDiscovery);
    const bytes = Buffer.from(lines.join(""));
    this.#spoolBytes += bytes.length;
    this.#writing = this.#writing.then(() => this.#write(bytes, lines));
    // Callers that need to know wait in `flush`; without this, a failure would end the process before that.
    this.#writing.catch(() => {});
    if (this.isFull) this.onFull();
    return !this.isFull;
  }

  /**
   * If the folder was full, measures it again, because files may have been removed. Resolves to whether it is still
   * full.
   */
  async measure(): Promise<boolean> {
    if (!this.isFull) return false;
    await this.#writing;
    this.#spoolBytes = await spoolBytes(this.#folders.spool);
    return this.isFull;
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
      await this.#sums?.close();
    }
  }

  async #write(bytes: Buffer, lines: readonly string[]): Promise<void> {
    const isTooLong = this.#fileBytes > 0 && this.#fileBytes + bytes.length > this.#limits.rotateBytes;
    if (this.#file === null || isTooLong) await this.#startFile();
    await this.#file!.append(bytes);
    await this.#sums!.add(lines);
    this.#fileBytes += bytes.length;
    // The last file of a spool is never removed, because it may still grow. In a full spool it must be empty, or there
    // would never be room.
    if (this.isFull) await this.#startFile();
  }

  async #startFile(): Promise<void> {
    await this.#file?.close();
    await this.#sums?.close();
    this.#lastTimestamp = Math.max(Math.floor(this.#clock.now() / 1000), this.#lastTimestamp + 1);
    const { spool, spoolSums } = this.#folders;
    const name = spoolFileName(this.#lastTimestamp);
    this.#file = await AppendFile.open(join(spool, name), this.#fs);
    this.#sums = await SpoolSums.create(spoolSums, name, this.#fs);
    this.#fileBytes = 0;
  }
}
