/**
 * A file that only grows, with group commit: what is appended while a sync is under way is written together and shares
 * the next one. An append that resolved is on the disk.
 */
import { constants } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder, notWritable } from "./durable.ts";
import { type FileSystem, type OpenFile, realFileSystem } from "./file-system.ts";

interface Waiting {
  bytes: Uint8Array;
  done: (offset: number) => void;
  failed: (error: Error) => void;
}

export class AppendFile {
  readonly path: string;
  readonly #handle: OpenFile;
  #length: number;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | null = null;
  #broken: Error | null = null;

  private constructor(path: string, handle: OpenFile, length: number) {
    this.path = path;
    this.#handle = handle;
    this.#length = length;
  }

  static async open(path: string, fs: FileSystem = realFileSystem): Promise<AppendFile> {
    try {
      await makeFolder(dirname(path), fs);
      // Not "a": appends go to the length we know, so a write that failed half-way is overwritten instead of kept.
      const handle = await fs.open(path, constants.O_RDWR | constants.O_CREAT, 0o644);
      const { size } = await handle.stat();
      if (size === 0) await fs.syncFolder(dirname(path));
      return new AppendFile(path, handle, size);
    } catch (error) {
      throw notWritable(path, error);
    }
  }

  /** The length of what is durable. */
  get length(): number {
    return this.#length;
  }

  /** Resolves to the offset of the bytes once they are durable. */
  append(bytes: Uint8Array): Promise<number> {
    return new Promise((done, failed) => {
      this.#waiting.push({ bytes, done, failed });
      this.#flushing ??= this.#flush();
    });
  }

  /** Cuts off everything after `length`. Must not be called while appends are under way. */
  async truncate(length: number): Promise<void> {
    await this.#handle.truncate(length);
    await this.#handle.sync();
    this.#length = length;
  }

  /** Returns fewer bytes than asked for at the end of the file. */
  async read(offset: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.#length - offset)));
    let read = 0;
    while (read < buffer.length) {
      const { bytesRead } = await this.#handle.read(buffer, read, buffer.length - read, offset + read);
      if (bytesRead === 0) break;
      read += bytesRead;
    }
    return buffer.subarray(0, read);
  }

  /** Waits for what was appended, then closes the file. */
  async close(): Promise<void> {
    while (this.#flushing !== null) await this.#flushing;
    await this.#handle.close();
  }

  async #flush(): Promise<void> {
    // One turn later, so that appends made in the same turn share this sync already.
    await null;
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      try {
        const offsets = await this.#write(group);
        for (const [index, { done }] of group.entries()) done(offsets[index]!);
      } catch (error) {
        for (const { failed } of group) failed(notWritable(this.path, error));
      }
    }
    this.#flushing = null;
  }

  async #write(group: Waiting[]): Promise<number[]> {
    if (this.#broken !== null) throw this.#broken;
    const offsets: number[] = [];
    let end = this.#length;
    try {
      for (const { bytes } of group) {
        offsets.push(end);
        for (let written = 0; written < bytes.length; ) {
          const part = await this.#handle.write(bytes, written, bytes.length - written, end + written);
          written += part.bytesWritten;
        }
        end += bytes.length;
      }
    } catch (error) {
      // On a full disk, half a record may have been written. It must not precede the next one.
      await this.#handle.truncate(this.#length).catch((worse: Error) => {
        this.#broken = worse;
      });
      throw error;
    }
    try {
      await this.#handle.datasync();
    } catch (error) {
      // After a failed sync the system may have dropped the bytes, and may report the next sync as a success.
      this.#broken = error as Error;
      throw error;
    }
    this.#length = end;
    return offsets;
  }
}
