/** The score of a site: one formula over its indexable pages, so that crawling more pages does not change its meaning. */
import type { DatabaseSync } from "node:sqlite";
import type { Severity } from "./rule.ts";

/** How many of its 100 points each finding costs an indexable page. */
export const SCORE_COSTS: Record<Severity, number> = { error: 20, warning: 5, notice: 1 };
export const SCORE_FORMULA =
  "The mean over all indexable pages of 100 points, less 20 for each error, 5 for each warning and 1 for each notice on the page, but at least 0. " +
  "Ignored findings cost nothing; accepted ones do. More pages alone do not change it.";

const COST = Object.entries(SCORE_COSTS).map(([severity, points]) => `WHEN '${severity}' THEN ${points}`);

/** Stores what findings cost the indexable pages that have any. */
export const PAGE_COSTS = `DELETE FROM page_costs;
  INSERT INTO page_costs SELECT f.id, sum(CASE r.severity ${COST.join(" ")} END) FROM findings f
  JOIN audit_rules r ON r.number = f.rule WHERE f.id IN (SELECT id FROM judged WHERE as_indexable) GROUP BY f.id`;

/** Null if there are no indexable pages. `isMarked`: the table `accepted` says which findings are ignored. */
export function scoreOf(db: DatabaseSync, indexable: number, isMarked = false): number | null {
  if (indexable === 0) return null;
  const spared = isMarked
    ? `(SELECT a.id AS id, sum(CASE r.severity ${COST.join(" ")} END) AS points FROM temp.accepted a
        JOIN audit_rules r ON r.number = a.rule WHERE a.ignored GROUP BY a.id)`
    : "(SELECT 0 AS id, 0 AS points)";
  const row = db
    .prepare(
      `SELECT coalesce(sum(min(100, c.points - coalesce(s.points, 0))), 0) AS lost
       FROM page_costs c LEFT JOIN ${spared} s ON s.id = c.id`,
    )
    .get();
  return Math.round((100 - Number(row!["lost"]) / indexable) * 10) / 10;
}
