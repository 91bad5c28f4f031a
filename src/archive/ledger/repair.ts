/**
 * Repairs a damaged ledger: every good line stays, bad lines go to a separate file, and the commits are rewritten
 * to agree with what is left. Must not run during a crawl.
 *
 * A URL that has lost its line in fetched_urls.txt is forgotten, or open again if the frontier still has it. A line
 * there whose commit is lost still counts as fetched.
 */
import { basename, join } from "node:path";
import { CRAWL } from "../../kernel/task.ts";
import { AppendFile } from "../../storage/append-file.ts";
import type { FileSystem } from "../../storage/file-system.ts";
import { type Line, readLines } from "../../storage/read-lines.ts";
import type { DamagedLine } from "./check.ts";
import { decodeFetched, encodeFetched, fetchedLines } from "./commit-line.ts";
import { decodeRow, encodeRow, type Row } from "./frontier-line.ts";
import { LedgerFiles, type LedgerPaths } from "./ledger-files.ts";
import { align, type Entry, RepairedCommits } from "./repaired-commits.ts";
import { decodeRobots } from "./robots-line.ts";

export interface LedgerRepairOptions {
  paths: LedgerPaths;
  /** Where the bad lines go, as `damaged-<time>.txt`. */
  stateFolder: string;
  /** Wall time in ms. */
  now: number;
  /** The new length of the record log when it was repaired as well; null when it was not touched. */
  recordsLength: number | null;
  /** URLs whose records are lost, to be fetched again. */
  reopen: readonly { url: string; depth?: number }[];
  kindOf: (url: string) => number;
  pageType: (kind: number) => string;
  fs?: FileSystem;
}

export interface LedgerRepair {
  damaged: DamagedLine[];
  /** Holds those lines; null when there were none. */
  damagedFile: string | null;
  /** How many URLs are open again. */
  reopened: number;
}

export async function repairLedger(options: LedgerRepairOptions): Promise<LedgerRepair> {
  const files = await LedgerFiles.open(options.paths, options.fs);
  try {
    return await new Repair(options, files).run();
  } finally {
    await files.close();
  }
}

/** Written in blocks: a file may be bad from end to end. */
const BLOCK_BYTES = 1 << 20;

/** Moves bad lines to a separate file: nothing that someone may still want to read is deleted. */
class DamagedLines {
  readonly path: string;
  readonly found: DamagedLine[] = [];
  readonly #bytes: Buffer[] = [];
  readonly #fs: FileSystem | undefined;
  #size = 0;

  constructor(stateFolder: string, now: number, fs?: FileSystem) {
    this.#fs = fs;
    this.path = join(stateFolder, `damaged-${Math.floor(now / 1_000)}.txt`);
  }

