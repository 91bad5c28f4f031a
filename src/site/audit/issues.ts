/** What the last audit of a crawl found: the issues, one per rule, and the URLs of one of them. */
import { hash } from "node:crypto";
import { TrawlError } from "../../errors.ts";
import { hasTable } from "../../kernel/sqlite/schema.ts";
import { didYouMean } from "../../settings/problems.ts";
import type { SiteReader } from "../store/reader.ts";
import { PRIORITIES, type Priority, type Rule, SCOPES, SEVERITIES, type Severity } from "./rule.ts";
import { RULES, ruleNamed } from "./rule-table.ts";

export interface Issue {
  rule: string;
  group: string;
  name: string;
  severity: Severity;
  priority: Priority;
  /** URLs on which it was found. */
  found: number;
  /** URLs that it was judged for, and what they are. */
  applies: number;
  scope: string;
}

export interface IssueList {
  /** When the crawl was audited, in ms since 1970; null when it was not. */
  auditedAt: number | null;
  /** 0 to 100; null without indexable pages. */
  score: number | null;
  indexablePages: number;
  /** Rules that found something: the worst first. */
  issues: Issue[];
  /** Rules that were judged and found nothing. */
  passed: Issue[];
  /** Rules for which the crawl has no URLs. */
  notApplicable: Issue[];
}

/** How much a finding on an indexable page costs it of its 100 points. */
export const SCORE_COSTS: Record<Severity, number> = { error: 20, warning: 5, notice: 1 };
export const SCORE_FORMULA =
  "The mean over all indexable pages of 100 points, less 20 for each error, 5 for each warning and 1 for each notice on the page, but at least 0. More pages alone do not change it.";

const NOT_AUDITED: IssueList = {
  ...{ auditedAt: null, score: null, indexablePages: 0 },
  ...{ issues: [], passed: [], notApplicable: [] },
};

export const wasAudited = ({ db }: SiteReader): boolean =>
  hasTable(db, "audits") && db.prepare("SELECT 1 FROM audits").get() !== undefined;

export function readIssues(reader: SiteReader): IssueList {
  if (!wasAudited(reader)) return NOT_AUDITED;
  const { db } = reader;
  const audit = db.prepare("SELECT at, score, indexable FROM audits").get() as {
    at: number;
    score: number | null;
    indexable: number;
  };
  const rows = db.prepare("SELECT rule, applies, found FROM audit_rules").all();
  const all = rows.flatMap((row) => {
    const rule = ruleNamed(String(row["rule"]));
    return rule === undefined ? [] : [issueOf(rule, Number(row["found"]), Number(row["applies"]))];
  });
  return {
    auditedAt: audit.at,
    score: audit.score,
    indexablePages: audit.indexable,
    issues: all.filter(({ found }) => found > 0).sort(byWeight),
    passed: all.filter(({ found, applies }) => found === 0 && applies > 0),
    notApplicable: all.filter(({ found, applies }) => found === 0 && applies === 0),
  };
}

const issueOf = ({ id, group, name, severity, priority, on }: Rule, found: number, applies: number): Issue => ({
  ...{ rule: id, group, name, severity, priority, found, applies },
  scope: SCOPES[on].label,
});

const byWeight = (a: Issue, b: Issue): number =>
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
  PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) ||
  b.found - a.found ||
  (a.rule < b.rule ? -1 : 1);

export interface Finding {
  /** The same for the same finding in another crawl. */
  key: string;
  url: string;
  evidence: string | null;
  status: number | null;
  title: string | null;
  inlinks: number;
  /** The first pages that link to it, with the text of the link. */
  linkedFrom: { url: string; text: string }[];
}

export interface FindingPage {
  rule: Rule;
  total: number;
  rows: Finding[];
  /** The id of the last URL; null when there are no more. */
  next: number | null;
}

/** Pages that link to a URL: enough to see where it comes from. */
const LINKING_PAGES = 3;

export function readFindings(reader: SiteReader, id: string, limit: number, after: number): FindingPage {
  const rule = knownRule(id);
  if (!wasAudited(reader)) return { rule, total: 0, rows: [], next: null };
  const { db } = reader;
  const stored = db.prepare("SELECT number, found FROM audit_rules WHERE rule = ?").get(rule.id);
  if (stored === undefined) return { rule, total: 0, rows: [], next: null };
  const rows = db
    .prepare(
      `SELECT f.id AS id, u.url AS url, f.evidence AS evidence, p.status AS status, p.title AS title,
         coalesce((SELECT inlinks FROM graph WHERE id = f.id), 0) AS inlinks
       FROM findings f JOIN urls u ON u.id = f.id LEFT JOIN pages p ON p.id = f.id
       WHERE f.rule = ? AND f.id > ? ORDER BY f.id LIMIT ?`,
    )
    .all(stored["number"]!, after, limit + 1) as unknown as (Omit<Finding, "key" | "linkedFrom"> & { id: number })[];
  const shown = rows.slice(0, limit);
  const linking = db.prepare(
    `SELECT DISTINCT s.url AS url, coalesce(t.value, '') AS text FROM links l JOIN urls s ON s.id = l.source
     LEFT JOIN texts t ON t.id = l.text WHERE l.target = ? AND l.source <> l.target LIMIT ${LINKING_PAGES}`,
  );
  return {
    rule,
    total: Number(stored["found"]),
    rows: shown.map(({ id: urlId, ...row }) => ({
      key: findingKey(rule, row.url, row.evidence),
      ...row,
      linkedFrom: linking.all(urlId) as unknown as Finding["linkedFrom"],
    })),
    next: rows.length > limit ? shown.at(-1)!.id : null,
  };
}

/** By it, a finding is recognised in the next crawl, and when somebody has accepted it. */
export const findingKey = ({ id, key }: Rule, url: string, evidence: string | null): string =>
  hash("sha1", [id, url, ...(key === "evidence" ? [evidence ?? ""] : [])].join("\n")).slice(0, 16);

function knownRule(id: string): Rule {
  const rule = ruleNamed(id);
  if (rule !== undefined) return rule;
  const near = didYouMean(
    id,
    RULES.map((each) => each.id),
  );
  throw new TrawlError("BAD_USAGE", `There is no audit rule ${id}${near}`, { hint: "docs/audit-rules.md lists them." });
}
