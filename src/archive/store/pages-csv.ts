/** `logs/pages-<run>.csv`: 17 columns, one row per fetch, written by `scrape` or rebuilt from the metadata alone. */
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { stringify } from "csv-stringify";
import { stringify as stringifyNow } from "csv-stringify/sync";
import { AppendFile } from "../../storage/append-file.ts";
import { replaceFile } from "../../storage/durable.ts";
import { endOfWholeLines } from "../../storage/read-lines.ts";
import { type DamagedLine, formatFloat, type MetadataRecord, readMetadata } from "./metadata-record.ts";

/** The names and their order are those of the metadata. */
export const PAGE_COLUMNS = [
  "timestamp",
  "url",
  "page_type",
  "depth",
  "referrer",
  "http_status",
  "content_type",
  "encoding",
  "content_sha256",
  "content_bytes",
  "stored_path",
  "etag",
  "last_modified",
  "fetch_latency_ms",
  "retries",
  "proxy_id",
  "metadata",
] as const satisfies (keyof MetadataRecord)[];

export interface PagesOptions {
  metadataPath: string;
  onDamaged: (damaged: DamagedLine) => void;
  /**
   * Puts a ' before cells that a spreadsheet would run as a formula: an ETag may be `=cmd()`. For tables that people
   * open; what programs read back must match the metadata byte for byte.
   */
  escapeFormulas: boolean;
}

/** Rows end as Python's csv.writer ends them; a lone \r or \n inside a cell needs quotes too. */
const FORMAT = { record_delimiter: "\r\n", quoted_match: /[\r\n]/ };

/** The table while a run writes it: the same bytes that a replay of its metadata would give. */
export class PagesLog {
  readonly #file: AppendFile;
  readonly #onError: (error: Error) => void;

  private constructor(file: AppendFile, onError: (error: Error) => void) {
    this.#file = file;
    this.#onError = onError;
  }

  /** Drops a last row that a crash cut short. */
  static async open(path: string, onError: (error: Error) => void): Promise<PagesLog> {
    const file = await AppendFile.open(path);
    const whole = await endOfWholeLines((offset, length) => file.read(offset, length), file.length);
    if (whole < file.length) await file.truncate(whole);
    const log = new PagesLog(file, onError);
    if (whole === 0) log.#append([[...PAGE_COLUMNS]]);
    return log;
  }

  /** Errors go to `onError`, because no caller waits for a log. */
  add(records: readonly MetadataRecord[]): void {
    if (records.length > 0) this.#append(records.map(pageRow));
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #append(rows: string[][]): void {
    this.#file.append(Buffer.from(stringifyNow(rows, FORMAT))).catch(this.#onError);
  }
}

/** A stream, which is ended, or a function that receives the pieces. */
export type PagesOutput = Writable | ((pieces: AsyncIterable<Buffer>) => Promise<void>);

/** Writes the header and the rows. Resolves to the number of rows. */
export async function writePages(output: PagesOutput, options: PagesOptions): Promise<number> {
  let count = 0;
  async function* rows(): AsyncGenerator<string[]> {
    for await (const { record } of readMetadata(options.metadataPath, options.onDamaged)) {
      count++;
      yield pageRow(record);
    }
  }
  const csv = stringify({
    ...FORMAT,
    header: true,
    columns: [...PAGE_COLUMNS],
    escape_formulas: options.escapeFormulas,
  });
  await pipeline(rows, csv, output);
  return count;
}

/**
 * Rebuilds the file, as a whole or not at all, without the network. Its values match the metadata byte for byte: see
 * `escapeFormulas`.
 */
export const replayPages = (csvPath: string, options: Omit<PagesOptions, "escapeFormulas">): Promise<number> =>
  replaceFile(csvPath, (handle) =>
    writePages((pieces) => handle.writeFile(pieces), { ...options, escapeFormulas: false }),
  );

const pageRow = (record: MetadataRecord): string[] => PAGE_COLUMNS.map((column) => cell(record, column));

function cell(record: MetadataRecord, column: keyof MetadataRecord): string {
  if (column === "metadata") return JSON.stringify(record.metadata);
  if (column === "fetch_latency_ms") return formatFloat(record.fetch_latency_ms);
  return String(record[column] ?? "");
}
