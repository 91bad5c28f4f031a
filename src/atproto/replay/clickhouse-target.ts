/** A ClickHouse server over HTTP. */
import { Readable } from "node:stream";
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { TrawlError } from "../../errors.ts";
import type { ReplayTarget } from "./replay-tables.ts";

export interface ClickHouseAddress {
  /** http or https, such as `http://127.0.0.1:8123`. */
  url: string;
  database: string;
  username: string;
  password: string;
}

/** Enough for a batch of large records and a busy server; after this time the insert has failed. */
const REQUEST_TIMEOUT_MS = 300_000;

export class ClickHouseTarget implements ReplayTarget {
  readonly #client: ClickHouseClient;
  readonly #url: string;

  constructor({ url, database, username, password }: ClickHouseAddress) {
    this.#url = url;
    try {
      this.#client = createClient({
        url,
        database,
        username,
        password,
        request_timeout: REQUEST_TIMEOUT_MS,
        // A socket that the server closed while we filled a batch would fail the next insert.
        keep_alive: { enabled: false },
        // Errors are thrown; the client would print them too.
        log: { level: ClickHouseLogLevel.OFF },
      });
    } catch (error) {
      throw new TrawlError("BAD_USAGE", `The address of ClickHouse is not valid: ${(error as Error).message}`);
    }
  }

  command(sql: string): Promise<void> {
    return this.#asked(async () => {
      await this.#client.command({ query: sql });
    });
  }

  rows(sql: string): Promise<Record<string, unknown>[]> {
    return this.#asked(async () => {
      const answer = await this.#client.query({ query: sql, format: "JSONEachRow" });
      return answer.json<Record<string, unknown>>();
    });
  }

  insert(table: string, columns: readonly string[], rows: Buffer): Promise<void> {
    const [first, ...others] = columns;
    return this.#asked(async () => {
      await this.#client.insert({
        table,
        columns: [first!, ...others],
        values: Readable.from([rows], { objectMode: false }),
        format: "TabSeparated",
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }

  async #asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      // The first line says what happened; old servers add pages of text.
      const [reason] = (error as Error).message.split("\n");
      throw new TrawlError("CLICKHOUSE_FAILED", `ClickHouse at ${this.#url}: ${reason}`, { cause: error });
    }
  }
}
