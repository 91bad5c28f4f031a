/** `metadata/crawl_metadata.jsonl`: one line a fetch, never rotated, durable before a URL counts as fetched. */
import { TrawlError } from "../../errors.ts";
import { AppendFile } from "../../storage/append-file.ts";
import type { FileSystem } from "../../storage/file-system.ts";
import { endOfWholeLines } from "../../storage/read-lines.ts";
import { LineIndex } from "./line-index.ts";
import { formatRecord, type MetadataRecord } from "./metadata-record.ts";

export class MetadataLog {
  readonly #file: AppendFile;
  /** Made at the first question: a crawl that never asks for an earlier fetch need not pay for it. */
  #index: Promise<LineIndex> | null = null;

  private constructor(file: AppendFile) {
    this.#file = file;
  }

  /** A last line that a crash cut short is dropped, with a notice. */
  static async open(path: string, onNotice: (text: string) => void, fs?: FileSystem): Promise<MetadataLog> {
    const file = await AppendFile.open(path, fs);
    const whole = await endOfWholeLines((offset, length) => file.read(offset, length), file.length);
    if (whole < file.length) {
      onNotice(`${path}: the last line was cut short by a crash; its ${file.length - whole} bytes are dropped.`);
      await file.truncate(whole);
    }
    return new MetadataLog(file);
  }

  get path(): string {
    return this.#file.path;
  }

  /** Of what is durable, in bytes. */
  get length(): number {
    return this.#file.length;
  }

  /** Resolves, when the records are durable, to the length of the file with them. */
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
    // Not awaited: a commit must not wait for the index to be read. Whoever asks is told of its failure.
    this.#index?.then(told, () => {});
    return offset + bytes.length;
  }

  /** Drops lines that were written but never settled: a crash came between. For the ledger, when it opens. */
  async truncateTo(length: number): Promise<void> {
    if (length > this.length) {
      const missing = length - this.length;
      throw new TrawlError("ARCHIVE_DAMAGED", `${this.path} has lost its last ${missing} bytes.`);
    }
    if (length === this.length) return;
    await this.#file.truncate(length);
    this.#index = null;
  }

  /** The last fetch of a URL that gave a page, or confirmed one, for a conditional request; null when there was none. */
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
