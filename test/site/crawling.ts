/** Helpers for tests of whole crawls: a crawl into a temporary database, and its contents afterwards. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { type CrawlOptions, type CrawlSummary, crawl } from "../../src/index.ts";
import { SiteReader } from "../../src/site/store/reader.ts";

export interface StoredUrl {
  id: number;
  url: string;
  verdict: string;
  reason: string | null;
  rule: string | null;
  state: string | null;
  depth: number;
}

/** A folder that is removed after the test. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Crawls to the end into a temporary database. */
export async function crawlInto(
  t: TestContext,
  url: string,
  options: CrawlOptions = {},
): Promise<{ summary: CrawlSummary; database: string }> {
  const database = options.database ?? join(temporaryFolder(t), "crawl.db");
  const summary = await crawl(url, { ...options, database }).summary;
  return { summary, database };
}

export function query<Row>(database: string, sql: string, ...values: (string | number)[]): Row[] {
  const db = new DatabaseSync(database, { readOnly: true });
  try {
    return db.prepare(sql).all(...values) as unknown as Row[];
  } finally {
    db.close();
  }
}

export const storedUrls = (database: string): StoredUrl[] =>
  query(database, "SELECT id, url, verdict, reason, rule, state, depth FROM urls ORDER BY id");

/** Verdict and reason of one path of the site; undefined when the crawl did not find it. */
export function decisionOn(database: string, url: string): string | undefined {
  const row = storedUrls(database).find((stored) => stored.url === url);
  return row === undefined ? undefined : [row.verdict, row.reason].filter((part) => part !== null).join(" ");
}

/** The first difference between two crawls, in one line: a diff of a thousand rows would not help. */
export function firstDifference(one: StoredUrl[], other: StoredUrl[]): string {
  const at = one.findIndex((row, index) => JSON.stringify(row) !== JSON.stringify(other[index]));
  return `row ${at} of ${one.length} and ${other.length}: ${JSON.stringify(one[at])} and ${JSON.stringify(other[at])}`;
}

type Fact = string | number | boolean | null;

/**
 * One field of every matching URL, by URL; several fields as a list. The origin is removed, so that
 * `{ "/": 200 }` is all there is to compare.
 */
export function facts(
  database: string,
  origin: string,
  fields: string,
  filters: string[] = [],
): Record<string, unknown> {
  const reader = new SiteReader(database);
  const short = (value: Fact) =>
    typeof value === "string" && value.startsWith(origin) ? value.slice(origin.length) : value;
  try {
    const names = fields.split(" ");
    const found: Record<string, unknown> = {};
    for (const row of reader.each({ fields: ["url", ...names], filters, search: null })) {
      const values = names.map((name) => short(row[name]!));
      found[short(row["url"]!) as string] = values.length === 1 ? values[0] : values;
    }
    return found;
  } finally {
    reader.close();
  }
}
