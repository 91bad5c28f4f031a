/** The CSV files of an archive that grow while it runs: `logs/crawler_metrics.csv` and `logs/edges.csv`. */
import type { Clock } from "../kernel/clock.ts";
import { AppendFile } from "../storage/append-file.ts";
import { endOfWholeLines } from "../storage/read-lines.ts";
import type { Metrics } from "./archive-metrics.ts";

/** How many characters of rows are buffered: a page may have hundreds of links. */
const BUFFERED = 64 * 1024;

export type CsvField = string | number | null;

/** A CSV file that grows by rows, buffered, with a header when it is new. */
export class CsvLog {
  readonly #file: AppendFile;
  readonly #onError: (error: Error) => void;
  #buffer = "";

  private constructor(file: AppendFile, onError: (error: Error) => void) {
    this.#file = file;
    this.#onError = onError;
  }

  /** Drops a last row that a crash cut short. */
  static async open(path: string, header: string, onError: (error: Error) => void): Promise<CsvLog> {
    const file = await AppendFile.open(path);
    const whole = await endOfWholeLines((offset, length) => file.read(offset, length), file.length);
    if (whole < file.length) await file.truncate(whole);
    const log = new CsvLog(file, onError);
    if (whole === 0) log.#buffer = `${header}\n`;
    return log;
  }

  add(fields: readonly CsvField[]): void {
    this.#buffer += `${fields.map(csvField).join(",")}\n`;
    if (this.#buffer.length >= BUFFERED) this.flush();
  }

  /** Writes what is buffered. Errors go to `onError`, because no caller waits for a log. */
  flush(): void {
    if (this.#buffer === "") return;
    const bytes = Buffer.from(this.#buffer);
    this.#buffer = "";
    this.#file.append(bytes).catch(this.#onError);
  }

  /** Resolves when every row is durable. */
  async close(): Promise<void> {
    this.flush();
    await this.#file.close();
  }
}

/** RFC 4180: quoted where a comma, a quote or a line break would be taken for structure. */
export const csvField = (value: CsvField): string => {
  const text = value === null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const METRICS_HEADER = "timestamp,metric,value";

/** Every count, every few seconds and at the end. */
export class MetricsCsv {
  readonly #log: CsvLog;
  readonly #metrics: Metrics;
  readonly #clock: Clock;
  #cancel: (() => void) | null = null;

  constructor(log: CsvLog, metrics: Metrics, clock: Clock) {
    this.#log = log;
    this.#metrics = metrics;
    this.#clock = clock;
  }

  /** Starts, or continues with another interval. */
  start(intervalSeconds: number): void {
    this.#cancel?.();
    this.#cancel = this.#clock.after(intervalSeconds * 1000, () => {
      this.write();
      this.start(intervalSeconds);
    });
  }

  write(): void {
    const timestamp = Math.floor(this.#clock.now() / 1000);
    for (const [name, value] of this.#metrics.entries()) this.#log.add([timestamp, name, value]);
    this.#log.flush();
  }

  /** The last counts, durable. */
  async close(): Promise<void> {
    this.#cancel?.();
    this.write();
    await this.#log.close();
  }
}

export const EDGES_HEADER = "src,dst,depth";

/** Which page led to which: one row for each link that the policy allows. */
export interface Trajectory {
  add(source: string, target: string, depth: number): void;
  flush(): void;
  close(): Promise<void>;
}

export async function openTrajectory(path: string, onError: (error: Error) => void): Promise<Trajectory> {
  const log = await CsvLog.open(path, EDGES_HEADER, onError);
  return {
    add: (source, target, depth) => log.add([source, target, depth]),
    flush: () => log.flush(),
    close: () => log.close(),
  };
}
