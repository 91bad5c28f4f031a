/** The files of a ledger: where they are, how they grow, how they are rewritten, and how their lines are read back. */

import { basename, join } from "node:path";
import { TrawlError } from "../../errors.ts";
import { AppendFile } from "../../storage/append-file.ts";
import { replaceFile } from "../../storage/durable.ts";
import { type FileSystem, type OpenFile, realFileSystem } from "../../storage/file-system.ts";
import { addSum, withoutSum } from "../../storage/line-sums.ts";
import { type Line, readLines } from "../../storage/read-lines.ts";
import { type Commit, decodeCommit, encodeCommit, historyOf } from "./commit-line.ts";
import { decodeRow, idAtEnd } from "./frontier-line.ts";
import type { KeptNote } from "./robots-line.ts";
import { OpenSeal } from "./seal.ts";
import { Column, OPEN, REFUSED, type TaskIndex } from "./task-index.ts";

/** Other tools know the names and formats of the first three files; the other two are our own. */
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
  /** The last commit that must be there. */
  seal: string;
}

export const ledgerPaths = (folder: string): LedgerPaths => ({
  frontier: join(folder, "frontier.jsonl"),
  fetched: join(folder, "fetched_urls.txt"),
  robots: join(folder, "robots_cache.jsonl"),
  refused: join(folder, "refused.jsonl"),
  commits: join(folder, "commits.jsonl"),
  seal: join(folder, "seal.json"),
});

const NAMES = ["frontier", "fetched", "robots", "refused", "commits"] as const satisfies (keyof LedgerPaths)[];
type Name = (typeof NAMES)[number];
/** The files whose lines have sums. Those of fetched_urls.txt are in the commits. */
type Summed = Exclude<Name, "fetched">;

/** How much is written at once when a file is rewritten. */
const BLOCK_BYTES = 1 << 20;
const NEWLINE = 10;
const LINE_END = Buffer.from("\n");

/** Lines with their sums, to be appended. */
export interface SummedLines {
  lines: Buffer[];
  /** The running sum after the last of them. */
  running: number;
}

export interface Rewrite {
  /** Objects, or lines of fetched_urls.txt, to be added at the end. */
  end?: readonly string[];
  /** Called with the new running sum before the old file is replaced. */
  announce?: (running: number) => Promise<void>;
}

export class LedgerFiles {
  readonly paths: LedgerPaths;
  readonly fs: FileSystem;
  readonly #files: Record<Name, AppendFile>;
  readonly #running: Record<Summed, number> = { frontier: 0, robots: 0, refused: 0, commits: 0 };
  #seal: OpenSeal | null = null;