  async add(path: string, { number, bytes }: Pick<Line, "number" | "bytes">): Promise<void> {
    this.found.push({ file: basename(path), line: number });
    this.#bytes.push(Buffer.concat([bytes, Buffer.from("\n")]));
    this.#size += bytes.length;
    if (this.#size >= BLOCK_BYTES) await this.flush();
  }

  /** Appends: the metadata's repair may write to the same file. */
  async flush(): Promise<void> {
    if (this.#bytes.length === 0) return;
    const file = await AppendFile.open(this.path, this.#fs);
    try {
      await file.append(Buffer.concat(this.#bytes.splice(0)));
      this.#size = 0;
    } finally {
      await file.close();
    }
  }
}

class Repair {
  readonly #options: LedgerRepairOptions;
  readonly #files: LedgerFiles;
  readonly #damaged: DamagedLines;
  readonly #commits: RepairedCommits;
  /** Lines of fetched_urls.txt that are removed. */
  readonly #dropped = new Set<number>();
  /** URLs that a lost commit had fetched, with the id under which the frontier knows them, if it does. */
  readonly #adopted = new Map<string, Pick<Row, "id" | "place" | "lane"> | null>();
  /** Ended tasks that are open again, by id, unless the frontier still has them. */
  readonly #reopened = new Map<number, Row>();
  #highest = 0;

  constructor(options: LedgerRepairOptions, files: LedgerFiles) {
    this.#options = options;
    this.#files = files;
    this.#damaged = new DamagedLines(options.stateFolder, options.now, options.fs);
    this.#commits = new RepairedCommits(files.commits.path);
  }

  async run(): Promise<LedgerRepair> {
    const { frontier, refused, robots } = this.#files;
    await this.#commits.read((line) => this.#damaged.add(this.#files.commits.path, line));
    await this.#readFetched();
    const reopened = this.#reopened.size;
    const badFrontier = await this.#badLines(frontier.path, (bytes) => this.#see(decodeRow(bytes)));
    const badRefused = await this.#badLines(refused.path, (bytes) => this.#see(decodeRow(bytes)));
    const badRobots = await this.#badLines(robots.path, (bytes) => this.#commits.supersede(decodeRobots(bytes)));
    this.#commits.adopt([...this.#adopted].map(([key, known]) => ({ key, ...(known ?? this.#newTask()) })));

    // Copies of what is removed come first, the commits last: after a crash in between, repairing again does the rest.
    await this.#damaged.flush();
    await this.#rewrite("frontier", badFrontier, [...this.#reopened.values()].map(encodeRow).join(""));
    await this.#rewrite("refused", badRefused);
    await this.#rewrite("robots", badRobots);
    await this.#rewrite("fetched", this.#dropped, [...this.#adopted.keys()].map(encodeFetched).join(""));
    await this.#files.rewrite("commits", () => null, this.#commits.text(this.#options.recordsLength));
    const { found, path } = this.#damaged;
    return { damaged: found, damagedFile: found.length > 0 ? path : null, reopened };
  }

  async #readFetched(): Promise<void> {
    const { path } = this.#files.fetched;
    const reopen = new Map(this.#options.reopen.map(({ url, depth }) => [url, depth ?? 0]));
    let withoutCommit: string[] = [];
    const adopt = (): void => {
      for (const url of withoutCommit.splice(0)) this.#adopted.set(url, null);
    };
    for await (const { entry, line, isSpoilt } of align(this.#commits.entries(), fetchedLines(path))) {
      if (line === null) continue;
      const url = decodeFetched(line.bytes.toString());
      if (entry !== null) {
        // A commit follows, so the lines before it were not an unfinished end.
        adopt();
        this.#highest = Math.max(this.#highest, entry.id, entry.place);
        if (!reopen.has(url!)) this.#commits.keep(entry, url!);
        else {
          this.#reopen(entry, url!, reopen.get(url!)!);
          this.#dropped.add(line.number);
        }
        continue;
      }
      this.#dropped.add(line.number);
      if (isSpoilt || url === null || !URL.canParse(url)) await this.#damaged.add(path, line);
      else withoutCommit.push(url);
    }
    if (this.#commits.isEmpty) adopt();
    else withoutCommit = [];
  }

  #reopen({ id, place, lane }: Entry, key: string, depth: number): void {
    const kind = this.#options.kindOf(key);
    this.#reopened.set(id, {
      id,
      place,
      lane,
      key,
      depth,
      kind,
      parent: 0,
      via: 0,
      hops: 0,
      verdict: CRAWL,
      pageType: this.#options.pageType(kind),
      referrer: null,
      discoveredAt: Math.floor(this.#options.now / 1_000),
      commit: this.#commits.last,
    });
  }

  /** Uses what a good row says about the others. */
  #see(row: Row | null): Row | null {
    if (row === null) return null;
    this.#highest = Math.max(this.#highest, row.id, row.place);
    this.#reopened.delete(row.id);
    const { id, place, lane } = row;
    if (row.verdict.action === "crawl" && this.#adopted.has(row.key)) this.#adopted.set(row.key, { id, place, lane });
    return row;
  }

  /** The numbers of the lines to remove: bad ones, and those of a commit that never ended. */
  async #badLines(path: string, decode: (bytes: Buffer) => { commit: number } | null): Promise<Set<number>> {
    const numbers = new Set<number>();
    for await (const line of readLines(path)) {
      const decoded = line.flaw === null ? decode(line.bytes) : null;
      if (decoded === null) await this.#damaged.add(path, line);
      // Without any commit, nothing says which of them ended.
      else if (this.#commits.isEmpty) this.#commits.last = Math.max(this.#commits.last, decoded.commit);
      if (decoded === null || decoded.commit > this.#commits.last) numbers.add(line.number);
    }
    return numbers;
  }

  #newTask(): Pick<Row, "id" | "place" | "lane"> {
    const id = ++this.#highest;
    return { id, place: id, lane: "" };
  }

  async #rewrite(name: "frontier" | "refused" | "robots" | "fetched", without: Set<number>, end = ""): Promise<void> {
    if (without.size === 0 && end === "") return;
    await this.#files.rewrite(name, ({ number, bytes }) => (without.has(number) ? null : bytes), end);
  }
}
