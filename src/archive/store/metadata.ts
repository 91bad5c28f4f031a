/** `metadata/crawl_metadata.jsonl`: one line per fetch, never rotated, durable before a URL counts as fetched. */
import { TrawlError } from "../../errors.ts";
import { SeenTable } from "../../kernel/seen.ts";
import { AppendFile } from "../../storage/append-file.ts";
import { type FileSystem, realFileSystem } from "../../storage/file-system.ts";
import { formatSum, sumOf } from "../../storage/line-sums.ts";
import { endOfWholeLines, readLines } from "../../storage/read-lines.ts";
import { dropLines } from "./drop-lines.ts";
import { formatRecord, isDamage, type MetadataRecord, parseRecord, urlOfLine } from "./metadata-record.ts";
import {
  type Committed,
  checkMetadata,
  lastMark,
  metadataDamaged,
  type RecordsEnd,
  sumsPath,
  writeSums,
} from "./metadata-sums.ts";

export class MetadataLog {
  readonly #fs: FileSystem;
  readonly #onNotice: (text: string) => void;
  #file: AppendFile;
  #sums: AppendFile;
  /** The running sum of the lines; null until the lines are known to be as they were written. */
  #running: number | null = null;
  /** Read on first use, so that a crawl that never asks for an earlier fetch does not pay for it. */
  #index: Promise<LineIndex> | null = null;

  private constructor(file: AppendFile, sums: AppendFile, onNotice: (text: string) => void, fs: FileSystem) {
    this.#fs = fs;
    this.#onNotice = onNotice;
    this.#file = file;
    this.#sums = sums;
  }

