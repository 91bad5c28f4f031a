/** A CSV file that grows by rows, buffered: a header when it is new, and fields quoted where they must be. */
import { AppendFile } from "../storage/append-file.ts";
import { endOfWholeLines } from "../storage/read-lines.ts";

/** Rows are kept back until this many characters: a page may have hundreds of links. */
const BUFFERED = 64 * 1024;

export type CsvField = string | number | null;

export class CsvLog {
  readonly #file: AppendFile;
  readonly #onError: (error: Error) => void;
  #buffer = "";

  private constructor(file: AppendFile, onError: (error: Error) => void) {
    this.#file = file;
    this.#onError = onError;
  }

  /** A last row that a crash cut short is dropped. */
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

  /** Hands over what is buffered; an error goes to `onError`, as nobody waits for a log. */
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

/** RFC 4180: quoted where a comma, a quote or a line break would be read as structure. */
export const csvField = (value: CsvField): string => {
  const text = value === null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
