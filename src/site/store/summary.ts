/**
 * A crawl in counts, as the end of `trawl crawl` and `trawl show` print them. Every count has the filters that list
 * what it counts.
 */

import { fieldNamed } from "../facts/fact-fields.ts";
import { truthOf } from "../facts/field-names.ts";
import { countNumbers, NUMBER_NAMES, NUMBERS, type NumberName } from "../numbers.ts";
import { from, type SiteReader } from "./reader.ts";

/** A number of URLs, and the filters that list them. */
export interface CountOf<T> {
  value: T;
  count: number;
  filter: string[];
}

/** URLs that were not fetched because of one rule against traps. */
export interface TrapCount extends CountOf<string> {
  example: string;
}

/** A number of `numbers.ts`, with what was counted. */
export interface Figure {
  label: string;
  meaning: string;
  count: number;
  /** The number that a percentage of it is a share of. */
  of: NumberName | null;
  filter: string[];
}

export interface SiteSummary {
  numbers: Record<NumberName, Figure>;
  /** Some of the numbers, under the names that they have always had. */
  discovered: number;
  crawled: number;
  open: number;
  recorded: number;
  skipped: number;
  errors: number;
  pages: number;
  links: number;
  bytes: number;
  statuses: CountOf<number>[];
  errorCodes: CountOf<string>[];
  /** Reasons of URLs that were not crawled, or were crawled in spite of robots.txt. */
  reasons: CountOf<string>[];
  /** Endless parts of the site that were stopped, and URL patterns that reached their limit. */
  traps: TrapCount[];
  /** Of pages. */
  indexable: CountOf<boolean | null>[];
  slowest: { url: string; timeServer: number }[];
  brokenUrls: { url: string; status: number | null; error: string | null; foundOn: string | null }[];
  broken: number;
}

const OUTCOME = fieldNamed("outcome")!.sql;

export function summarize(reader: SiteReader, listed = 10): SiteSummary {
  const { db } = reader;
  const one = (sql: string): Record<string, number> => db.prepare(sql).get() as Record<string, number>;
  const counts = <T>(sql: string, filter: (value: T) => string[]): CountOf<T>[] =>
    (db.prepare(sql).all() as unknown as CountOf<T>[]).map((row) => ({ ...row, filter: filter(row.value) }));
  const numbers = figures(reader);
  const verdicts = one(
    "SELECT coalesce(sum(verdict = 'record'), 0) AS recorded, coalesce(sum(verdict = 'skip'), 0) AS skipped FROM urls",
  );
  const sums = one("SELECT coalesce(sum(link_count), 0) AS links, coalesce(sum(size_wire), 0) AS bytes FROM pages");
  return {
    numbers,
    discovered: numbers.found.count,
    crawled: numbers.crawled.count,
    open: numbers.queued.count,
    recorded: verdicts["recorded"]!,
    skipped: verdicts["skipped"]!,
    errors: numbers.errors.count,
    pages: numbers.pages.count,
    links: sums["links"]!,
    bytes: sums["bytes"]!,
    statuses: counts<number>(
      "SELECT status AS value, count(*) AS count FROM pages WHERE status IS NOT NULL GROUP BY 1 ORDER BY 1",
      (status) => [`status=${status}`],
    ),
    errorCodes: counts<string>(
      "SELECT error AS value, count(*) AS count FROM pages WHERE error IS NOT NULL GROUP BY 1 ORDER BY 2 DESC",
      (code) => [`error=${code}`],
    ),
    reasons: counts<string>(
      "SELECT reason AS value, count(*) AS count FROM urls WHERE reason IS NOT NULL GROUP BY 1 ORDER BY 2 DESC",
      (reason) => [`reason=${reason}`],
    ),
    traps: counts<string>(
      `SELECT rule AS value, count(*) AS count, min(url) AS example FROM urls
       WHERE reason IN ('trap_no_yield', 'max_urls_per_pattern', 'max_query_variants') GROUP BY 1 ORDER BY 2 DESC LIMIT 10`,
      (rule) => [`rule=${rule}`],
    ) as TrapCount[],
    indexable: counts<string>(
      `SELECT p.indexable AS value, count(*) AS count ${from([])} WHERE ${OUTCOME} = 'page' GROUP BY 1 ORDER BY 2 DESC`,
      (value) => ["outcome=page", `indexable=${truthOf(value) ?? value}`],
    ).map((row) => ({ ...row, value: truthOf(row.value) })),
    slowest: db
      .prepare(
        `SELECT u.url AS url, round(p.time_first_byte + p.time_download) AS timeServer FROM pages p JOIN urls u USING (id)
         WHERE p.time_total IS NOT NULL AND p.from_cache = 0
         ORDER BY p.time_first_byte + p.time_download DESC LIMIT ?`,
      )
      .all(listed) as unknown as SiteSummary["slowest"],
    brokenUrls: db
      .prepare(
        `SELECT u.url AS url, p.status AS status, p.error AS error, f.url AS foundOn
         FROM pages p JOIN urls u USING (id) LEFT JOIN urls f ON f.id = u.parent
         WHERE ${OUTCOME} = 'broken' ORDER BY u.id LIMIT ?`,
      )
      .all(listed) as unknown as SiteSummary["brokenUrls"],
    broken: numbers.broken.count,
  };
}

function figures(reader: SiteReader): SiteSummary["numbers"] {
  const counted = countNumbers(reader);
  const all = NUMBER_NAMES.map((name): [NumberName, Figure] => {
    const { label, meaning, of, filter } = NUMBERS[name];
    return [name, { label, meaning, of, filter: [...filter], count: counted[name] }];
  });
  return Object.fromEntries(all) as SiteSummary["numbers"];
}
