/** Everything that a report says about the audit of a crawl. */
import { TrawlError } from "../../errors.ts";
import type { App } from "../app.ts";
import { getOverview, type Overview } from "../operations/crawls.ts";
import {
  type FindingsAnswer,
  getIssueTrend,
  type IssueAnswer,
  listFindings,
  listIssues,
  type TrendPoint,
} from "../operations/issues.ts";
import { ask, MAX_LIMIT } from "../operations/operation.ts";

export interface ReportIssue {
  issue: IssueAnswer["rows"][number];
  why: string;
  fix: string;
  link: string;
  /** The first open findings. */
  rows: FindingsAnswer["rows"];
}

export interface ReportData {
  version: string;
  overview: Overview;
  audit: IssueAnswer;
  trend: TrendPoint[];
  issues: ReportIssue[];
}

/** `most`: how many findings of each rule are listed. */
export async function reportData(app: App, id: number, most: number): Promise<ReportData> {
  const audit = await ask(app, listIssues, { id });
  if (audit.auditedAt === null) {
    throw new TrawlError("BAD_USAGE", `Crawl ${id} was not audited.`, { hint: `\`trawl audit ${id}\` does that.` });
  }
  const issues: ReportIssue[] = [];
  for (const issue of audit.rows.filter(({ open }) => open > 0)) {
    const { why, fix, link, rows } = await openFindings(app, id, issue.rule, most);
    issues.push({ issue, why, fix, link, rows });
  }
  const overview = await ask(app, getOverview, { id });
  const { rows: trend } = await ask(app, getIssueTrend, { id });
  return { version: app.version, overview, audit, trend, issues };
}

async function openFindings(app: App, id: number, rule: string, most: number): Promise<FindingsAnswer> {
  const first = await ask(app, listFindings, { id, rule, state: "open", limit: Math.min(most, MAX_LIMIT) });
  const rows = [...first.rows];
  for (let next = first.next; next !== null && rows.length < most; ) {
    const limit = Math.min(most - rows.length, MAX_LIMIT);
    const page = await ask(app, listFindings, { id, rule, state: "open", limit, cursor: next });
    rows.push(...page.rows);
    next = page.next;
  }
  return { ...first, rows };
}
