/** A crawl in counts: what the end of `trawl crawl` and `trawl show` print. */
import type { SiteReader } from "./reader.ts";

export interface CountOf<T> {
  value: T;
  count: number;
}

export interface SiteSummary {
  discovered: number;
  crawled: number;
  open: number;
  recorded: number;
  skipped: number;
  failed: number;
  pages: number;
  links: number;
  bytes: number;
  statuses: CountOf<number>[];
  errors: CountOf<string>[];
  /** Of URLs that were not crawled, or crawled against robots.txt. */
  reasons: CountOf<string>[];
  /** URL shapes whose budget ran out: the traps. */
  traps: CountOf<string>[];
  indexable: CountOf<string>[];
  slowest: { url: string; ms: number }[];
  broken: { url: string; status: number | null; error: string | null; foundOn: string | null }[];
  brokenTotal: number;
}

/** Broken is what answers 4xx or 5xx or not at all; a guessed /sitemap.xml that is not there is nobody's fault. */
const BROKEN = "(p.status >= 400 OR p.error IS NOT NULL) AND NOT (u.parent = 0 AND u.via & 15 = 3)";

export function summarize(reader: SiteReader, listed = 10): SiteSummary {
  const { db } = reader;
  const one = (sql: string): Record<string, number> => db.prepare(sql).get() as Record<string, number>;
  const counts = <T>(sql: string): CountOf<T>[] => db.prepare(sql).all() as unknown as CountOf<T>[];
  const totals = one(
    `SELECT count(*) AS discovered,
       coalesce(sum(verdict = 'crawl' AND state <> 'open'), 0) AS crawled,
       coalesce(sum(state = 'open'), 0) AS open,
       coalesce(sum(verdict = 'record'), 0) AS recorded,
       coalesce(sum(verdict = 'skip'), 0) AS skipped,
       coalesce(sum(state = 'failed'), 0) AS failed FROM urls`,
  );
  const pages = one(
    `SELECT coalesce(sum(title_count IS NOT NULL), 0) AS pages, coalesce(sum(link_count), 0) AS links,
       coalesce(sum(size_wire), 0) AS bytes FROM pages`,
  );
  return {
    discovered: totals["discovered"]!,
    crawled: totals["crawled"]!,
    open: totals["open"]!,
    recorded: totals["recorded"]!,
    skipped: totals["skipped"]!,
    failed: totals["failed"]!,
    pages: pages["pages"]!,
    links: pages["links"]!,
    bytes: pages["bytes"]!,
    statuses: counts(
      "SELECT status AS value, count(*) AS count FROM pages WHERE status IS NOT NULL GROUP BY 1 ORDER BY 1",
    ),
    errors: counts(
      "SELECT error AS value, count(*) AS count FROM pages WHERE error IS NOT NULL GROUP BY 1 ORDER BY 2 DESC",
    ),
    reasons: counts(
      "SELECT reason AS value, count(*) AS count FROM urls WHERE reason IS NOT NULL GROUP BY 1 ORDER BY 2 DESC",
    ),
    traps: counts(
      `SELECT rule AS value, count(*) AS count FROM urls
       WHERE reason IN ('max_urls_per_pattern', 'max_query_variants') GROUP BY 1 ORDER BY 2 DESC LIMIT 10`,
    ),
    indexable: counts("SELECT indexable AS value, count(*) AS count FROM pages GROUP BY 1 ORDER BY 2 DESC"),
    slowest: db
      .prepare(
        `SELECT u.url AS url, round(p.time_first_byte + p.time_download) AS ms FROM pages p JOIN urls u USING (id)
         WHERE p.time_total IS NOT NULL AND p.from_cache = 0
         ORDER BY p.time_first_byte + p.time_download DESC LIMIT ?`,
      )
      .all(listed) as unknown as SiteSummary["slowest"],
    broken: db
      .prepare(
        `SELECT u.url AS url, p.status AS status, p.error AS error, f.url AS foundOn
         FROM pages p JOIN urls u USING (id) LEFT JOIN urls f ON f.id = u.parent WHERE ${BROKEN} ORDER BY u.id LIMIT ?`,
      )
      .all(listed) as unknown as SiteSummary["broken"],
    brokenTotal: one(`SELECT count(*) AS n FROM pages p JOIN urls u USING (id) WHERE ${BROKEN}`)["n"]!,
  };
}
