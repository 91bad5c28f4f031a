/**
 * What the last audit of a crawl found: the issues, one per rule, what changed since the previous crawl, and the score.
 */
import { hasTable } from "../../kernel/sqlite/schema.ts";
import type { SiteReader } from "../store/reader.ts";
import { type Acceptance, markAccepted } from "./acceptances.ts";
import { PRIORITIES, type Priority, type Rule, SEVERITIES, type Severity, scopeLabel } from "./rule.ts";
import { RULE_GROUPS, ruleNamed } from "./rule-table.ts";
import { scoreOf } from "./score.ts";

export interface Issue {
  rule: string;
  group: string;
  name: string;
  severity: Severity;
  priority: Priority;
  /** URLs with this issue. */
  found: number;
  /** How many of these nobody has accepted or ignored. */
  open: number;
  accepted: number;
  ignored: number;
  /** Compared with the previous crawl; null if the rule was not applied then. */
  new: number | null;
  back: number | null;
  fixed: number | null;
  /** How many URLs it applies to, and what they are. */
  applies: number;
  scope: string;
}

/** Rules by subject, because that is how people look for them: titles, images, links. */
export interface IssueGroup {
  group: string;
  /** Rules with open findings, by severity. */
  error: number;
  warning: number;
  notice: number;
  passed: number;
  /** Open findings. */
  open: number;
}

export interface IssueList {
  /** When the crawl was audited, in ms since 1970; null when it was not. */
  auditedAt: number | null;
  /** The crawl that it was compared with; null when there was none. */
  previousId: number | null;
  /** 0 to 100; null without indexable pages. */
  score: number | null;
  indexablePages: number;
  groups: IssueGroup[];
  /** Rules that found something, worst first. */
  issues: Issue[];
  /** Rules that were applied and found nothing. */
  passed: Issue[];
  /** Rules for which the crawl has no URLs. */
  notApplicable: Issue[];
}

const NOT_AUDITED: IssueList = {
  ...{ auditedAt: null, previousId: null, score: null, indexablePages: 0 },
  ...{ groups: [], issues: [], passed: [], notApplicable: [] },
};

export const wasAudited = ({ db }: SiteReader): boolean =>
  hasTable(db, "audits") && db.prepare("SELECT 1 FROM audits").get() !== undefined;

/** An audit by an older version was not compared with another crawl. */
export const wasCompared = ({ db }: SiteReader): boolean => hasTable(db, "compared_rules");

export function readIssues(reader: SiteReader, acceptances: readonly Acceptance[] = []): IssueList {
  if (!wasAudited(reader)) return NOT_AUDITED;
  const { db } = reader;
  const audit = db.prepare("SELECT at, score, indexable FROM audits").get() as {
    at: number;
    score: number | null;
    indexable: number;
  };
  markAccepted(db, acceptances);
  const isKnown = wasCompared(reader);
  const all = countedRules(reader, isKnown);
  const previous = isKnown ? db.prepare("SELECT crawl FROM compared_audits").get() : undefined;
  const isSpared = isKnown && all.some(({ ignored }) => ignored > 0);
  const lists = {
    issues: all.filter(({ found }) => found > 0).sort(byWeight),
    passed: all.filter(({ found, applies }) => found === 0 && applies > 0),
  };
  return {
    auditedAt: audit.at,
    previousId: previous === undefined ? null : Number(previous["crawl"]),
    score: isSpared ? scoreOf(db, audit.indexable, true) : audit.score,
    indexablePages: audit.indexable,
    groups: groupsOf(lists),
    ...lists,
    notApplicable: all.filter(({ found, applies }) => found === 0 && applies === 0),
  };
}

function countedRules({ db }: SiteReader, isKnown: boolean): Issue[] {
  const changes = isKnown
    ? "c.new AS new, c.back AS back, c.fixed AS fixed"
    : "NULL AS new, NULL AS back, NULL AS fixed";
  const rows = db
    .prepare(
      `SELECT r.rule AS rule, r.applies AS applies, r.found AS found, ${changes},
         coalesce(a.accepted, 0) AS accepted, coalesce(a.ignored, 0) AS ignored
       FROM audit_rules r ${isKnown ? "LEFT JOIN compared_rules c ON c.number = r.number" : ""}
       LEFT JOIN (SELECT rule, sum(NOT ignored) AS accepted, sum(ignored) AS ignored FROM temp.accepted GROUP BY rule) a
         ON a.rule = r.number`,
    )
    .all() as unknown as (Omit<Issue, "open" | "scope"> & { rule: string })[];
  return rows.flatMap(({ rule: id, ...counts }) => {
    const rule = ruleNamed(id);
    return rule === undefined ? [] : [issueOf(rule, counts)];
  });
}

const issueOf = (
  { id, group, name, severity, priority, on }: Rule,
  {
    found,
    applies,
    accepted,
    ignored,
    new: added,
    back,
    fixed,
  }: Pick<Issue, "found" | "applies" | "accepted" | "ignored" | "new" | "back" | "fixed">,
): Issue => ({
  ...{ rule: id, group, name, severity, priority },
  ...{ found, open: found - accepted - ignored, accepted, ignored, new: added, back, fixed },
  ...{ applies, scope: scopeLabel(on, applies) },
});

const byWeight = (a: Issue, b: Issue): number =>
  Number(a.open === 0) - Number(b.open === 0) ||
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
  PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) ||
  b.found - a.found ||
  (a.rule < b.rule ? -1 : 1);

function groupsOf({ issues, passed }: Pick<IssueList, "issues" | "passed">): IssueGroup[] {
  return RULE_GROUPS.map(({ name: group }) => {
    const own = issues.filter((issue) => issue.group === group && issue.open > 0);
    const withSeverity = (severity: Severity) => own.filter((issue) => issue.severity === severity).length;
    return {
      group,
      ...{ error: withSeverity("error"), warning: withSeverity("warning"), notice: withSeverity("notice") },
      passed: passed.filter((issue) => issue.group === group).length,
      open: own.reduce((sum, { open }) => sum + open, 0),
    };
  });
}

/** Findings of each severity, for a trend. */
export interface AuditTotals {
  score: number | null;
  indexablePages: number;
  errors: number;
  warnings: number;
  notices: number;
}

/** Null when the crawl was not audited. */
export function readTotals(reader: SiteReader): AuditTotals | null {
  if (!wasAudited(reader)) return null;
  const count = (severity: Severity) => `coalesce(sum(found) FILTER (WHERE severity = '${severity}'), 0)`;
  return reader.db
    .prepare(
      `SELECT (SELECT score FROM audits) AS score, (SELECT indexable FROM audits) AS indexablePages,
         ${count("error")} AS errors, ${count("warning")} AS warnings, ${count("notice")} AS notices FROM audit_rules`,
    )
    .get() as unknown as AuditTotals;
}
