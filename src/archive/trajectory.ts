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
import { decodeRow } from "./ledger/frontier-line.ts";
import type { LedgerPaths } from "./ledger/ledger-files.ts";

export const EDGES_HEADER = "src,dst,depth";

/** The note that holds the length of the file. */
export const EDGES_NOTE = "edges";

export interface TrajectoryOptions {
  path: string;
  /** The ledgers of all runs that write to the file. */
  ledgers: readonly LedgerPaths[];
  onError: (error: Error) => void;
}

export class Trajectory {
  readonly #log: CsvLog;
  readonly #options: TrajectoryOptions;
  /** How long the file was when the last page was settled; 0 when no page was. */
  #noted = 0;
  /** Drops what a crash left: undefined before it begins, null when it is done. */
  #recovering: Promise<void> | null | undefined = undefined;

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
    this.#noted = length;
  }

  /**
   * Undefined when rows may be added; otherwise resolves when they may. Asked once the ledger has reported what it
   * knows.
   */
  get ready(): Promise<void> | undefined {
    if (this.#recovering !== undefined) return this.#recovering ?? undefined;
    this.#recovering = this.#dropUnsettled(this.#noted)
      .catch(this.#options.onError)
      .finally(() => {
        this.#recovering = null;
      });
    return this.#recovering;
  }

  /** Rejects when rows could not be written: their pages must not be settled then, or the rows would be missing for good. */
  async flush(): Promise<void> {
    await this.#log.flush();
    if (this.#log.lost !== null) throw this.#log.lost;
  }

  async close(): Promise<void> {
    await this.#recovering;
    await this.#log.close();
  }

  /**
   * Rows of settled pages stay, including those of another kind of run and those whose commit was lost and repaired.
   */
  async #dropUnsettled(noted: number): Promise<void> {
    const { path, ledgers, onError } = this.#options;
    const start = Math.max(noted, Buffer.byteLength(EDGES_HEADER) + 1);
    if (noted > this.#log.end) onError(new Error(`${path} lacks rows: it was ${noted} bytes long.`));
    // A new file: its header is not written yet.
    if (noted >= this.#log.end) return;
    const unsettled = new Set<string>();
    for await (const { bytes } of readLines(path, { from: start })) unsettled.add(sourceOf(bytes));
    if (unsettled.size === 0) return;
    const again = await queuedAgain(ledgers, unsettled);
    for (const paths of ledgers) for await (const url of countedUrls(paths)) unsettled.delete(csvField(url));
    for (const source of again) unsettled.add(source);
    if (unsettled.size === 0) return;
    let from: number | null = null;
    const kept: string[] = [];
    for await (const { bytes, offset } of readLines(path, { from: start })) {
      if (unsettled.has(sourceOf(bytes))) from ??= offset;
      else if (from !== null) kept.push(bytes.toString());
    }
    await this.#log.truncate(from!);
    for (const row of kept) this.#log.addLine(row);
  }
}

/** The rows of settled pages that are to be fetched again. */
async function queuedAgain(ledgers: readonly LedgerPaths[], sources: ReadonlySet<string>): Promise<string[]> {
  const again: string[] = [];
  for (const { frontier } of ledgers) {
    for await (const { bytes, flaw } of readLines(frontier)) {
      const row = flaw === null ? decodeRow(bytes) : null;
      if (row?.refetch && sources.has(csvField(row.key))) again.push(csvField(row.key));
    }
  }
  return again;
}

/** The first field of a row, as written. */
const sourceOf = (row: Buffer): string => /^(?:"(?:[^"]|"")*"|[^,]*)/.exec(row.toString())![0];
