/**
 * Compares findings with those of the previous crawl: which are new, still there, fixed, or back again. Findings of
 * earlier crawls that are gone are kept in the database, so that a series of comparisons remembers them.
 */
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { hasTable } from "../../kernel/sqlite/schema.ts";
import { RULES } from "./rule-table.ts";

export interface PreviousCrawl {
  id: number;
  /** Its database. */
  path: string;
}

/** How a finding relates to the previous crawl. */
export const FINDING_CHANGES = ["new", "still", "back", "fixed"] as const;
export type FindingChange = (typeof FINDING_CHANGES)[number];

/** As stored in `changed_findings`. */
export const NEW = 0;
export const BACK = 1;
/** As stored in `past_findings`. */
export const FIXED = 0;
const FIXED_BEFORE = 1;
const UNCHECKED = 2;

/**
 * Limits that leave pages out. Only if none of them applied does a URL that the crawl did not find count as removed
 * from the site.
 */
const LIMITS = "'max_urls', 'max_pages', 'max_urls_per_host', 'max_urls_per_pattern', 'max_query_variants', 'too_deep'";

/** Attaches the earlier crawl as `earlier`, read-only, if it was audited. Not within a transaction. */
export function attachPrevious(db: DatabaseSync, previous: PreviousCrawl | null): boolean {
  if (previous === null) return false;
  db.prepare("ATTACH ? AS earlier").run(`${pathToFileURL(previous.path).href}?mode=ro`);
  const audited =
    db.prepare("SELECT 1 FROM earlier.sqlite_master WHERE type = 'table' AND name = 'audits'").get() !== undefined &&
    db.prepare("SELECT 1 FROM earlier.audits").get() !== undefined;
  if (!audited) db.exec("DETACH earlier");
  return audited;
}

/** Call it after the findings are stored, with the earlier crawl attached. */
export function compareFindings(db: DatabaseSync, previousId: number): void {
  prepare(db);
  db.exec(CHANGED_NOW);
  db.exec(PAST(isWhole(db)));
  const wasCompared =
    db.prepare("SELECT 1 FROM earlier.sqlite_master WHERE type = 'table' AND name = 'past_findings'").get() !==
    undefined;
  if (wasCompared) {
    db.exec(BACK_AGAIN);
    db.exec(PAST_BEFORE(isWhole(db)));
  }
  db.exec(COUNTS);
  db.prepare("INSERT INTO compared_audits VALUES (?)").run(previousId);
}

export function forgetComparison(db: DatabaseSync): void {
  if (!hasTable(db, "past_findings")) return;
  db.exec(
    "DELETE FROM compared_audits; DELETE FROM compared_rules; DELETE FROM changed_findings; DELETE FROM past_findings",
  );
}

/** The other crawl has other numbers for the same rules and URLs. */
function prepare(db: DatabaseSync): void {
  db.exec(`
    CREATE TEMP TABLE same_rules AS SELECT n.number AS now, e.number AS was
      FROM main.audit_rules n JOIN earlier.audit_rules e USING (rule);
    CREATE TEMP TABLE same_urls (now INTEGER PRIMARY KEY, was INTEGER NOT NULL);
    INSERT INTO same_urls SELECT f.id, e.id FROM (SELECT DISTINCT id FROM main.findings) f
      JOIN main.urls u ON u.id = f.id JOIN earlier.urls e ON e.url = u.url;
    CREATE TEMP TABLE by_evidence (rule TEXT PRIMARY KEY)`);
  const add = db.prepare("INSERT INTO by_evidence VALUES (?)");
  for (const { id, key } of RULES) if (key === "evidence") add.run(id);
}

const isWhole = (db: DatabaseSync): boolean =>
  db.prepare(`SELECT 1 FROM main.urls WHERE reason IN (${LIMITS}) OR state = 'open' LIMIT 1`).get() === undefined;

/** Whether two findings of a rule at one URL are the same one: `rule` is a rule's name, `a` and `b` their evidence. */
const isSame = (rule: string, a: string, b: string): string =>
  `(${a} IS ${b} OR NOT EXISTS (SELECT 1 FROM temp.by_evidence v WHERE v.rule = ${rule}))`;

