/**
 * `logs/edges.csv`: which page led to which, one row for each link that the policy allows.
 *
 * The ledger remembers how long the file was when a page was settled. Rows after that belong to pages that a crash kept from
 * being settled: they are dropped at the next start, because those pages are fetched, and their rows written, once more.
 */
import type { CrawlContext } from "../kernel/product.ts";
import { readLines } from "../storage/read-lines.ts";
import { CsvLog, csvField } from "./csv-logs.ts";
import { countedUrls } from "./ledger/check.ts";
import type { LedgerPaths } from "./ledger/ledger-files.ts";

export const EDGES_HEADER = "src,dst,depth";

/** The note that holds the length of the file. */
export const EDGES_NOTE = "edges";

export interface TrajectoryOptions {
  path: string;
  /** The ledgers of all that write to the file. */
  ledgers: readonly LedgerPaths[];
  onError: (error: Error) => void;
}

export class Trajectory {
  readonly #log: CsvLog;
  readonly #options: TrajectoryOptions;
  /** Until what a crash left is dropped; null when nothing is left to do. */
  #recovering: Promise<void> | null = null;
  #noted = 0;

  private constructor(log: CsvLog, options: TrajectoryOptions) {
    this.#log = log;
    this.#options = options;
  }

  static async open(options: TrajectoryOptions): Promise<Trajectory> {
    return new Trajectory(await CsvLog.open(options.path, EDGES_HEADER, options.onError), options);
  }

  add(source: string, target: string, depth: number): void {
    this.#log.add([source, target, depth]);
  }

  /** The rows of a page are complete: call it when the page is settled. */
  settled({ note }: Pick<CrawlContext, "note">): void {
    if (this.#log.end === this.#noted) return;
    this.#noted = this.#log.end;
    note({ key: EDGES_NOTE, value: String(this.#noted) });
  }

  /** The file was this long when the last page was settled. */
  recover(length: number): void {
    const { onError } = this.#options;
    if (length >= this.#log.end) return;
    this.#recovering = this.#dropUnsettled(length)
      .catch(onError)
      .finally(() => {
        this.#recovering = null;
      });
  }

  /** Undefined when rows may be added; otherwise resolves when they may. */
  get ready(): Promise<void> | undefined {
    return this.#recovering ?? undefined;
  }

  flush(): Promise<void> {
    return this.#log.flush();
  }

  async close(): Promise<void> {
    await this.#recovering;
    await this.#log.close();
  }

  /** Rows of settled pages stay: those of another kind of run, and those whose commit was lost and repaired. */
  async #dropUnsettled(length: number): Promise<void> {
    const { path, ledgers } = this.#options;
    const unsettled = new Set<string>();
    for await (const { bytes } of readLines(path, { from: length })) unsettled.add(sourceOf(bytes));
    for (const paths of ledgers) for await (const url of countedUrls(paths)) unsettled.delete(csvField(url));
    if (unsettled.size === 0) return;
    let from: number | null = null;
    const kept: string[] = [];
    for await (const { bytes, offset } of readLines(path, { from: length })) {
      if (unsettled.has(sourceOf(bytes))) from ??= offset;
      else if (from !== null) kept.push(bytes.toString());
    }
    await this.#log.truncate(from!);
    for (const row of kept) this.#log.addLine(row);
  }
}

/** The first field of a row, as written. */
const sourceOf = (row: Buffer): string => /^(?:"(?:[^"]|"")*"|[^,]*)/.exec(row.toString())![0];
