/** Reads a file in pieces that follow one another, with read-ahead. What it returned stays valid when it reads on. */
import type { FileHandle } from "node:fs/promises";
import { BadBytes } from "./bad-bytes.ts";

const NOTHING = Buffer.alloc(0);

export class FileWindow {
  readonly size: number;
  readonly #handle: FileHandle;
  readonly #ahead: number;
  #bytes: Buffer = NOTHING;
  #start = 0;

  constructor(handle: FileHandle, size: number, ahead: number) {
    this.#handle = handle;
    this.size = size;
    this.#ahead = ahead;
  }

  async read(offset: number, length: number): Promise<Buffer> {
    if (offset + length > this.size) throw new BadBytes(`${length} bytes reach beyond the end of the file`);
    if (offset < this.#start || offset + length > this.#start + this.#bytes.length) {
      const wanted = Math.min(Math.max(length, this.#ahead), this.size - offset);
      const bytes = await readAt(this.#handle, offset, wanted);
      if (bytes.length < length) throw new BadBytes("the file became shorter while it was read");
      // A great block would only hold memory.
      if (length > this.#ahead) return bytes;
      this.#bytes = bytes;
      this.#start = offset;
    }
    return this.#bytes.subarray(offset - this.#start, offset - this.#start + length);
  }
}

/** Fewer bytes than asked for at the end of the file. */
export async function readAt(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await handle.read(bytes, read, length - read, offset + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return bytes.subarray(0, read);
}
