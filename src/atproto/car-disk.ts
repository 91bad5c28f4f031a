/** Where CARs go that find no room in memory while they come: files without a name in the output folder. */
import { randomBytes } from "node:crypto";
import { statfsSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { usualLeastBytes } from "../storage/disk-space.ts";

/** Bytes that wait to be written, beyond which no more should come. */
const MOST_PENDING_BYTES = 2 ** 20;

export interface DiskSize {
  free: number;
  total: number;
}

function diskSize(folder: string): DiskSize {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

export class CarDisk {
  readonly #folder: string;
  readonly #sizeOf: (folder: string) => DiskSize;
  /** What the open files may come to take. */
  #promised = 0;

  constructor(folder: string, sizeOf: (folder: string) => DiskSize = diskSize) {
    this.#folder = folder;
    this.#sizeOf = sizeOf;
  }

  /** False when the disk would be almost full if this file and all open ones became as large as they may. */
  hasRoom(most: number): boolean {
    try {
      const { free, total } = this.#sizeOf(this.#folder);
      return free - usualLeastBytes(total) >= this.#promised + most;
    } catch {
      // A disk that cannot be looked at is not written to.
      return false;
    }
  }

  /** A file for at most this many bytes; null when there is no room for it. */
  open(most: number): CarFile | null {
    if (!this.hasRoom(most)) return null;
    this.#promised += most;
    const path = join(this.#folder, `car-${randomBytes(16).toString("hex")}.tmp`);
    return new CarFile(path, () => (this.#promised -= most));
  }
}

export class CarFile {
  readonly #file: Promise<FileHandle>;
  readonly #onClosed: () => void;
  #last: Promise<unknown>;
  #length = 0;
  #pending = 0;
  #isClosed = false;

  constructor(path: string, onClosed: () => void) {
    this.#file = openUnnamed(path);
    this.#last = this.#file;
    this.#onClosed = onClosed;
    this.#file.catch(() => {});
  }

  /** In the order of the calls. True when more may come at once; else what to wait for. */
  write(bytes: Buffer): true | Promise<void> {
    this.#length += bytes.length;
    this.#pending += bytes.length;
    const written = this.#last.then(async () => {
      await (await this.#file).appendFile(bytes);
      this.#pending -= bytes.length;
    });
    // A failure is told to whoever waits, and to whoever reads.
    written.catch(() => {});
    this.#last = written;
    return this.#pending <= MOST_PENDING_BYTES || written;
  }

  /** How long it is once everything is written. */
  async length(): Promise<number> {
    await this.#last;
    return this.#length;
  }

  async read(): Promise<Buffer> {
    const bytes = Buffer.allocUnsafeSlow(await this.length());
    const file = await this.#file;
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = await file.read(bytes, at, bytes.length - at, at);
      if (bytesRead === 0) throw new Error(`A temporary file has ${at} of ${bytes.length} bytes.`);
      at += bytesRead;
    }
    return bytes;
  }

  /** Its space is free afterwards. May be called again. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      await this.#last.catch(() => {});
      await (await this.#file).close();
    } finally {
      this.#onClosed();
    }
  }
}

/** Its name is removed before anything is written: however the process ends, the system then frees its space. */
async function openUnnamed(path: string): Promise<FileHandle> {
  const file = await open(path, "wx+", 0o600);
  try {
    await rm(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
