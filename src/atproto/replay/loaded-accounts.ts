/** The accounts of a target: which were loaded before, and which are left out because they are not active. */
import type { InactiveAccounts } from "../inactive-accounts.ts";
import { escaped } from "./record-rows.ts";
import { ACCOUNTS_TABLE, RECORDS_TABLE, type ReplayTarget, TOUCHED_TABLE } from "./replay-tables.ts";

/** DIDs in one question: a query may have 256 KB. */
const ASKED_AT_ONCE = 4_000;

export interface TouchedRepo {
  repo: string;
  /** The time of the block that was loaded: records that it does not have were deleted. 0 when only events were. */
  block: bigint;
}

export class LoadedAccounts {
  readonly #target: ReplayTarget;
  readonly #now: () => number;
  /** The key of the filter that rows are loaded with. */
  readonly #collections: string;
  readonly #startedEmpty: boolean;
  #lastTime = 0;

  private constructor(target: ReplayTarget, collections: string, now: () => number, startedEmpty: boolean) {
    this.#target = target;
    this.#collections = collections;
    this.#now = now;
    this.#startedEmpty = startedEmpty;
  }

  static async open(target: ReplayTarget, collections: string, now: () => number): Promise<LoadedAccounts> {
    const isEmpty = async (table: string) => (await target.rows(`SELECT 1 AS one FROM ${table} LIMIT 1`)).length === 0;
    await target.command(
      `CREATE TABLE IF NOT EXISTS ${TOUCHED_TABLE} (repo String, block_us Int64, collections String) ENGINE = MergeTree ORDER BY repo`,
    );
    const startedEmpty = await isEmpty(RECORDS_TABLE);
    if (startedEmpty) {
      for (const table of [ACCOUNTS_TABLE, TOUCHED_TABLE]) await target.command(`TRUNCATE TABLE ${table}`);
    } else if (await isEmpty(ACCOUNTS_TABLE)) {
      // Loaded by a version that kept no accounts, and left several rows of a record.
      await target.command(`INSERT INTO ${TOUCHED_TABLE} SELECT DISTINCT repo, toInt64(0), '' FROM ${RECORDS_TABLE}`);
      await target.command(`INSERT INTO ${ACCOUNTS_TABLE} SELECT DISTINCT repo, '', toInt64(0) FROM ${RECORDS_TABLE}`);
    }
    const accounts = new LoadedAccounts(target, collections, now, startedEmpty);
    const [last] = await target.rows(`SELECT toString(max(time_us)) AS time FROM ${ACCOUNTS_TABLE}`);
    accounts.#lastTime = Number(last?.["time"] ?? 0);
    return accounts;
  }

  /** Before rows are inserted: those of repos that were loaded before are looked at when all is loaded. */
  async touch(blocks: readonly TouchedRepo[], changed: Iterable<string>): Promise<void> {
    // In an empty table every repo is loaded once, from its newest block.
    const known = this.#startedEmpty ? new Map() : await this.#find(blocks.map(({ repo }) => repo));
    const rows = [
      ...blocks.filter(({ repo }) => known.has(repo)).map(({ repo, block }) => this.#touchedRow(repo, block)),
      ...[...changed].map((repo) => this.#touchedRow(repo, 0n)),
    ];
    await this.#insert(TOUCHED_TABLE, ["repo", "block_us", "collections"], rows);
  }

  /** After their rows were inserted. */
  async loaded(repos: Iterable<string>): Promise<void> {
    await this.#save([...repos].map((repo) => ({ repo, status: "" })));
  }

  /** Takes note of accounts that are not active. Returns how many of them have rows that must go. */
  async exclude(inactive: Iterable<{ did: string; status: string }>): Promise<number> {
    let count = 0;
    let chunk: { repo: string; status: string }[] = [];
    const flush = async (): Promise<void> => {
      const known = await this.#find(chunk.map(({ repo }) => repo));
      const changed = chunk.filter(({ repo, status }) => known.get(repo) !== status);
      count += changed.filter(({ repo }) => known.get(repo) === "").length;
      await this.#save(changed);
      chunk = [];
    };
    for (const { did, status } of inactive) {
      chunk.push({ repo: did, status });
      if (chunk.length >= ASKED_AT_ONCE) await flush();
    }
    if (chunk.length > 0) await flush();
    return count;
  }

  /** Those that were left out and are active again, or are wanted in any case. */
  async activeAgain(accounts: InactiveAccounts | null): Promise<string[]> {
    const again: string[] = [];
    for (let after = ""; ; ) {
      const page = await this.#target.rows(
        `SELECT repo FROM ${ACCOUNTS_TABLE} FINAL WHERE status != '' AND repo > ${literal(after)} ORDER BY repo LIMIT ${ASKED_AT_ONCE}`,
      );
      const repos = page.map(({ repo }) => String(repo));
      again.push(...repos.filter((repo) => accounts === null || accounts.statusOf(repo) === null));
      if (repos.length < ASKED_AT_ONCE) return again;
      after = repos.at(-1)!;
    }
  }

  /** Their status by DID; empty for accounts that were loaded. */
  async #find(repos: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (let start = 0; start < repos.length; start += ASKED_AT_ONCE) {
      const list = repos.slice(start, start + ASKED_AT_ONCE).map(literal);
      const rows = await this.#target.rows(
        `SELECT repo, status FROM ${ACCOUNTS_TABLE} FINAL WHERE repo IN (${list.join(",")})`,
      );
      for (const { repo, status } of rows) found.set(String(repo), String(status));
    }
    return found;
  }

  async #save(accounts: readonly { repo: string; status: string }[]): Promise<void> {
    this.#lastTime = Math.max(this.#lastTime + 1, this.#now() * 1_000);
    const rows = accounts.map(({ repo, status }) => `${escaped(repo)}\t${escaped(status)}\t${this.#lastTime}\n`);
    await this.#insert(ACCOUNTS_TABLE, ["repo", "status", "time_us"], rows);
  }

  #touchedRow(repo: string, block: bigint): string {
    return `${escaped(repo)}\t${block}\t${this.#collections}\n`;
  }

  async #insert(table: string, columns: readonly string[], rows: readonly string[]): Promise<void> {
    if (rows.length > 0) await this.#target.insert(table, columns, Buffer.from(rows.join("")));
  }
}

export const literal = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;
