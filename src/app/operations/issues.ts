/** Operations on what the audit of a crawl found. */
import { z } from "zod";
import { PRIORITIES, SEVERITIES } from "../../site/audit/rule.ts";
import { cursor, id, limit, operation } from "./operation.ts";

const issue = z
  .object({
    rule: z.string().meta({ description: "Its id, such as title.missing." }),
    group: z.string(),
    name: z.string(),
    severity: z.enum(SEVERITIES),
    priority: z.enum(PRIORITIES),
    found: z.int().meta({ description: "URLs on which it was found." }),
    applies: z.int().meta({ description: "URLs that it was judged for." }),
    scope: z.string().meta({ description: "What those URLs are, such as indexable pages." }),
  })
  .meta({ id: "Issue" });

const issueList = z.object({
  auditedAt: z.int().nullable().meta({ description: "Ms since 1970; null when the crawl was not audited." }),
  score: z.number().nullable().meta({ description: "0 to 100; null without indexable pages." }),
  formula: z.string().meta({ description: "How the score is computed." }),
  indexablePages: z.int(),
  counts: z.record(z.enum(SEVERITIES), z.int()).meta({ description: "Rules of each severity that found something." }),
  issues: z.array(issue).meta({ description: "Rules that found something, the worst first." }),
  passed: z.array(issue).meta({ description: "Rules that were judged and found nothing." }),
  notApplicable: z.array(issue).meta({ description: "Rules for which the crawl has no URLs." }),
});
export type IssueAnswer = z.output<typeof issueList>;

export const listIssues = operation({
  name: "listIssues",
  kind: "read",
  summary: "What the audit of a crawl found: issues by severity and priority, passed checks, and the score",
  input: z.object({ id }),
  output: issueList,
  run: (app, input) => app.audits.issues(input.id),
});

const finding = z
  .object({
    key: z.string().meta({ description: "The same for the same finding in another crawl." }),
    url: z.string(),
    evidence: z
      .string()
      .nullable()
      .meta({ description: "What was found there; several things on lines of their own." }),
    status: z.int().nullable(),
    title: z.string().nullable(),
    inlinks: z.int(),
    linkedFrom: z
      .array(z.object({ url: z.string(), text: z.string() }))
      .meta({ description: "The first pages that link to it." }),
  })
  .meta({ id: "Finding" });

const findingsQuestion = z.object({
  id,
  rule: z.string().min(1).max(100).meta({ description: "The id of a rule, such as title.missing." }),
  limit,
  cursor,
});
export type FindingsQuestion = z.output<typeof findingsQuestion>;

const findings = z.object({
  rule: z.string(),
  group: z.string(),
  name: z.string(),
  severity: z.enum(SEVERITIES),
  priority: z.enum(PRIORITIES),
  why: z.string().meta({ description: "Why it matters." }),
  fix: z.string().meta({ description: "What to do." }),
  link: z.string().meta({ description: "Where to read more." }),
  thresholds: z.record(z.string(), z.number()),
  total: z.int(),
  rows: z.array(finding),
  next: z.string().nullable(),
});
export type FindingsAnswer = z.output<typeof findings>;

export const listFindings = operation({
  name: "listFindings",
  kind: "read",
  summary: "The URLs of one issue with what was found there and who links to them; why it matters and how to fix it",
  input: findingsQuestion,
  output: findings,
  run: (app, input) => app.audits.findings(input),
});

const auditQuestion = z.object({
  id,
  thresholds: z.array(z.string().max(200)).max(200).nullable().default(null).meta({
    description: "NAME=NUMBER, such as titleMaxChars=70; by default those of the crawl's settings.",
  }),
  ignoreRules: z.array(z.string().max(200)).max(500).nullable().default(null).meta({
    description: "Rules to leave out; by default those of the crawl's settings.",
  }),
});
export type AuditQuestion = z.output<typeof auditQuestion>;

export const auditCrawl = operation({
  name: "auditCrawl",
  kind: "change",
  summary: "Judge a finished crawl by the audit rules again, without fetching anything",
  input: auditQuestion,
  output: issueList,
  run: (app, input) => app.audits.repeat(input),
});
