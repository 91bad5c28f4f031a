/** The files of a ledger: where they are, how they grow, how they are rewritten, and how their lines are read back. */

import { basename, join } from "node:path";
import { TrawlError } from "../../errors.ts";
import { AppendFile } from "../../storage/append-file.ts";
import { replaceFile } from "../../storage/durable.ts";
import { type FileSystem, type OpenFile, realFileSystem } from "../../storage/file-system.ts";
import { type Line, readLines } from "../../storage/read-lines.ts";
import { type Commit, decodeCommit, encodeCommit, historyOf } from "./commit-line.ts";
import { decodeRow, idAtEnd } from "./frontier-line.ts";
import type { KeptNote } from "./robots-line.ts";
import { OPEN, type TaskIndex } from "./task-index.ts";

/** Other tools know the names and formats of the first three; the other two are ours. */
export interface LedgerPaths {
  /** URLs waiting to be fetched, one JSON line each. */
  frontier: string;
  /** URLs that were fetched, one line each. */
  fetched: string;
  /** The robots.txt of each origin, with its expiry. */
  robots: string;
  /** URLs that will not be fetched, with the reason. */
  refused: string;
  /** One line per commit. */
  commits: string;
}

export const ledgerPaths = (folder: string): LedgerPaths => ({
  frontier: join(folder, "frontier.jsonl"),
  fetched: join(folder, "fetched_urls.txt"),
  robots: join(folder, "robots_cache.jsonl"),
  refused: join(folder, "refused.jsonl"),
  commits: join(folder, "commits.jsonl"),
});

const NAMES = ["frontier", "fetched", "robots", "refused", "commits"] as const satisfies (keyof LedgerPaths)[];
type Name = (typeof NAMES)[number];

/** How much is written at once when a file is rewritten. */
const BLOCK_BYTES = 1 << 20;
const NEWLINE = 10;
const LINE_END = Buffer.from("\n");

export class LedgerFiles {
  readonly fs: FileSystem;
  readonly #files: Record<Name, AppendFile>;

  private constructor(files: Record<Name, AppendFile>, fs: FileSystem) {
    this.#files = files;
    this.fs = fs;
  }

  /** Creates the files that are missing. */
  static async open(paths: LedgerPaths, fs = realFileSystem): Promise<LedgerFiles> {
    const files: Partial<Record<Name, AppendFile>> = {};
    try {
      for (const name of NAMES) files[name] = await AppendFile.open(paths[name], fs);
    } catch (error) {
      await Promise.all(Object.values(files).map((file) => file.close()));
      throw error;
    }
    return new LedgerFiles(files as Record<Name, AppendFile>, fs);
  }

  get frontier(): AppendFile {
    return this.#files.frontier;
  }

  get fetched(): AppendFile {
    return this.#files.fetched;
  }

  get robots(): AppendFile {
    return this.#files.robots;
  }

  get refused(): AppendFile {
    return this.#files.refused;
  }

  get commits(): AppendFile {
    return this.#files.commits;
  }

