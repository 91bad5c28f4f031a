/**
 * Repairs a damaged ledger: every good line stays, bad lines go to a separate file, and the commits are rewritten
 * to agree with what is left. Must not run during a crawl.
 *
 * A URL that has lost its line in fetched_urls.txt is forgotten, or open again if the frontier still has it. A line
 * there whose commit is lost still counts as fetched.
 */
import { existsSync } from "node:fs";
import { basename, join, relative } from "node:path";
import type { Note } from "../../kernel/ledger.ts";
import { SeenTable } from "../../kernel/seen.ts";
import { CRAWL } from "../../kernel/task.ts";
import { align } from "../../storage/align.ts";
import { AppendFile } from "../../storage/append-file.ts";
import { linkAside } from "../../storage/durable.ts";
import { type FileSystem, realFileSystem } from "../../storage/file-system.ts";
import { readSum } from "../../storage/line-sums.ts";
import { type Line, readLines } from "../../storage/read-lines.ts";
import { checkLedger, type DamagedLine } from "./check.ts";
import { type Commit, checkOf, decodeFetched, encodeFetched, fetchedLines, type Marked } from "./commit-line.ts";
import { decodeRow, encodeRow, type Row } from "./frontier-line.ts";
import { LedgerFiles, type LedgerPaths } from "./ledger-files.ts";
import type { RecordMark } from "./record-log.ts";
import { type Entry, goodCommits, RepairedCommits } from "./repaired-commits.ts";
import { decodeRobots } from "./robots-line.ts";
import { writeSeal } from "./seal.ts";
import { Column } from "./task-index.ts";

export interface LedgerRepairOptions {
  paths: LedgerPaths;
  /** Where the bad lines go, as `damaged-<time>.txt`, and copies of damaged files, in `damaged-<time>/`. */
  stateFolder: string;
  /** Wall time in ms. */
  now: number;
  /** How far the record log goes if it was repaired as well; null when it was not touched. */
  records: RecordMark | null;
  /** URLs that the record log has, in its order: they were fetched, whatever the ledger says. */
  recorded?: () => AsyncIterable<RecordedUrl>;
  /** URLs whose records are lost, to be fetched again. */
  reopen: readonly { url: string; depth?: number }[];
  kindOf: (url: string) => number;
  pageType: (kind: number) => string;
  /** A note for the next run, written when URLs may be lost that nothing in the ledger names any more. */
  whenUrlsAreLost?: Note;
  /** Known damage that the files themselves do not show. */
  known?: readonly DamagedLine[];
  fs?: FileSystem;
}

export interface RecordedUrl {
  url: string;
  state: "done" | "failed";
}

export interface LedgerRepair {
  /** What was wrong. */
  damaged: DamagedLine[];
  /** Holds the bad lines; null when there were none. */
  damagedFile: string | null;
  /** Damaged files as they were. */
  kept: string[];
  /** How many URLs are open again. */
  reopened: number;
  /** How many URLs count as fetched again because the record log has them. */
  restored: number;
  /** URLs may be lost that nothing in the ledger names any more. */
  mayLackUrls: boolean;
}

export async function repairLedger(options: LedgerRepairOptions): Promise<LedgerRepair> {
  const damaged = [...(await checkLedger(options.paths)), ...(options.known ?? [])];
  const commits = await goodCommits(options.paths);
  const isOutdated = options.records !== null && !commits.isEmpty && !isSame(commits.records, options.records);
  if (damaged.length === 0 && options.reopen.length === 0 && !isOutdated && existsSync(options.paths.commits)) {
    return { damaged, damagedFile: null, kept: [], reopened: 0, restored: 0, mayLackUrls: false };
  }
  const kept = await keepOriginals(options, damaged);
  const files = await LedgerFiles.open(options.paths, options.fs);
  try {
    const repair = await new Repair(options, files, damaged).run();
    return { damaged, kept, ...repair };
  } finally {
    await files.close();
  }
}

const isSame = (said: Commit["records"] | null, { bytes, sum }: RecordMark): boolean =>
  typeof said === "object" && said !== null && said[0] === bytes && said[1] === sum;

/** Damaged files get a second name before they are replaced. */
async function keepOriginals(
  { paths, stateFolder, now, fs = realFileSystem }: LedgerRepairOptions,
  damaged: DamagedLine[],
) {
  const names = new Set(damaged.map(({ file }) => file));
  const kept: string[] = [];
  for (const path of Object.values(paths)) {
    if (!names.has(basename(path)) || !existsSync(path)) continue;
    const inside = relative(stateFolder, path);
    const name = inside.startsWith("..") ? basename(path) : inside;
    const target = join(stateFolder, `damaged-${Math.floor(now / 1_000)}`, name);
    await linkAside(path, target, fs);
    kept.push(target);
  }
  return kept;
}

