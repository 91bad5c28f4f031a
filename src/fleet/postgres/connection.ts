/**
 * One connection to PostgreSQL, opened on first use and reopened after it breaks. Given several addresses, it takes the
 * first that accepts writes, so that a fleet follows its database to the standby that was promoted.
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
  /** A statement without an answer by then counts as a broken connection, because the other side may be gone. */
  answerMs: number;
}

const DEFAULT_LIMITS: ConnectionLimits = { connectMs: 5_000, answerMs: 60_000 };

const FAREWELL_MS = 2_000;

export class Connection implements Queries {
  readonly #urls: readonly string[];
  readonly #limits: ConnectionLimits;
  #client: Promise<Client> | null = null;
  /**
   * Resolves when the next one may be sent. A statement is sent without waiting for the answers to those before it; a transaction
   * keeps the line until it has ended, because a statement between BEGIN and COMMIT would become part of it.
   */
  #line: Promise<unknown> = Promise.resolve();
  readonly #underWay = new Set<Promise<unknown>>();
  #isClosed = false;
  /** Statements sent so far, BEGIN and COMMIT included. */
  statements = 0;
  /** How many connections were made so far. */
  connects = 0;
  /** Whether the server, at the time of the connection, might know less than the one before it. */
  isForgetful = false;

  constructor(urls: readonly string[], limits: ConnectionLimits = DEFAULT_LIMITS) {
    this.#urls = urls;
    this.#limits = limits;
  }

  query<R extends object = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    const { promise: sent, resolve } = Promise.withResolvers<void>();
    const done = this.#inLine((client) => {
      const answer = this.#ask<R>(client, text, values);
      resolve();
      return answer;
    });
    this.#line = Promise.race([sent, done.catch(() => {})]);
    return done;
  }

  /**
   * All or nothing. If it rejects because the connection broke, it may or may not have been carried out. Statements
   * that `work` does not wait for are sent at once and carried out in order.
   */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    const done = this.#inLine(async (client) => {
      const queries: Queries = { query: (text, values) => this.#ask(client, text, values) };
      const begun = this.#ask(client, "BEGIN");
      try {
        const [result] = await Promise.all([work(queries), begun]);
        await this.#ask(client, "COMMIT");
        return result;
      } catch (error) {
        if (!isBroken(error)) await this.#ask(client, "ROLLBACK");
        throw error;
      }
    });
    this.#line = done.catch(() => {});
    return done;
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#underWay);
    const client = await this.#client?.catch(() => null);
    this.#client = null;
    if (!client) return;
    // A server that is gone does not answer a goodbye.
    const patience = new Promise((resolve) => void setTimeout(resolve, FAREWELL_MS).unref());
    await Promise.race([client.end().catch(() => {}), patience]);
    cut(client);
  }

  /** Cuts the connection, so what is under way fails. */
  async destroy(): Promise<void> {
    this.#isClosed = true;
    cut(await this.#client?.catch(() => null));
  }

  #inLine<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const done = this.#line.then(() => this.#use(work));
    this.#underWay.add(done);
    const forget = () => this.#underWay.delete(done);
    done.then(forget, forget);
    return done;
  }

  async #use<T>(work: (client: Client) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new TrawlError("FLEET_DATABASE", "The connection to PostgreSQL was closed.");
    this.#client ??= this.#connect();
    const connecting = this.#client;
    try {
      return await work(await connecting);
    } catch (error) {
      if (isBroken(error) || (await connecting.catch(() => null)) === null) await this.#drop(connecting);
      throw error;
    }
  }

  async #ask<R extends object>(client: Client, text: string, values: readonly unknown[] = []): Promise<R[]> {
    this.statements++;
    return (await client.query<R>(text, [...values])).rows;
  }

  async #drop(broken: Promise<Client>): Promise<void> {
    if (this.#client === broken) this.#client = null;
    cut(await broken.catch(() => null));
  }

  async #connect(): Promise<Client> {
    // Loaded here, so that only fleets pay for it.
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
      // A worker's loop is busy with pages: waiting for it after each statement would take longer than the statements.
      pipeline: true,
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
