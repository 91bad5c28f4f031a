/**
 * The records of a fleet crawl in ClickHouse: one row per URL with every fact that is stored about it, for questions
 * about more pages than one machine holds.
 *
 * Rows are inserted before the commit that settles their pages, so a page that is settled has its row. A row that is
 * inserted again after a crash replaces the earlier one. The key is the URL, because ids that were never committed are
 * given to other URLs later.
 */
import type { ClickHouseTarget } from "../../atproto/replay/clickhouse-target.ts";
import { TrawlError } from "../../errors.ts";
import { PAGE_FACT_COLUMNS } from "../../site/facts/fact-rows.ts";
import type { SiteMeta } from "../../site/links/link-kinds.ts";
import type { SiteRecord } from "../../site/site-record.ts";
import type { EncodedRecord, OutsideRow } from "../part-batch.ts";
import type { SharedRecord } from "../shared-product.ts";
import { URL_FACTS } from "./pulled-record.ts";
import type { RecordSource, StoredRecord } from "./record-source.ts";
import { encodeSiteRecord } from "./site-records.ts";

const PAGE = 500;

const TYPES = { TEXT: "String", INTEGER: "Int64", REAL: "Float64" } as const;
const isUrl = (name: string): boolean => (URL_FACTS as readonly string[]).includes(name);

/** Facts that are URL ids elsewhere are URLs here. */
const FACT_COLUMNS = PAGE_FACT_COLUMNS.map(({ name, type }) => ({ name, type: isUrl(name) ? "TEXT" : type }) as const);
const COLUMNS = ["part", "id", "version", "url", ...FACT_COLUMNS.map(({ name }) => name), "record"];

const tableOf = (name: string): string => `\`trawl_fleet_${name}\``;

/** As `--clickhouse` names it: `http://user@host:8123/database`. */
function addressOf(text: string): { url: string; database: string; username: string } {
  if (!URL.canParse(text) || !/^https?:\/\//.test(text)) {
    throw new TrawlError("BAD_USAGE", "--clickhouse needs an address such as http://user@host:8123/database.");
  }
  const { origin, pathname, username, password } = new URL(text);
  if (password !== "") {
    throw new TrawlError("BAD_USAGE", "The address in --clickhouse is stored with the crawl, for its workers.", {
      hint: "Leave the password out, and put it into CLICKHOUSE_PASSWORD on every machine.",
    });
  }
  return { url: origin, database: pathname.slice(1) || "default", username: username || "default" };
}

export class ClickHouseRecords implements RecordSource {
  readonly #target: ClickHouseTarget;
  readonly #table: string;

  private constructor(target: ClickHouseTarget, name: string) {
    this.#target = target;
    this.#table = tableOf(name);
  }

  /** `address`: as in `--clickhouse`; `name`: of the crawl. */
  static async open(address: string, name: string, password: string): Promise<ClickHouseRecords> {
    const place = addressOf(address);
    // Loaded here, so that only crawls with records in ClickHouse pay for its client.
    const { ClickHouseTarget } = await import("../../atproto/replay/clickhouse-target.ts");
    return new ClickHouseRecords(new ClickHouseTarget({ ...place, password }), name);
  }

  async create(): Promise<void> {
    const facts = FACT_COLUMNS.map(({ name, type }) => `\`${name}\` Nullable(${TYPES[type]})`);
    await this.#target.command(
      `CREATE TABLE ${this.#table} (part UInt16, id UInt32, version UInt64, url String, ${facts.join(", ")}, record String)
       ENGINE = ReplacingMergeTree(version) ORDER BY (part, url)`,
    );
  }

  /** Rejects when the server cannot be used, or does not have the table. */
  async check(): Promise<void> {
    await this.#target.rows(`SELECT id FROM ${this.#table} LIMIT 0`);
  }

  async drop(): Promise<void> {
    await this.#target.command(`DROP TABLE IF EXISTS ${this.#table}`);
  }

  /** Errors that are worth another try, because the server may be starting again. */
  insert = async (rows: readonly OutsideRow[]): Promise<void> => {
    const lines = rows.flatMap(({ part, id, line }) => [Buffer.from(`${part}\t${id}\t`), line]);
    await this.#target.insert(this.#table, COLUMNS, Buffer.concat(lines)).catch((error) => {
      throw new Error((error as Error).message);
    });
  };

  async *batches(part: number, ids: readonly number[]): AsyncGenerator<StoredRecord[]> {
    for (let at = 0; at < ids.length; at += PAGE) {
      const rows = await this.#target.rows(
        `SELECT id, url, record FROM ${this.#table} FINAL WHERE part = ${part} AND id IN (${ids.slice(at, at + PAGE).join(", ")}) ORDER BY id`,
      );
      yield (rows as { id: number; url: string; record: string }[]).map(({ id, url, record }) => {
        return { id: Number(id), url, bytes: Buffer.from(record, "base64") };
      });
    }
  }

  close(): Promise<void> {
    return this.#target[Symbol.asyncDispose]();
  }
}

/**
 * A record as a line of the table, without its partition and id. `now`: from the fleet's clock, which never goes back.
 */
export function encodeOutside(shared: SharedRecord<SiteRecord, SiteMeta>, now: () => number): EncodedRecord<SiteMeta> {
  const { bytes, foreign } = encodeSiteRecord(shared);
  const { key, record, own } = shared;
  if (bytes === null || record === null) return { bytes, foreign };
  const urlOf = (id: number) => (id < 0 ? foreign[-id - 1]?.key : own.get(id));
  const facts = FACT_COLUMNS.map(({ name, type }) => {
    const value = record.page[name as keyof typeof record.page];
    if (isUrl(name)) return typeof value === "number" ? (urlOf(value) ?? null) : null;
    return type === "INTEGER" && typeof value === "number" ? Math.round(value) : value;
  });
  const line = [now(), key, ...facts, Buffer.from(bytes).toString("base64")].map(field).join("\t");
  return { bytes: null, foreign, outside: Buffer.from(`${line}\n`) };
}

const ESCAPES: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\\": "\\\\" };

const field = (value: string | number | null | undefined): string =>
  value === null || value === undefined
    ? "\\N"
    : String(value).replace(/[\t\n\\]/g, (character) => ESCAPES[character]!);