/** Written in blocks: a file may be bad from end to end. */
const BLOCK_BYTES = 1 << 20;

/** Moves bad lines to a separate file: nothing that someone may still want to read is deleted. */
class DamagedLines {
  readonly path: string;
  found = 0;
  readonly #bytes: Buffer[] = [];
  readonly #fs: FileSystem | undefined;
  #size = 0;

  constructor(stateFolder: string, now: number, fs?: FileSystem) {
    this.#fs = fs;
    this.path = join(stateFolder, `damaged-${Math.floor(now / 1_000)}.txt`);
  }

  async add({ bytes }: Pick<Line, "bytes">): Promise<void> {
    this.found++;
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
  readonly #found: readonly DamagedLine[];
  /** Lines of fetched_urls.txt that are removed. */
  readonly #dropped = new Set<number>();
  /** Ended tasks whose lines in fetched_urls.txt are lost, by the check of the line. */
  readonly #lost = new Map<number, Entry>();
  /** Lines that are added to fetched_urls.txt. */
  readonly #restored: string[] = [];
  /** URLs that a lost commit had fetched, with the id under which the frontier knows them, if it does. */
  readonly #adopted = new Map<string, Pick<Row, "id" | "place" | "lane"> | null>();
  /** Ended tasks that are open again, by id, unless the frontier still has them. */
  readonly #reopened = new Map<number, Row>();
  /** URLs that the ledger still knows. */
  readonly #known = new SeenTable();
  /** URLs to fetch again, with their depths. */
  readonly #reopen: ReadonlyMap<string, number>;
  #highest = 0;

  constructor(options: LedgerRepairOptions, files: LedgerFiles, found: readonly DamagedLine[]) {
    this.#options = options;
    this.#files = files;
    this.#found = found;
    this.#damaged = new DamagedLines(options.stateFolder, options.now, options.fs);
    this.#commits = new RepairedCommits(options.paths);
    this.#reopen = new Map(options.reopen.map(({ url, depth }) => [url, depth ?? 0]));
  }

  async run(): Promise<Omit<LedgerRepair, "damaged" | "kept">> {
    await this.#commits.read((line) => this.#damaged.add(line));
    await this.#readFetched();
    const reopened = this.#reopened.size;
    const badFrontier = await this.#badLines("frontier", (bytes) => this.#see(decodeRow(bytes)));
    const badRefused = await this.#badLines("refused", (bytes) => this.#see(decodeRow(bytes)));
    const badRobots = await this.#badLines("robots", (bytes) => this.#commits.supersede(decodeRobots(bytes)));
    const restored = await this.#restore();
    this.#commits.adopt([...this.#adopted].map(([key, known]) => ({ key, ...(known ?? this.#newTask()) })));
    const { whenUrlsAreLost } = this.#options;
    const mayLackUrls = this.#hasLostUrls();
    if (whenUrlsAreLost !== undefined && mayLackUrls) {
      this.#commits.setNote(whenUrlsAreLost.key, whenUrlsAreLost.value);
    }

    // Copies of what is removed come first, the commits last: after a crash in between, repairing again does the rest.
    await this.#damaged.flush();
    await this.#rewrite("frontier", badFrontier, [...this.#reopened.values()].map(encodeRow));
    await this.#rewrite("refused", badRefused);
    await this.#rewrite("robots", badRobots);
    const added = [...this.#restored, ...[...this.#adopted.keys()].map((url) => encodeFetched(url).slice(0, -1))];
    await this.#rewrite("fetched", this.#dropped, added);
    await this.#rewriteCommits();
    const { found, path } = this.#damaged;
    return { damagedFile: found > 0 ? path : null, reopened, restored, mayLackUrls };
  }

  async #rewriteCommits(): Promise<void> {
    const { records } = this.#options;
    const said = this.#commits.records;
    const { commits, last } = this.#commits.rewritten({
      sums: {
        frontier: this.#files.running("frontier"),
        refused: this.#files.running("refused"),
        robots: this.#files.running("robots"),
      },
      ...(records !== null ? { records: [records.bytes, records.sum] } : said !== null && { records: said }),
    });
    await this.#files.rewrite("commits", () => null, { end: commits });
    await writeSeal(this.#options.paths.seal, { commit: last, closed: true }, this.#options.fs);
  }

