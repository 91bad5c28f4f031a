/**
 * Event segments of a folder, `events_0001.rce` and so on: appended batch by batch, and read back. A batch and its cursor are
 * one write, so after a crash the source is read on exactly where the files end.
 */
import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppendFile } from "../../storage/append-file.ts";
import { makeFolder, missingAsNull } from "../../storage/durable.ts";
import { type FileSystem, realFileSystem } from "../../storage/file-system.ts";
import { BadBytes, type Damage, FileWindow, readAt } from "../rca/format/bytes.ts";
import {
  BATCH_HEAD_BYTES,
  batchCursor,
  checkBatch,
  decodeBatch,
  decodeEventHeader,
  type EventBatch,
  type EventSegmentHeader,
  encodeBatch,
  encodeEventHeader,
} from "./event-format.ts";

const NAME = /^events_(\d{4,})\.rce$/;
/** The header with the longest source. */
const MOST_HEADER_BYTES = 70_000;
const READ_AHEAD = 2 ** 20;
/** A batch is sealed at a megabyte or so; more than this is damage. */
const LARGEST_BATCH = 512 * 2 ** 20;

export interface EventSegment {
  number: number;
  path: string;
}

export const eventSegmentPath = (folder: string, number: number): string =>
  join(folder, `events_${String(number).padStart(4, "0")}.rce`);

/** In order. */
export async function eventSegments(folder: string): Promise<EventSegment[]> {
  const names = (await readdir(folder).catch(missingAsNull(folder))) ?? [];
  const found = names.flatMap((name): EventSegment[] => {
    const match = NAME.exec(name);
    return match === null ? [] : [{ number: Number(match[1]), path: join(folder, name) }];
  });
  return found.sort((a, b) => a.number - b.number);
}

export interface PlacedBatch {
  header: EventSegmentHeader;
  segment: number;
  path: string;
  offset: number;
  /** Where the next one begins. */
  end: number;
  bytes: Buffer;
}

export interface ReadOptions {
  onDamage: (damage: Damage) => void;
  /** Where to begin in this segment; at its first batch unless given. */
  from?: number | ((header: EventSegmentHeader) => number);
}

/** The batches of one segment, unpacked by nobody. A damaged one is reported and skipped; the torn end of a crash is reported as such. */
export async function* batchesOf({ path, number }: EventSegment, options: ReadOptions): AsyncGenerator<PlacedBatch> {
  const { onDamage, from = 0 } = options;
  const report = (offset: number, reason: string, torn: boolean): void =>
    onDamage({ path, offset, did: null, reason, torn });
  const handle = await open(path, "r");
  try {
    const { size } = await handle.stat();
    const first = await readAt(handle, 0, Math.min(size, MOST_HEADER_BYTES));
    let header: ReturnType<typeof decodeEventHeader>;
    try {
      header = decodeEventHeader(first);
    } catch (error) {
      if (!(error instanceof BadBytes)) throw error;
      report(0, error.message, size < MOST_HEADER_BYTES);
      return;
    }
    const window = new FileWindow(handle, size, READ_AHEAD);
    const start = typeof from === "number" ? from : from(header);
    for (let offset = Math.max(start, header.end); offset < size; ) {
      const length = size - offset < BATCH_HEAD_BYTES ? 0 : (await window.read(offset, 4)).readUInt32LE(0);
      if (length < BATCH_HEAD_BYTES || length > LARGEST_BATCH || offset + length > size) {
        report(offset, "a batch is cut off", true);
        return;
      }
      const bytes = await window.read(offset, length);
      try {
        checkBatch(bytes);
        yield { header, segment: number, path, offset, end: offset + length, bytes };
      } catch (error) {
        if (!(error instanceof BadBytes)) throw error;
        report(offset, error.message, offset + length === size);
      }
      offset += length;
    }
  } finally {
    await handle.close();
  }
}

/** Null when it cannot be read, which is reported. */
export async function readEventHeader(
  { path }: EventSegment,
  onDamage: (damage: Damage) => void,
): Promise<EventSegmentHeader | null> {
  const handle = await open(path, "r");
  try {
    const { size } = await handle.stat();
    return decodeEventHeader(await readAt(handle, 0, Math.min(size, MOST_HEADER_BYTES)));
  } catch (error) {
    if (!(error instanceof BadBytes)) throw error;
    onDamage({ path, offset: 0, did: null, reason: error.message, torn: true });
    return null;
  } finally {
    await handle.close();
  }
}

export interface ReadBatch extends EventBatch {
  header: EventSegmentHeader;
  segment: number;
  path: string;
  offset: number;
  end: number;
}