  private constructor(paths: LedgerPaths, files: Record<Name, AppendFile>, fs: FileSystem) {
    this.paths = paths;
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
    return new LedgerFiles(paths, files as Record<Name, AppendFile>, fs);
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

  /** From here on, no commit up to this one may be missing. */
  async openSeal(commit: number): Promise<void> {
    this.#seal = await OpenSeal.open(this.paths.seal, commit, this.fs);
  }

  get seal(): OpenSeal {
    return this.#seal!;
  }

  all(): AppendFile[] {
    return Object.values(this.#files);
  }

  /** The running sum of a file's lines. */
  running(name: Summed): number {
    return this.#running[name];
  }

  setRunning(name: Summed, running: number): void {
    this.#running[name] = running;
  }

  /** Objects as the next lines of a file. Writes nothing. */
  summed(name: Summed, objects: readonly string[]): SummedLines {
    let running = this.#running[name];
    const lines = objects.map((object) => {
      const added = addSum(object, running);
      running = added.running;
      return added.line;
    });
    return { lines, running };
  }

  /** Resolves to the offset where the lines begin, once they are on the disk. */
  async append(name: Summed, { lines, running }: SummedLines): Promise<number> {
    const file = this.#files[name];
    if (lines.length === 0) return file.length;
    const at = await file.append(Buffer.concat(lines));
    this.#running[name] = running;
    return at;
  }

  /**
   * Replaces a file, as a whole or not at all, with the lines that `keep` returns, changed or not, followed by further
   * lines. Sums start over.
   */
  async rewrite(name: Name, keep: (line: Line) => Buffer | string | null, { end = [], announce }: Rewrite = {}) {
    const old = this.#files[name];
    let running = 0;
    const encode = (line: Buffer | string): Buffer => {
      if (name === "fetched") return Buffer.concat([Buffer.from(line as string), LINE_END]);
      const added = addSum(typeof line === "string" ? line : withoutSum(line), running);
      running = added.running;
      return added.line;
    };
    const write = async (handle: OpenFile): Promise<void> => {
      let block: Buffer[] = [];
      let size = 0;
      const add = async (line: Buffer | string): Promise<void> => {
        const bytes = encode(line);
        block.push(bytes);
        size += bytes.length;
        if (size >= BLOCK_BYTES) await flush();
      };
      const flush = async (): Promise<void> => {
        await handle.writeFile(Buffer.concat(block));
        [block, size] = [[], 0];
      };
      for await (const line of readLines(old.path)) {
        const kept = keep(line);
        if (kept !== null) await add(kept);
      }
      for (const line of end) await add(line);
      await flush();
      await announce?.(running);
    };
    await replaceFile(old.path, write, { fs: this.fs });
    // The old file has lost its name, so the open handle is useless.
    this.#files[name] = await AppendFile.open(old.path, this.fs);
    if (name !== "fetched") this.#running[name] = running;
    await old.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.all(), ...(this.#seal === null ? [] : [this.#seal])].map((file) => file.close()));
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

/** How much to read to include the lines wanted next. */
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

export async function cut(file: AppendFile, end: number, onNotice: (text: string) => void): Promise<void> {
  if (end >= file.length) return;
  onNotice(`${basename(file.path)}: ${file.length - end} bytes of an unfinished write were dropped from its end.`);
  await file.truncate(end);
}

/** The error for a line that the ledger did not write. */
export const damaged = (path: string, line: number, what: string): TrawlError =>
  new TrawlError("ARCHIVE_DAMAGED", `${path} line ${line} ${what}.`);

/** Stops at the first damage that is found. */
export const refuseDamage = (path: string, line: number, what: string): never => {
  throw damaged(path, line, what);
};

/** A smaller file is not worth rewriting while a crawl runs. */
const LEAST_BYTES = 1 << 20;

/**
 * More than half of the file is dead. So a file is at most twice as long as necessary, and each byte is copied once or
 * twice.
 */
export const isMostlyDead = (length: number, dead: number, least = LEAST_BYTES): boolean =>
  dead >= least && dead * 2 > length;

/** Before a file is replaced, a commit says what its sum will be. */
type Announce = Rewrite["announce"];

/** Ended tasks leave the frontier. */
export async function compactFrontier(files: LedgerFiles, index: TaskIndex, announce: Announce): Promise<void> {
  const keep = ({ bytes, offset }: Line): Buffer | null => {
    const id = idOf(bytes);
    return index.state(id) === OPEN && index.offset(id) === offset ? bytes : null;
  };
  await files.rewrite("frontier", keep, { announce });
  for await (const { bytes, offset } of readLines(files.frontier.path)) index.moveTo(idOf(bytes), offset);
}

/** URLs that were admitted after all leave the list; where a URL was refused twice, the last line stays. */
export async function compactRefused(files: LedgerFiles, index: TaskIndex, announce: Announce): Promise<void> {
  const lines = new Column(Uint32Array);
  for await (const { bytes, number } of readLines(files.refused.path)) lines.set(idOf(bytes), number);
  const keep = ({ bytes, number }: Line): Buffer | null => {
    const id = idOf(bytes);
    return index.state(id) === REFUSED && lines.get(id) === number ? bytes : null;
  };
  await files.rewrite("refused", keep, { announce });
}

/** Past commits keep only the ended tasks; `now` repeats everything else. */
export const compactCommits = (files: LedgerFiles, now: Commit): Promise<void> =>
  files.rewrite("commits", ({ bytes }) => historyOf(decodeCommit(bytes)!), { end: [encodeCommit(now)] });

/** Only the last answer of each origin is kept. */
export async function compactRobots(
  files: LedgerFiles,
  notes: ReadonlyMap<string, KeptNote>,
  announce: Announce,
): Promise<void> {
  const live = new Map<number, KeptNote>();
  for (const note of notes.values()) if (note.line !== null) live.set(note.line.offset, note);
  const moved: KeptNote[] = [];
  const keep = ({ bytes, offset }: Line): Buffer | null => {
    const note = live.get(offset);
    if (note === undefined) return null;
    moved.push(note);
    return bytes;
  };
  await files.rewrite("robots", keep, { announce });
  for await (const { number, offset, length } of readLines(files.robots.path)) {
    moved[number - 1]!.line = { offset, bytes: length + 1 };
  }
}

/** A line may have been edited by hand, with its keys in another order. */
const idOf = (bytes: Buffer): number => idAtEnd(bytes) || (decodeRow(bytes)?.id ?? 0);