  /** Nothing can be appended before `recover`. */
  static async open(path: string, onNotice: (text: string) => void, fs = realFileSystem): Promise<MetadataLog> {
    const file = await AppendFile.open(path, fs);
    try {
      return new MetadataLog(file, await AppendFile.open(sumsPath(path), fs), onNotice, fs);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get path(): string {
    return this.#file.path;
  }

  /** How far the durable lines go. */
  get mark(): RecordsEnd {
    return { bytes: this.#file.length, sum: this.#running ?? 0 };
  }

  /** Resolves to how far the file goes once the records are durable. */
  async append(records: readonly MetadataRecord[]): Promise<RecordsEnd> {
    if (records.length === 0) return this.mark;
    if (this.#running === null) throw new Error("The metadata was not recovered.");
    const lines = records.map((record) => Buffer.from(formatRecord(record)));
    let running = this.#running;
    const sums = lines.map((line) => {
      const sum = sumOf(line.subarray(0, -1), running);
      running = sum.running;
      return `${formatSum(sum)}\n`;
    });
    // Set at once, because the next append may come before this one is durable.
    this.#running = running;
    const bytes = Buffer.concat(lines);
    const [at] = await Promise.allSettled([
      this.#file.append(bytes),
      this.#sums.append(Buffer.from(sums.join(""))),
    ]).then(([file, sum]) => [settled(file), settled(sum)]);
    const told = (index: LineIndex): void => {
      let offset = at!;
      for (const [number, { url, content_sha256 }] of records.entries()) {
        if (content_sha256 !== "") index.add(url, offset);
        offset += lines[number]!.length;
      }
    };
    // Not awaited, because a commit must not wait for the index to be read. Callers that use the index get its error.
    this.#index?.then(told, () => {});
    return { bytes: at! + bytes.length, sum: running };
  }

  /**
   * Compares the file with what the ledgers that write to it have committed, and throws when it differs. Otherwise drops the
   * lines after the last commit, which a crash left.
   */
  async recover(ledgers: readonly Committed[]): Promise<void> {
    const last = lastMark(ledgers);
    const { bytes, sum } = this.mark;
    if (this.#running !== null && last?.bytes === bytes && last.sum === sum) return;
    if (last === null) return this.#begin(ledgers);
    const check = await checkMetadata(this.path, await this.#withoutMarks(ledgers, last.bytes));
    if (check.damaged.length > 0) throw metadataDamaged(this.path, check.damaged[0]!);
    await this.#cut(this.#file, check.bytes);
    await this.#cut(this.#sums, (check.tail - 1) * SUM_LINE_BYTES);
    this.#running = check.running;
  }

  /** A deleted ledger has left its lines; they do not come from a crash of another ledger. */
  async #withoutMarks(ledgers: readonly Committed[], from: number): Promise<Committed[]> {
    const marked: Committed[] = [];
    for (const ledger of ledgers) {
      const hasLines = ledger.mark === null && (await hasLinesOf(this.path, from, ledger.isOwn));
      marked.push({ ...ledger, isEndLost: ledger.isEndLost || hasLines });
    }
    return marked;
  }

  /**
   * No ledger vouches for the lines: they are from before there were sums, or from elsewhere. They are taken as they
   * are.
   */
  async #begin(ledgers: readonly Committed[]): Promise<void> {
    const whole = await endOfWholeLines((offset, length) => this.#file.read(offset, length), this.#file.length);
    await this.#cut(this.#file, whole);
    if (whole === 0) {
      await this.#cut(this.#sums, 0);
      this.#running = 0;
      return;
    }
    await dropUnsettled(this.path, ledgers, this.#fs);
    const { sum } = await writeSums(this.path, this.#fs);
    const old = [this.#file, this.#sums];
    this.#file = await AppendFile.open(this.path, this.#fs);
    this.#sums = await AppendFile.open(sumsPath(this.path), this.#fs);
    await Promise.all(old.map((file) => file.close()));
    this.#running = sum;
    this.#index = null;
  }

  async #cut(file: AppendFile, end: number): Promise<void> {
    if (end >= file.length) return;
    if (file === this.#file) {
      this.#onNotice(
        `${file.path}: ${file.length - end} bytes of lines that a crash cut short or left without a commit were dropped.`,
      );
    }
    await file.truncate(end);
    this.#index = null;
  }

  /** The last fetch of a URL that stored or confirmed a page, for a conditional request; null when there was none. */
  async lastLineOf(url: string): Promise<MetadataRecord | null> {
    this.#index ??= this.#readIndex();
    return (await this.#index).find(url, this.path);
  }

  /** Whether there are lines that a ledger with sums has committed. */
  get hasSums(): boolean {
    return this.#file.length > 0 && this.#sums.length > 0;
  }

  async close(): Promise<void> {
    await Promise.all([this.#file.close(), this.#sums.close()]);
  }

  async #readIndex(): Promise<LineIndex> {
    const index = new LineIndex();
    await index.addFile(this.path, this.#file.length);
    return index;
  }
}

const SUM_LINE_BYTES = 17;

function settled<T>(result: PromiseSettledResult<T>): T {
  if (result.status === "rejected") throw result.reason;
  return result.value;
}

/** Whether a ledger has written lines from this byte on. */
export async function hasLinesOf(path: string, from: number, isOwn: Committed["isOwn"]): Promise<boolean> {
  for await (const { bytes } of readLines(path, { from })) {
    const record = parseRecord(bytes);
    if (!isDamage(record) && isOwn(record)) return true;
  }
  return false;
}

/**
 * For ledgers from before there were sums: drops the lines that a crash left after the last commit of the ledger that wrote
 * them. Two ledgers may share the file, so lines of one can lie behind the last commit of the other. Whole lines only.
 */
async function dropUnsettled(path: string, ledgers: readonly Committed[], fs: FileSystem): Promise<void> {
  const marks = ledgers.flatMap(({ mark, isOwn }) => (mark === null ? [] : [{ bytes: mark.bytes, isOwn }]));
  if (marks.length === 0) return;
  const dropped = new Set<number>();
  let end = 0;
  const isBoundary = new Set([0]);
  for await (const { number, offset, length, bytes } of readLines(path)) {
    const record = parseRecord(bytes);
    const own = isDamage(record) ? marks.at(-1)! : marks.find(({ isOwn }) => isOwn(record));
    if (own !== undefined && offset >= own.bytes) dropped.add(number);
    end = offset + length + 1;
    if (marks.some((mark) => mark.bytes === end)) isBoundary.add(end);
  }
  // Another ledger may have dropped lines before ours. A ledger that is alone knows exactly where its lines end.
  const [only] = marks;
  if (ledgers.length === 1 && !isBoundary.has(only!.bytes)) {
    const what = only!.bytes > end ? `has lost its last ${only!.bytes - end} bytes` : "was changed";
    throw new TrawlError("ARCHIVE_DAMAGED", `${path} ${what}.`);
  }
  if (dropped.size > 0) await dropLines(path, dropped, fs);
}

const BLOCK_BYTES = 64;

/** The value in the line of a fetch that did not store a page. */
const NO_PAGE = Buffer.from('"content_sha256":""');

/**
 * URL → its last line that names a page (a later failed fetch says nothing about the page), at 16 to 20 bytes per URL
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

  /** Reads the line back. Null if it is missing or damaged. */
  async find(url: string, path: string): Promise<MetadataRecord | null> {
    const block = this.#blocks.get(url);
    if (block === 0) return null;
    const start = (block - 1) * BLOCK_BYTES;
    // Starts one byte early: a newline there means that a line begins with the block. At the start of the file, a line
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
