/** CSV files that grow while an archive runs, including `logs/crawler_metrics.csv`. */
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
  /** The length of the file once everything added is written. */
  #end: number;
  #writing: Promise<void> = Promise.resolve();
  #lost: Error | null = null;

  private constructor(file: AppendFile, onError: (error: Error) => void) {
    this.#file = file;
    this.#end = file.length;
    this.#onError = onError;
  }

  /** Drops a last row that a crash cut short. */
  static async open(path: string, header: string, onError: (error: Error) => void): Promise<CsvLog> {
    const file = await AppendFile.open(path);
    const whole = await endOfWholeLines((offset, length) => file.read(offset, length), file.length);
    if (whole < file.length) await file.truncate(whole);
    const log = new CsvLog(file, onError);
    if (whole === 0) log.addLine(header);
    return log;
  }

  add(fields: readonly CsvField[]): void {
    this.addLine(fields.map(csvField).join(","));
    if (this.#buffer.length >= BUFFERED) this.flush();
  }

  /** A row as it is written. */
  addLine(line: string): void {
    this.#buffer += `${line}\n`;
    this.#end += Buffer.byteLength(line) + 1;
  }

  /** Why rows could not be written; null when all rows were. */
  get lost(): Error | null {
    return this.#lost;
  }

  get end(): number {
    return this.#end;
  }

  /**
   * Writes what is buffered, and resolves when it is durable. Errors go to `onError`, because a log does not end a run.
   */
  flush(): Promise<void> {
    if (this.#buffer === "") return this.#writing;
    const bytes = Buffer.from(this.#buffer);
    this.#buffer = "";
    const lost = (error: Error): void => {
      this.#end -= bytes.length;
      // One report is enough: a full disk stays full for many rows.
      if (this.#lost === null) this.#onError(error);
      this.#lost = error;
    };
    const written = this.#file.append(bytes).then(() => {}, lost);
    this.#writing = Promise.all([this.#writing, written]).then(() => {});
    return this.#writing;
  }

  /** Drops everything after `length`. Must not be called while rows are added. */
  async truncate(length: number): Promise<void> {
    await this.flush();
    await this.#file.truncate(length);
    this.#end = length;
  }

  /** Resolves when every row is durable. */
  async close(): Promise<void> {
    await this.flush();
    await this.#file.close();
  }
}

/** RFC 4180: quoted where a comma, a quote or a line break would be taken for structure. */
export const csvField = (value: CsvField): string => {
  const text = value === null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const METRICS_HEADER = "timestamp,metric,value";

/** Writes every count at an interval of seconds, and once more at the end. */
export class MetricsCsv {
  readonly #log: CsvLog;
  readonly #metrics: Metrics;
  readonly #clock: Clock;
  readonly #names: ReadonlyMap<string, string> | null;
  #cancel: (() => void) | null = null;

  /** `names`: which counts are written, and under which names; by default all of them under their own. */
  constructor(log: CsvLog, metrics: Metrics, clock: Clock, names: ReadonlyMap<string, string> | null = null) {
    this.#names = names;
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
    for (const [name, value] of this.#metrics.entries()) {
      const written = this.#names === null ? name : this.#names.get(name);
      if (written !== undefined) this.#log.add([timestamp, written, value]);
    }
    this.#log.flush();
  }

  /** Makes the last counts durable. */
  async close(): Promise<void> {
    this.#cancel?.();
    this.write();
    await this.#log.close();
  }
}
