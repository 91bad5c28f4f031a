/** `metadata/crawl_metadata.jsonl`: one line per fetch, never rotated, durable before a URL counts as fetched. */
import { open } from "node:fs/promises";
import { TrawlError } from "../../errors.ts";
import { SeenTable } from "../../kernel/seen.ts";
import { AppendFile } from "../../storage/append-file.ts";
import { replaceFile } from "../../storage/durable.ts";
import { type FileSystem, type OpenFile, realFileSystem } from "../../storage/file-system.ts";
import { endOfWholeLines, readLines, readRange } from "../../storage/read-lines.ts";
import { formatRecord, isDamage, type MetadataRecord, parseRecord, urlOfLine } from "./metadata-record.ts";

export class MetadataLog {
  readonly #fs: FileSystem;
  #file: AppendFile;
  /** Read on first use: a crawl that never asks for an earlier fetch does not pay for it. */
  #index: Promise<LineIndex> | null = null;

  private constructor(file: AppendFile, fs: FileSystem) {
    this.#fs = fs;
    this.#file = file;
  }

  /** Drops a last line that a crash cut short, with a notice. */
  static async open(path: string, onNotice: (text: string) => void, fs = realFileSystem): Promise<MetadataLog> {
    const file = await AppendFile.open(path, fs);
    const whole = await endOfWholeLines((offset, length) => file.read(offset, length), file.length);
    if (whole < file.length) {
      onNotice(`${path}: the last line was cut short by a crash; its ${file.length - whole} bytes were dropped.`);
      await file.truncate(whole);
    }
    return new MetadataLog(file, fs);
  }

  get path(): string {
    return this.#file.path;
  }

  /** Bytes that are durable. */
  get length(): number {
    return this.#file.length;
  }

  /** Resolves to the new length of the file once the records are durable. */
  async append(records: readonly MetadataRecord[]): Promise<number> {
    if (records.length === 0) return this.length;
    const lines = records.map((record) => Buffer.from(formatRecord(record)));
    const bytes = Buffer.concat(lines);
    const offset = await this.#file.append(bytes);
    const told = (index: LineIndex): void => {
      let at = offset;
      for (const [number, { url, content_sha256 }] of records.entries()) {
        if (content_sha256 !== "") index.add(url, at);
        at += lines[number]!.length;
      }
    };
    // Not awaited: a commit must not wait for the index to be read. Whoever asks the index gets its error.
    this.#index?.then(told, () => {});
    return offset + bytes.length;
  }

  /** Drops lines that were written but never settled because of a crash. Called by the ledger when it opens. */
  async truncateTo(length: number): Promise<void> {
    if (length > this.length) {
      const missing = length - this.length;
      throw new TrawlError("ARCHIVE_DAMAGED", `${this.path} has lost its last ${missing} bytes.`);
    }
    if (length === this.length) return;
    await this.#file.truncate(length);
    this.#index = null;
  }

  /**
   * Keeps the first `length` bytes, followed by these records. The file is replaced as a whole: with a cut and an
   * append, a crash in between would lose the records.
   */
  async replaceBehind(length: number, records: readonly MetadataRecord[]): Promise<void> {
    if (records.length === 0) return this.truncateTo(length);
    const source = await open(this.path, "r");
    try {
      const permissions = (await source.stat()).mode & 0o777;
      const write = async (target: OpenFile): Promise<void> => {
        for await (const part of readRange(source, 0, length)) await target.writeFile(part);
        for (const record of records) await target.writeFile(formatRecord(record));
      };
      await replaceFile(this.path, write, { permissions, fs: this.#fs });
    } finally {
      await source.close();
    }
    const old = this.#file;
    this.#file = await AppendFile.open(old.path, this.#fs);
    this.#index = null;
    await old.close();
  }

  /** The last fetch of a URL that stored or confirmed a page, for a conditional request; null when there was none. */
  async lastLineOf(url: string): Promise<MetadataRecord | null> {
    this.#index ??= this.#readIndex();
    return (await this.#index).find(url, this.path);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #readIndex(): Promise<LineIndex> {
    const index = new LineIndex();
    await index.addFile(this.path, this.length);
    return index;
  }
}

const BLOCK_BYTES = 64;

/** In the line of a fetch that did not store a page. */
const NO_PAGE = Buffer.from('"content_sha256":""');

/**
 * URL → its last line that names a page (a failed fetch after it says nothing of the page), at 16 to 20 bytes per URL
 * whatever the lines hold. A place is kept as the number of the 64-byte block in which the line begins, so that 32 bits
 * reach 256 GB: a line has over 250 bytes of keys alone, so two good lines never begin in one block.
 */
class LineIndex {
  readonly #blocks = new SeenTable();

  get size(): number {
    return this.#blocks.size;
  }

  /** The later line wins, in whatever order they come. */
  add(url: string, offset: number): void {
    const block = Math.floor(offset / BLOCK_BYTES) + 1;
    if (block > this.#blocks.get(url)) this.#blocks.set(url, block);
  }

  async addFile(path: string, to: number): Promise<void> {
    for await (const { bytes, offset } of readLines(path, { to })) {
      const url = bytes.includes(NO_PAGE) ? null : urlOfLine(bytes);
      if (url !== null) this.add(url, offset);
    }
  }

  /** Reads the line back. Null if there isn't one or it is damaged. */
  async find(url: string, path: string): Promise<MetadataRecord | null> {
    const block = this.#blocks.get(url);
    if (block === 0) return null;
    const start = (block - 1) * BLOCK_BYTES;
    // Starts one byte early: a newline there means that a line begins with the block. At the start of the file one
    // always does.
    for await (const { bytes, offset } of readLines(path, { from: Math.max(0, start - 1), chunk: 4096 })) {
      if (offset >= start + BLOCK_BYTES) return null;
      if (offset < start) continue;
      const parsed = parseRecord(bytes);
      // A short damaged line may begin in the same block, and two URLs may share a fingerprint.
      if (!isDamage(parsed) && parsed.url === url) return parsed;
    }
    return null;
  }
}
