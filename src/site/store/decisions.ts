/** What was not crawled, and what was crawled in spite of robots.txt: by reason and rule, with examples. */
import { reasonMeaning, reasonSetting } from "../site-reasons.ts";
import type { SiteReader } from "./reader.ts";

export interface DecisionGroup {
  reason: string;
  meaning: string;
  /** The setting that would change it, if one would. */
  setting: string | null;
  /** The setting, pattern or line of robots.txt that decided. */
  rule: string | null;
  verdict: string;
  count: number;
  /** The first URLs in the group; only one until the crawl has ended and its index is built. */
  examples: string[];
}

export interface DecisionQuery {
  /** Null for all. */
  reason: string | null;
  limit: number;
  offset: number;
}

export interface DecisionPage {
  /** URLs in all groups together, … */
  urls: number;
  /** … and the number of groups. */
  total: number;
  /** The largest first. */
  groups: DecisionGroup[];
}

const EXAMPLES = 3;

type StoredGroup = Pick<DecisionGroup, "reason" | "rule" | "verdict" | "count"> & { first: number };

export function decisions(reader: SiteReader, { reason, limit, offset }: DecisionQuery): DecisionPage {
  const groups = reader.db
    .prepare(
      `SELECT reason, rule, verdict, count(*) AS count, min(id) AS first FROM urls
       WHERE reason IS NOT NULL ${reason === null ? "" : "AND reason = ?"} GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3`,
    )
    .all(...(reason === null ? [] : [reason])) as unknown as StoredGroup[];
  const examplesOf = exampleFinder(reader);
  return {
    urls: groups.reduce((sum, group) => sum + group.count, 0),
    total: groups.length,
    groups: groups.slice(offset, offset + limit).map((group) => {
      const { reason, rule, verdict, count } = group;
      const [meaning, setting] = [reasonMeaning(reason), reasonSetting(reason)];
      return { reason, meaning, setting, rule, verdict, count, examples: examplesOf(group) };
    }),
  };
}

/** Without the index, every group would need a scan of the whole table. */
function exampleFinder({ db }: SiteReader): (group: StoredGroup) => string[] {
  const urlsOf = (rows: Record<string, unknown>[]) => rows.map((row) => String(row["url"]));
  if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'urls_reason'").get() === undefined) {
    const first = db.prepare("SELECT url FROM urls WHERE id = ?");
    return (group) => urlsOf(first.all(group.first));
  }
  const some = db.prepare("SELECT url FROM urls WHERE reason = ? AND rule IS ? AND verdict = ? ORDER BY id LIMIT ?");
  return ({ reason, rule, verdict }) => urlsOf(some.all(reason, rule, verdict, EXAMPLES));
}
