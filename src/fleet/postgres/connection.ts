/**
 * One connection to PostgreSQL, made when it is first used and made again after it broke. Of several addresses it takes the
 * first that can be written to, so that a fleet follows its database to the standby that was promoted.
 */
import type { Client, ClientConfig } from "pg";
import { TrawlError } from "../../errors.ts";

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

export class Connection implements Queries {
  readonly #urls: readonly string[];
  readonly #limits: ConnectionLimits;
  #client: Promise<Client> | null = null;
  /** One statement or transaction at a time: a statement between BEGIN and COMMIT would become part of it. */
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

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
    await client?.end().catch(() => {});
  }

  /** Cuts the connection: what is under way fails. */
  async destroy(): Promise<void> {
    this.#isClosed = true;
    const client = await this.#client?.catch(() => null);
    (client as unknown as { connection?: { stream: { destroy(): void } } } | null)?.connection?.stream.destroy();
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
    const client = await broken.catch(() => null);
    (client as unknown as { connection?: { stream: { destroy(): void } } } | null)?.connection?.stream.destroy();
  }

  async #connect(): Promise<Client> {
    // Loaded here: only who has a fleet pays for it.
    const { default: pg } = await import("pg");
    let last: unknown = null;
    for (const url of this.#urls) {
      const client = new pg.Client(this.#config(url));
      // Without a listener, a connection that breaks while nobody waits would end the process.
      client.on("error", () => {});
      try {
        await client.connect();
        const { rows } = await client.query<{ reading: boolean }>(
          "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean AS reading",
        );
        if (rows[0]!.reading === false) return client;
        last = new TrawlError("FLEET_DATABASE", "The database can only be read: it is a standby.");
      } catch (error) {
        last = error;
      }
      await client.end().catch(() => {});
    }
    throw last;
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

/**
 * Whether nothing more can be said over this connection: it was cut, nobody answers, the server is going down, or it has
 * become a standby. PostgreSQL's own codes have five characters; everything else comes from the socket.
 */
export function isBroken(error: unknown): boolean {
  if (error instanceof TrawlError) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code !== "string" || !/^[0-9A-Z]{5}$/.test(code) || code === "EPIPE") return !isProgramError(error);
  return code.startsWith("08") || code.startsWith("57P") || code === "25006";
}

/** A mistake of ours is not the network's. */
const isProgramError = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;

/** What a person is told when the database cannot be used. */
export function databaseError(error: unknown): TrawlError {
  if (error instanceof TrawlError) return error;
  const { message, code } = error as { message?: string; code?: string };
  // A refused connection to a name with two addresses has an empty message.
  return new TrawlError("FLEET_DATABASE", `PostgreSQL: ${message || code || String(error)}.`);
}

/** `url[,url]` as given. */
export function databaseUrls(text: string): string[] {
  const urls = text.split(",").map((url) => url.trim());
  for (const url of urls) {
    if (/^postgres(?:ql)?:\/\//.test(url)) continue;
    throw new TrawlError("BAD_USAGE", "--postgres needs an address such as postgres://user@host/database.", {
      hint: "The password comes from PGPASSWORD or ~/.pgpass. Separate a standby with a comma.",
    });
  }
  return urls;
}