export interface EventPlace {
  segment: number;
  offset: number;
}

/** All events of a folder in the order in which they came, batch by batch, from a place on. */
export async function* readEvents(
  folder: string,
  onDamage: (damage: Damage) => void,
  from: EventPlace = { segment: 0, offset: 0 },
): AsyncGenerator<ReadBatch> {
  for (const segment of await eventSegments(folder)) {
    if (segment.number < from.segment) continue;
    const start = segment.number === from.segment ? { from: from.offset } : {};
    for await (const placed of batchesOf(segment, { onDamage, ...start })) {
      const batch = readBatch(placed, onDamage);
      if (batch !== null) yield batch;
    }
  }
}

/** Null when it cannot be unpacked, which is reported. */
export function readBatch({ bytes, ...place }: PlacedBatch, onDamage: (damage: Damage) => void): ReadBatch | null {
  try {
    return { ...place, ...decodeBatch(bytes) };
  } catch (error) {
    if (!(error instanceof BadBytes)) throw error;
    onDamage({ path: place.path, offset: place.offset, did: null, reason: error.message, torn: false });
    return null;
  }
}

export interface EventWriterOptions {
  folder: string;
  source: string;
  verified: boolean;
  targetBytes: number;
  zstdLevel: number;
  /** Unix milliseconds. */
  now: () => number;
  onDamage: (damage: Damage) => void;
}

export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #fs: FileSystem;
  #file: AppendFile | null = null;
  #number: number;
  /** Where the source is read on; null when none of its events is stored. */
  #cursor: number | null;

  private constructor(options: EventWriterOptions, fs: FileSystem, number: number, cursor: number | null) {
    this.#options = options;
    this.#fs = fs;
    this.#number = number;
    this.#cursor = cursor;
  }

  /** The caller holds the lock of the folder: nobody else appends. */
  static async open(options: EventWriterOptions, fs: FileSystem = realFileSystem): Promise<EventWriter> {
    await makeFolder(options.folder, fs);
    const segments = await eventSegments(options.folder);
    const writer = new EventWriter(options, fs, segments.at(-1)?.number ?? 0, null);
    for (const segment of segments.toReversed()) {
      const tail = await tailOf(segment, options);
      const isLast = segment === segments.at(-1);
      if (tail?.source !== options.source) continue;
      writer.#cursor = tail.cursor;
      if (isLast) await writer.#continue(segment, tail.end);
      // An older segment may have none of this source's batches left.
      if (writer.#cursor !== null) break;
    }
    return writer;
  }

  get cursor(): number | null {
    return this.#cursor;
  }

  /** Resolves when the batch is on the disk, to the place after it. */
  async append(batch: EventBatch): Promise<EventPlace> {
    const { targetBytes, zstdLevel } = this.#options;
    const file = (this.#file ??= await this.#begin());
    const bytes = encodeBatch(batch, zstdLevel);
    const offset = await file.append(bytes);
    this.#cursor = batch.cursor;
    const place = { segment: this.#number, offset: offset + bytes.length };
    if (file.length >= targetBytes) {
      await file.close();
      this.#file = null;
    }
    return place;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = null;
  }

  async #continue({ path }: EventSegment, end: number): Promise<void> {
    const { size } = await stat(path);
    if (size >= this.#options.targetBytes) return;
    const file = await AppendFile.open(path, this.#fs);
    // What a crash left of a batch would hide the next one.
    if (end < size) await file.truncate(end);
    this.#file = file;
  }

  async #begin(): Promise<AppendFile> {
    const { folder, source, verified, now } = this.#options;
    const file = await AppendFile.open(eventSegmentPath(folder, ++this.#number), this.#fs);
    await file.append(encodeEventHeader({ createdAt: BigInt(Math.round(now() * 1000)), source, verified }));
    return file;
  }
}

interface Tail {
  source: string;
  cursor: number | null;
  /** Where the last whole batch ends. */
  end: number;
}

/** Null when its header cannot be read: a crash before the first sync. The next segment gets another number. */
async function tailOf(segment: EventSegment, { onDamage }: EventWriterOptions): Promise<Tail | null> {
  let cursor: number | null = null;
  let tornAt: number | null = null;
  const watch = (damage: Damage): void => {
    if (damage.torn) tornAt = damage.offset;
    else onDamage(damage);
  };
  for await (const { bytes } of batchesOf(segment, { onDamage: watch })) cursor = batchCursor(bytes);
  if (tornAt === 0) return null;
  const header = await readEventHeader(segment, () => {});
  if (header === null) return null;
  return { source: header.source, cursor, end: tornAt ?? (await stat(segment.path)).size };
}