const CHANGED_NOW = `
  INSERT INTO main.changed_findings SELECT f.rule, f.id, ${NEW} FROM main.findings f
    JOIN main.audit_rules r ON r.number = f.rule JOIN temp.same_rules s ON s.now = f.rule
    LEFT JOIN temp.same_urls i ON i.now = f.id
    LEFT JOIN earlier.findings e ON e.rule = s.was AND e.id = i.was
    WHERE e.id IS NULL OR NOT ${isSame("r.rule", "e.evidence", "f.evidence")}`;

const BACK_AGAIN = `
  UPDATE main.changed_findings AS c SET state = ${BACK} WHERE EXISTS (
    SELECT 1 FROM main.findings f JOIN main.audit_rules r ON r.number = f.rule JOIN main.urls u ON u.id = f.id
    JOIN earlier.past_findings p ON p.rule = r.rule AND p.url = u.url AND p.state <> ${UNCHECKED}
    WHERE f.rule = c.rule AND f.id = c.id AND ${isSame("r.rule", "p.evidence", "f.evidence")});
  DELETE FROM main.changed_findings AS c WHERE EXISTS (
    SELECT 1 FROM main.findings f JOIN main.audit_rules r ON r.number = f.rule JOIN main.urls u ON u.id = f.id
    JOIN earlier.past_findings p ON p.rule = r.rule AND p.url = u.url AND p.state = ${UNCHECKED}
    WHERE f.rule = c.rule AND f.id = c.id AND ${isSame("r.rule", "p.evidence", "f.evidence")})`;

/**
 * A page that was fetched was checked. A page that the site no longer has counts as fixed; a page that was left out
 * does not.
 */
const checked = (whole: boolean): string => `(q.id IS NOT NULL OR (u.id IS NULL AND ${whole ? 1 : 0}))`;

/** Findings of the earlier crawl that are gone now. Those of a rule that is left out now were not checked. */
const PAST = (whole: boolean): string => `
  INSERT INTO main.past_findings (rule, url, evidence, state)
    SELECT r.rule, o.url, e.evidence, iif(s.now IS NOT NULL AND ${checked(whole)}, ${FIXED}, ${UNCHECKED})
    FROM earlier.findings e JOIN earlier.audit_rules r ON r.number = e.rule JOIN earlier.urls o ON o.id = e.id
    LEFT JOIN temp.same_rules s ON s.was = e.rule LEFT JOIN main.urls u ON u.url = o.url
    LEFT JOIN main.pages q ON q.id = u.id
    LEFT JOIN main.findings f ON f.rule = s.now AND f.id = u.id
    WHERE f.id IS NULL OR NOT ${isSame("r.rule", "e.evidence", "f.evidence")}`;

/** Findings that were already gone in the earlier crawl. */
const PAST_BEFORE = (whole: boolean): string => `
  INSERT INTO main.past_findings (rule, url, evidence, state)
    SELECT p.rule, p.url, p.evidence, CASE WHEN p.state <> ${UNCHECKED} THEN ${FIXED_BEFORE}
      WHEN n.number IS NOT NULL AND ${checked(whole)} THEN ${FIXED} ELSE ${UNCHECKED} END
    FROM earlier.past_findings p LEFT JOIN main.audit_rules n ON n.rule = p.rule
    LEFT JOIN main.urls u ON u.url = p.url LEFT JOIN main.pages q ON q.id = u.id
    LEFT JOIN main.findings f ON f.rule = n.number AND f.id = u.id
    WHERE f.id IS NULL OR NOT ${isSame("p.rule", "p.evidence", "f.evidence")}`;

const COUNTS = `
  INSERT INTO main.compared_rules SELECT s.now,
    (SELECT count(*) FROM main.changed_findings c WHERE c.rule = s.now AND c.state = ${NEW}),
    (SELECT count(*) FROM main.changed_findings c WHERE c.rule = s.now AND c.state = ${BACK}),
    (SELECT count(*) FROM main.past_findings p WHERE p.rule = r.rule AND p.state = ${FIXED})
    FROM temp.same_rules s JOIN main.audit_rules r ON r.number = s.now`;
