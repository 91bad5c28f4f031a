/** The ClickHouse that runs in this process: the optional package `chdb`, loaded when it is needed. */
import { TrawlError } from "../../errors.ts";
import { ensureFolder } from "../../storage/ensure-folder.ts";
import type { ReplayTarget } from "./replay-tables.ts";

export class ChdbTarget implements ReplayTarget {
  readonly session: ChdbSession;

  private constructor(session: ChdbSession) {
    this.session = session;
  }

  /** A folder can be open in one process at a time, and a process can have one folder open. */
  static async open(folder: string): Promise<ChdbTarget> {
    const { Session } = await loadChdb();
    ensureFolder(folder);
    try {
      return new ChdbTarget(new Session(folder));
    } catch (error) {
      const detail = `The database ${folder} cannot be opened. Another process may be using it.`;
      throw new TrawlError("CHDB_FAILED", detail, { cause: error });
    }
  }

  async command(sql: string): Promise<void> {
    await this.#asked(() => this.session.queryAsync(sql));
  }

  async rows(sql: string): Promise<Record<string, unknown>[]> {
    const answer = await this.#asked(() => this.session.queryAsync(sql, { format: "JSONEachRow" }));
    const lines = answer.text().split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  }

  async insert(table: string, columns: readonly string[], rows: Buffer): Promise<void> {
    await this.#asked(() => this.session.insert({ table, columns, values: rows, format: "TabSeparated" }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.session.close();
  }

  async #asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw new TrawlError("CHDB_FAILED", chdbReason(error), { cause: error });
    }
  }
}

/** The engine's message without its prefix, the repeated query, and the long list of words it expected. */
export function chdbReason(error: unknown): string {
  const [line = ""] = (error as Error).message.split("\n");
  return line
    .replace(/^(?:Code: \d+\. DB::Exception: )+/, "")
    .replace(/ Expected one of: .*$/, "")
    .replace(/: In scope SELECT formatQuerySingleLine\(.*$/, ".");
}

/** Loaded when it is needed: it is optional, and half a gigabyte. */
async function loadChdb(): Promise<ChdbPackage> {
  try {
    const name: string = "chdb";
    return (await import(name)) as ChdbPackage;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isMissing = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
    throw new TrawlError("CHDB_MISSING", isMissing ? undefined : `chDB cannot be loaded: ${message}`, { cause: error });
  }
}

// The types of the optional package `chdb` that we use, so that Trawl can be checked and built without it.

export interface ChdbAnswer {
  text(): string;
  json<T>(): T;
}

export interface ChdbOptions {
  format?: string;
  signal?: AbortSignal;
}

export interface ChdbSession {
  readonly open: boolean;
  queryAsync(sql: string, options?: ChdbOptions): Promise<ChdbAnswer>;
  queryBindAsync(sql: string, values: Record<string, unknown>, options?: ChdbOptions): Promise<ChdbAnswer>;
  queryStream(sql: string, options?: ChdbOptions): AsyncIterable<ChdbAnswer>;
  insert(rows: { table: string; columns: readonly string[]; values: Buffer; format: string }): Promise<unknown>;
  close(): void;
}

export interface ChdbPackage {
  Session: new (folder: string) => ChdbSession;
}
