/**
 * One connection to PostgreSQL, made when it is first used and made again after it broke. Of several addresses it takes the
 * first that can be written to, so that a fleet follows its database to the standby that was promoted.
 */
import type { Client, ClientConfig } from "pg";
import { TrawlError } from "../../errors.ts";
import { connectError, isBroken } from "./database-errors.ts";
import { readServer } from "./server-check.ts";

export type Row = Record<string, unknown>;

export interface Queries {
  query<R extends object = Row>(text: string, values?: readonly unknown[]): Promise<R[]>;
}

export interface ConnectionLimits {
  connectMs: number;
  /** A statement that is not answered by then counts as a broken connection: the other side may be gone. */
  answerMs: number;
}

const DEFAULT_LIMITS: ConnectionLimits = { connectMs: 5_000, answerMs: 60_000 };

const FAREWELL_MS = 2_000;

export class Connection implements Queries {
  readonly #urls: readonly string[];
  readonly #limits: ConnectionLimits;
  #client: Promise<Client> | null = null;
  /** One statement or transaction at a time: a statement between BEGIN and COMMIT would become part of it. */
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** How many connections were made so far. */
  connects = 0;
  /** Whether the server, as it was when the connection was made, may know less than one before it. */
  isForgetful = false;

  constructor(urls: readonly string[], limits: ConnectionLimits = DEFAULT_LIMITS) {
    this.#urls = urls;
    this.#limits = limits;
  }

  query<R extends object = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return this.#inLine(async (client) => (await client.query<R>(text, [...values])).rows);
  }

  /** All of it or nothing. A rejection with a broken connection leaves open whether it was carried out. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#inLine(async (client) => {
      const queries: Queries = {
        query: async <R extends object>(text: string, values: readonly unknown[] = []) =>
          (await client.query<R>(text, [...values])).rows,
      };
      await client.query("BEGIN");
      try {
        const result = await work(queries);
        await client.query("COMMIT");
        return result;
      } catch (error) {
        if (!isBroken(error)) await client.query("ROLLBACK");
        throw error;
      }
    });
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
    const client = await this.#client?.catch(() => null);
    this.#client = null;
    if (!client) return;
    // A server that is gone does not answer a farewell.
    const patience = new Promise((resolve) => void setTimeout(resolve, FAREWELL_MS).unref());
    await Promise.race([client.end().catch(() => {}), patience]);
    cut(client);
  }

  /** Cuts the connection: what is under way fails. */
  async destroy(): Promise<void> {
    this.#isClosed = true;
    cut(await this.#client?.catch(() => null));
  }

  #inLine<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const done = this.#last.then(async () => {
      if (this.#isClosed) throw new TrawlError("FLEET_DATABASE", "The connection to PostgreSQL was closed.");
      this.#client ??= this.#connect();
      const connecting = this.#client;
      try {
        return await work(await connecting);
      } catch (error) {
        if (isBroken(error) || (await connecting.catch(() => null)) === null) await this.#drop(connecting);
        throw error;
      }
    });
    this.#last = done.catch(() => {});
    return done;
  }

  async #drop(broken: Promise<Client>): Promise<void> {
    if (this.#client === broken) this.#client = null;
    cut(await broken.catch(() => null));
  }

  async #connect(): Promise<Client> {
    // Loaded here: only who has a fleet pays for it.
    const { default: pg } = await import("pg");
    const problems: { url: string; error: unknown }[] = [];
    for (const url of this.#urls) {
      const client = new pg.Client(this.#config(url));
      // Without a listener, a connection that breaks while nobody waits would end the process.
      client.on("error", () => {});
      try {
        await client.connect();
        const { isForgetful } = await readServer(client);
        this.connects++;
        this.isForgetful = isForgetful;
        return client;
      } catch (error) {
        problems.push({ url, error });
      }
      cut(client);
    }
    throw connectError(problems);
  }

  #config(url: string): ClientConfig {
    return {
      connectionString: url,
      application_name: "trawl fleet",
      keepAlive: true,
      connectionTimeoutMillis: this.#limits.connectMs,
      query_timeout: this.#limits.answerMs,
    };
  }
}

/** Closes the socket at once. `end` would wait for an answer that may never come. */
const cut = (client: Client | null | undefined): void =>
  (
    client as unknown as { connection?: { stream: { destroy(): void } } } | null | undefined
  )?.connection?.stream.destroy();
