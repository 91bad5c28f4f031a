/**
 * `state/spool/discoveries-<unix time>.sums`: for each line of a spool file, its sum and the offset where it ends, so
 * that a line that was lost or changed before it was fetched is noticed. A sum is written once its line is on the disk,
 * and is not synced: after a power cut fewer lines may be covered, never more than there are. Spools from elsewhere
 * have no sums.
 */
import { readdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { crc32 } from "node:zlib";
import { TrawlError } from "../../errors.ts";
import { align } from "../../storage/align.ts";
import { missingAsNull } from "../../storage/durable.ts";
import { type FileSystem, isDiskFull, type OpenFile } from "../../storage/file-system.ts";
import { formatSum, parseSum, sumOf } from "../../storage/line-sums.ts";
import { readLines } from "../../storage/read-lines.ts";
import { type Bookmark, SPOOL_START, spoolFiles, spoolTimestamp } from "./spool-files.ts";

/** Where a spool is, and where its sums are. */
export interface SpoolFolders {
  spool: string;
  spoolSums: string;
}

const SUFFIX = ".sums";
const LINES_SUFFIX = ".jsonl";

const sumsFile = (file: string): string => basename(file, LINES_SUFFIX) + SUFFIX;
export const spoolSumsPath = (folder: string, file: string): string => join(folder, sumsFile(file));

/** Writes the sums of one file of the spool. */
export class SpoolSums {
  readonly #handle: OpenFile;
  #running = 0;
  #end = 0;

  private constructor(handle: OpenFile) {
    this.#handle = handle;
  }

  static async create(folder: string, file: string, fs: FileSystem): Promise<SpoolSums> {
    fs.ensureFolder(folder);
    return new SpoolSums(await fs.open(spoolSumsPath(folder, file), "w"));
  }

  /** The lines are on the disk. */
  async add(lines: readonly string[]): Promise<void> {
    let text = "";
    for (const line of lines) {
      const bytes = Buffer.from(line);
      const sum = sumOf(bytes.subarray(0, -1), this.#running);
      this.#running = sum.running;
      this.#end += bytes.length;
      text += `${formatSum(sum)} ${this.#end}\n`;
    }
    try {
      await this.#handle.writeFile(text);
    } catch (error) {
      // The lines are there; fewer of them are covered.
      if (!isDiskFull(error)) throw error;
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

interface SumEntry {
  check: number;
  /** Where the line ends in its file. */
  end: number;
}

/** Up to the first sum that cannot be read: a power cut damaged it. */
async function* sumEntries(path: string, to: number): AsyncGenerator<SumEntry> {
  for await (const { bytes, flaw } of readLines(path, { to })) {
    const [, sum = "", end = ""] = /^(\S+) (\d{1,15})$/.exec(bytes.toString("latin1")) ?? [];
    const parsed = flaw === null ? parseSum(sum) : null;
    if (parsed === null) return;
    yield { check: parsed.own, end: Number(end) };
  }
}

export interface SpoolDamage {
  file: string;
  line: number;
  what: string;
}

/**
 * What differs from what was written in the files of a spool, starting with a given file. A file that was read to its
 * end may be missing: `read` says how far that is. Changes nothing.
 */
export async function* checkSpool(
  { spool, spoolSums }: SpoolFolders,
  read: Bookmark,
  from: Bookmark = SPOOL_START,
): AsyncGenerator<SpoolDamage> {
  const names = (await readdir(spoolSums).catch(missingAsNull(spoolSums))) ?? [];
  // After the sums: a run may begin a file meanwhile, and a file is there before its sums.
  const there = new Set(await spoolFiles(spool));
  for (const name of names.sort()) {
    const file = basename(name, SUFFIX) + LINES_SUFFIX;
    const timestamp = name.endsWith(SUFFIX) ? spoolTimestamp(file) : null;
    if (timestamp === null || timestamp < timeOf(from)) continue;
    const sums = join(spoolSums, name);
    // The sums that are there now. In a file that still grows, the lines of these sums are already there.
    const { size } = await stat(sums);
    if (there.has(file)) yield* checkFile(join(spool, file), sumEntries(sums, size));
    else if (timestamp > timeOf(read) || (file === read.file && (await hasMore(sumEntries(sums, size), read.offset)))) {
      yield { file, line: 1, what: "is missing" };
    }
  }
}

const timeOf = ({ file }: Bookmark): number => (file === null ? -1 : (spoolTimestamp(file) ?? -1));

async function hasMore(entries: AsyncIterable<SumEntry>, offset: number): Promise<boolean> {
  for await (const { end } of entries) if (end > offset) return true;
  return false;
}

/** Lines after the last sum are not covered. */
async function* checkFile(path: string, entries: AsyncIterable<SumEntry>): AsyncGenerator<SpoolDamage> {
  const file = basename(path);
  const extra: number[] = [];
  let before = 0;
  for await (const { entry, line } of align(entries, checkedLines(path))) {
    if (line !== null) before = line.number;
    if (entry === null) extra.push(before);
    else {
      for (const number of extra.splice(0)) yield { file, line: number, what: "is not as it was written" };
      if (line === null) yield { file, line: before + 1, what: "is missing" };
    }
  }
}

async function* checkedLines(path: string): AsyncGenerator<{ number: number; check: number }> {
  // A torn line is never a line whose sum was written.
  for await (const { number, bytes, flaw } of readLines(path))
    yield { number, check: flaw === null ? crc32(bytes) : -1 };
}

/** From now on, nothing records what was in these files. */
export async function forgetSums({ spoolSums }: SpoolFolders, damaged: readonly SpoolDamage[]): Promise<void> {
  for (const { file } of damaged) await rm(spoolSumsPath(spoolSums, file), { force: true });
}

/** The error for a spool that is not as it was written. */
export const spoolDamaged = (folder: string, { file, line, what }: SpoolDamage): TrawlError =>
  new TrawlError("ARCHIVE_DAMAGED", `${join(folder, file)} line ${line} ${what}.`);