  all(): AppendFile[] {
    return Object.values(this.#files);
  }

  /** Replaces a file, as a whole or not at all, by the lines that `keep` returns, changed or not, followed by `end`. */
  async rewrite(name: Name, keep: (line: Line) => Buffer | null, end = ""): Promise<void> {
    const old = this.#files[name];
    const write = async (handle: OpenFile): Promise<void> => {
      let block: Buffer[] = [];
      let size = 0;
      const flush = async (): Promise<void> => {
        await handle.writeFile(Buffer.concat(block));
        [block, size] = [[], 0];
      };
      for await (const line of readLines(old.path)) {
        const kept = keep(line);
        if (kept === null) continue;
        block.push(kept, LINE_END);
        size += kept.length + 1;
        if (size >= BLOCK_BYTES) await flush();
      }
      block.push(Buffer.from(end));
      await flush();
    };
    await replaceFile(old.path, write, { fs: this.fs });
    // The old file has lost its name, so the open handle is useless.
    this.#files[name] = await AppendFile.open(old.path, this.fs);
    await old.close();
  }

  async close(): Promise<void> {
    await Promise.all(this.all().map((file) => file.close()));
  }
}

/** Most lines are shorter: a longer one costs a second read. */
const LINE_BYTES = 4_096;
/** For lines farther apart than this, reading what lies between costs more than a second read. */
const GAP_BYTES = 16_384;
const MOST_BYTES = 1 << 18;

/** The lines that begin at these offsets, in the order asked for. Lines close together are read together. */
export async function linesAt(file: AppendFile, offsets: readonly number[]): Promise<Buffer[]> {
  const order = offsets.map((_, index) => index).sort((a, b) => offsets[a]! - offsets[b]!);
  const found = new Array<Buffer>(offsets.length);
  let window: Buffer = Buffer.alloc(0);
  let start = 0;
  for (const [rank, index] of order.entries()) {
    const offset = offsets[index]!;
    let end = offset < start + window.length ? window.indexOf(NEWLINE, offset - start) : -1;
    if (end < 0) {
      start = offset;
      for (let size = spanFrom(offsets, order, rank); end < 0; size *= 2) {
        window = await file.read(offset, size);
        end = window.indexOf(NEWLINE);
        if (window.length < size && end < 0) end = window.length;
      }
    }
    found[index] = window.subarray(offset - start, end);
  }
  return found;
}

/** How much to read so that it includes the lines wanted next. */
function spanFrom(offsets: readonly number[], order: readonly number[], rank: number): number {
  const start = offsets[order[rank]!]!;
  let last = start;
  for (let next = rank + 1; next < order.length; next++) {
    const offset = offsets[order[next]!]!;
    if (offset - last > GAP_BYTES || offset - start > MOST_BYTES) break;
    last = offset;
  }
  return last - start + LINE_BYTES;
}

/**
 * Reads a file that a crash may have left with an unfinished end. Takes every good line, and returns where the last one
 * ends, and its number. Bad lines after it were being written when the process died; bad lines before it are damage.
 */
export async function scan<T>(
  file: AppendFile,
  decode: (bytes: Buffer) => T | null,
  counts: (decoded: T) => boolean,
  take: (decoded: T, line: Line) => void | Promise<void>,
): Promise<{ end: number; last: number }> {
  let end = 0;
  let last = 0;
  let bad = 0;
  for await (const line of readLines(file.path)) {
    const decoded = line.flaw === null ? decode(line.bytes) : null;
    if (decoded === null || !counts(decoded)) {
      bad ||= line.number;
      continue;
    }
    if (bad !== 0) throw damaged(file.path, bad);
    const taken = take(decoded, line);
    if (taken !== undefined) await taken;
    end = line.offset + line.length + 1;
    last = line.number;
  }
  return { end, last };
}

/** Lines missing at the end look like a crash, but a commit is written after its lines: they were removed by hand. */
export function checkCount(file: AppendFile, last: number, found: number, written: number): void {
  if (found < written) throw damaged(file.path, last + 1, "is missing");
}

export async function cut(file: AppendFile, end: number, onNotice: (text: string) => void): Promise<void> {
  if (end >= file.length) return;
  onNotice(`${basename(file.path)}: ${file.length - end} bytes of an unfinished write were dropped from its end.`);
  await file.truncate(end);
}

/** The error for a line that the ledger did not write. */
export const damaged = (path: string, line: number, what = "is damaged"): TrawlError =>
  new TrawlError("ARCHIVE_DAMAGED", `${basename(path)} line ${line} ${what}.`);

/** A smaller file is not worth rewriting while a crawl runs. */
const LEAST_BYTES = 1 << 20;

/** More than half is dead. So a file is at most twice as long as necessary, and each byte is copied once or twice. */
export const isMostlyDead = (length: number, dead: number, least = LEAST_BYTES): boolean =>
  dead >= least && dead * 2 > length;

/** Tasks that ended leave the frontier. */
export async function compactFrontier(files: LedgerFiles, index: TaskIndex): Promise<void> {
  await files.rewrite("frontier", ({ bytes, offset }) => {
    const id = idOf(bytes);
    return index.state(id) === OPEN && index.offset(id) === offset ? bytes : null;
  });
  for await (const { bytes, offset } of readLines(files.frontier.path)) index.moveTo(idOf(bytes), offset);
}

/** Of past commits only the ended tasks are kept; `now` repeats everything else. */
export function compactCommits(files: LedgerFiles, now: Commit): Promise<void> {
  const keep = (bytes: Buffer): Buffer | null => {
    const history = historyOf(decodeCommit(bytes)!);
    return history === "" ? null : Buffer.from(history.slice(0, -1));
  };
  return files.rewrite("commits", ({ bytes }) => keep(bytes), encodeCommit(now));
}

/** Only the last answer of each origin is kept. */
export async function compactRobots(files: LedgerFiles, notes: ReadonlyMap<string, KeptNote>): Promise<void> {
  const live = new Map<number, KeptNote>();
  for (const note of notes.values()) if (note.line !== null) live.set(note.line.offset, note);
  const moved: KeptNote[] = [];
  await files.rewrite("robots", ({ bytes, offset }) => {
    const note = live.get(offset);
    if (note === undefined) return null;
    moved.push(note);
    return bytes;
  });
  let offset = 0;
  for (const note of moved) {
    note.line = { offset, bytes: note.line!.bytes };
    offset += note.line.bytes;
  }
}

/** A line may have been edited by hand, with its keys in another order. */
const idOf = (bytes: Buffer): number => idAtEnd(bytes) || (decodeRow(bytes)?.id ?? 0);