  /** Only robots.txt is known to contain no URLs. */
  #hasLostUrls(): boolean {
    return this.#found.some(({ file }) => file !== basename(this.#options.paths.robots));
  }

  async #readFetched(): Promise<void> {
    const { path } = this.#files.fetched;
    const reopen = this.#reopen;
    const withoutCommit: string[] = [];
    const adopt = (): void => {
      for (const url of withoutCommit.splice(0)) if (!reopen.has(url)) this.#adopted.set(url, null);
    };
    for await (const { entry, line, isSpoilt } of align(this.#commits.entries(), fetchedLines(path))) {
      if (entry !== null) this.#highest = Math.max(this.#highest, entry.id, entry.place);
      if (line === null) {
        this.#lost.set(entry!.check, entry!);
        continue;
      }
      const url = decodeFetched(line.bytes.toString());
      if (entry !== null) {
        // A commit follows, so the lines before it were not an unfinished end.
        adopt();
        if (!reopen.has(url!)) this.#keep(entry, url!);
        else {
          this.#open(entry, url!, reopen.get(url!)!);
          this.#dropped.add(line.number);
        }
        continue;
      }
      this.#dropped.add(line.number);
      if (isSpoilt || url === null || !URL.canParse(url)) await this.#damaged.add(line);
      else withoutCommit.push(url);
    }
    if (this.#commits.isEndLost) adopt();
  }

  #keep(entry: Entry, url: string): void {
    this.#commits.keep(entry, url);
    this.#known.set(url, 1);
  }

  /** Whatever the record log has was fetched: lost lines of fetched_urls.txt are restored from there. */
  async #restore(): Promise<number> {
    let restored = 0;
    for await (const { url, state } of this.#options.recorded?.() ?? []) {
      if (this.#known.get(url) !== 0 || this.#adopted.has(url) || this.#reopen.has(url)) continue;
      const line = encodeFetched(url).slice(0, -1);
      const lost = this.#lost.get(checkOf(line));
      // Without an entry and a line, a URL may have been requested again, and its record may be from an earlier fetch.
      if (lost === undefined && !this.#hasLostUrls()) continue;
      this.#keep(lost ?? { ...this.#newTask(), state, reason: null, check: 0 }, url);
      this.#restored.push(line);
      restored++;
    }
    return restored;
  }

  #open({ id, place, lane }: Entry, key: string, depth: number): void {
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
    if (!this.#isLost(row)) this.#known.set(row.key, 1);
    if (row.verdict.action === "crawl" && this.#adopted.has(row.key)) this.#adopted.set(row.key, { id, place, lane });
    return row;
  }

  /** A row of a task that has ended: the record log may still have its URL. */
  #isLost({ id, key }: Row): boolean {
    return this.#lost.get(checkOf(encodeFetched(key).slice(0, -1)))?.id === id;
  }

  /** The numbers of the lines to remove: bad lines, duplicates, and lines of a commit that never ended. */
  async #badLines(name: Marked, decode: (bytes: Buffer) => Decoded | null): Promise<Set<number>> {
    const { path } = this.#files[name];
    const numbers = new Set<number>();
    const commitOf = new Column(Uint32Array);
    for await (const line of readLines(path)) {
      const isIntact = line.flaw === null && (this.#commits.isOld || readSum(line.bytes) !== null);
      const decoded = isIntact ? decode(line.bytes) : null;
      if (decoded === null) await this.#damaged.add(line);
      // Nothing says which of them ended.
      else if (this.#commits.isEndLost) this.#commits.last = Math.max(this.#commits.last, decoded.commit);
      const isTwice = decoded?.id !== undefined && commitOf.get(decoded.id) === decoded.commit + 1;
      if (decoded?.id !== undefined) commitOf.set(decoded.id, decoded.commit + 1);
      if (decoded === null || decoded.commit > this.#commits.last || isTwice) numbers.add(line.number);
    }
    return numbers;
  }

  #newTask(): Pick<Row, "id" | "place" | "lane"> {
    const id = ++this.#highest;
    return { id, place: id, lane: "" };
  }

  /** Rewritten even when nothing is removed, because the sums may be wrong. */
  async #rewrite(name: Marked | "fetched", without: Set<number>, end: string[] = []): Promise<void> {
    await this.#files.rewrite(name, ({ number, bytes }) => (without.has(number) ? null : bytes), { end });
  }
}

interface Decoded {
  commit: number;
  /** Not in robots_cache.jsonl, where a later line replaces an earlier one. */
  id?: number;
}
