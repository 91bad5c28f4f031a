/**
 * Writes a ZIP file with stored entries (APPNOTE 6.3 sections 4.3 and 4.5.3). It streams, and uses ZIP64 where a size,
 * an offset or the number of entries needs it. Written by hand because WACZ needs only stored entries, without
 * compression.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { TrawlError } from "../../../errors.ts";
import type { OpenFile } from "../../../storage/file-system.ts";

export interface ZipEntry {
  name: string;
  bytes: number;
  /** Hex. */
  sha256: string;
}

interface Placed extends ZipEntry {
  crc: number;
  offset: number;
}

/** From here on a 32-bit field says "see the ZIP64 fields". */
const MAX_32 = 0xffffffff;
const MAX_16 = 0xffff;

const LOCAL_HEADER_BYTES = 30;
/** The offset of the checksum in a local header. */
const LOCAL_CRC = 14;
/** ZIP 4.5: the version that has ZIP64. */
const VERSION = 45;
/** Bit 11: names are UTF-8. */
const FLAGS = 0x0800;
const ZIP64_FIELD = 0x0001;

export class ZipWriter {
  readonly #handle: OpenFile;
  readonly #date: { time: number; day: number };
  readonly #limit: number;
  readonly #entries: Placed[] = [];
  #position = 0;

  /** Sizes and offsets from `limit` on are written as ZIP64. Tests set it lower, because they have no 4 GB to spare. */
  constructor(handle: OpenFile, at: number, limit = MAX_32) {
    this.#handle = handle;
    this.#date = dosDate(at);
    this.#limit = limit;
  }

  async addBytes(name: string, bytes: Buffer): Promise<ZipEntry> {
    return this.#add(name, bytes.length, [bytes]);
  }

  async addFile(name: string, path: string): Promise<ZipEntry> {
    const { size } = await stat(path);
    return this.#add(name, size, createReadStream(path, { highWaterMark: 1 << 20 }));
  }

  /** Writes the directory, which completes the file. */
  async finish(): Promise<void> {
    const start = this.#position;
    for (const entry of this.#entries) await this.#write(this.#directoryEntry(entry));
    await this.#write(this.#endRecords(start, this.#position - start));
  }

  async #add(name: string, size: number, source: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<ZipEntry> {
    const offset = this.#position;
    await this.#write(this.#localHeader(name, size));
    const hash = createHash("sha256");
    let crc = 0;
    let bytes = 0;
    for await (const chunk of source) {
      hash.update(chunk);
      crc = crc32(chunk, crc);
      bytes += chunk.length;
      await this.#write(chunk);
    }
    if (bytes !== size) throw new TrawlError("FILE_NOT_READABLE", `${name} changed while it was packed.`);
    // The checksum is only known now. Readers of a stream want it up front, so it is written there.
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(crc);
    await this.#handle.write(checksum, 0, 4, offset + LOCAL_CRC);
    const entry = { name, bytes, sha256: hash.digest("hex") };
    this.#entries.push({ ...entry, crc, offset });
    return entry;
  }

  #localHeader(name: string, size: number): Buffer {
    const encoded = Buffer.from(name);
    // The local header has both sizes in ZIP64, or neither of them.
    const big = size >= this.#limit;
    const extra = big ? zip64Field([size, size]) : Buffer.alloc(0);
    const header = Buffer.alloc(LOCAL_HEADER_BYTES);
    header.writeUInt32LE(0x04034b50, 0);
    this.#common(header, 4);
    header.writeUInt32LE(big ? MAX_32 : size, 18);
    header.writeUInt32LE(big ? MAX_32 : size, 22);
    header.writeUInt16LE(encoded.length, 26);
    header.writeUInt16LE(extra.length, 28);
    return Buffer.concat([header, encoded, extra]);
  }

  #directoryEntry({ name, bytes, crc, offset }: Placed): Buffer {
    const encoded = Buffer.from(name);
    const bigSize = bytes >= this.#limit;
    const bigOffset = offset >= this.#limit;
    const fields = [...(bigSize ? [bytes, bytes] : []), ...(bigOffset ? [offset] : [])];
    const extra = fields.length > 0 ? zip64Field(fields) : Buffer.alloc(0);
    const header = Buffer.alloc(46);
    header.writeUInt32LE(0x02014b50, 0);
    // Marked as made on Unix, so that the permissions below are read.
    header.writeUInt16LE((3 << 8) | VERSION, 4);
    this.#common(header, 6);
    header.writeUInt32LE(crc, 16);
    header.writeUInt32LE(bigSize ? MAX_32 : bytes, 20);
    header.writeUInt32LE(bigSize ? MAX_32 : bytes, 24);
    header.writeUInt16LE(encoded.length, 28);
    header.writeUInt16LE(extra.length, 30);
    header.writeUInt32LE((0o100644 << 16) >>> 0, 38);
    header.writeUInt32LE(bigOffset ? MAX_32 : offset, 42);
    return Buffer.concat([header, encoded, extra]);
  }

  /** Version, flags, method (0: stored), time and day: the same in both headers. */
  #common(header: Buffer, at: number): void {
    header.writeUInt16LE(VERSION, at);
    header.writeUInt16LE(FLAGS, at + 2);
    header.writeUInt16LE(this.#date.time, at + 6);
    header.writeUInt16LE(this.#date.day, at + 8);
  }

  #endRecords(start: number, size: number): Buffer {
    const count = this.#entries.length;
    const big = count >= MAX_16 || start >= this.#limit || size >= this.#limit;
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(big ? MAX_16 : count, 8);
    end.writeUInt16LE(big ? MAX_16 : count, 10);
    end.writeUInt32LE(big ? MAX_32 : size, 12);
    end.writeUInt32LE(big ? MAX_32 : start, 16);
    if (!big) return end;
    const end64 = Buffer.alloc(56);
    end64.writeUInt32LE(0x06064b50, 0);
    writeUInt64(end64, 44, 4);
    end64.writeUInt16LE((3 << 8) | VERSION, 12);
    end64.writeUInt16LE(VERSION, 14);
    for (const [index, value] of [count, count, size, start].entries()) writeUInt64(end64, value, 24 + index * 8);
    const locator = Buffer.alloc(20);
    locator.writeUInt32LE(0x07064b50, 0);
    writeUInt64(locator, start + size, 8);
    locator.writeUInt32LE(1, 16);
    return Buffer.concat([end64, locator, end]);
  }

  async #write(bytes: Buffer): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(bytes, done, bytes.length - done, this.#position);
      done += bytesWritten;
      this.#position += bytesWritten;
    }
  }
}

function zip64Field(values: number[]): Buffer {
  const field = Buffer.alloc(4 + values.length * 8);
  field.writeUInt16LE(ZIP64_FIELD, 0);
  field.writeUInt16LE(values.length * 8, 2);
  for (const [index, value] of values.entries()) writeUInt64(field, value, 4 + index * 8);
  return field;
}

const writeUInt64 = (buffer: Buffer, value: number, at: number): number => buffer.writeBigUInt64LE(BigInt(value), at);

/** In UTC, so the package is the same wherever it is made. DOS has no time before 1980. */
function dosDate(at: number): { time: number; day: number } {
  const date = new Date(Math.max(at, Date.UTC(1980, 0, 1)));
  return {
    time: (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1),
    day: ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate(),
  };
}
