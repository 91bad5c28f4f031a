/** Operations on what the audit of a crawl found. */
import { z } from "zod";
import { ACCEPTANCE_ACTIONS } from "../../site/audit/acceptances.ts";
import { FINDING_STATES } from "../../site/audit/findings.ts";
import { PRIORITIES, SEVERITIES } from "../../site/audit/rule.ts";
import { FINDING_CHANGES } from "../../site/audit/since-last.ts";
import { allOf, cursor, id, limit, operation, pageOf } from "./operation.ts";
import { time, timeOf } from "./time.ts";

const sinceLast = (what: string) =>
  z
    .int()
    .nullable()
    .meta({ description: `${what}; null if the rule was not applied in the previous crawl.` });

const issue = z
  .object({
    rule: z.string().meta({ description: "Its id, such as title.missing." }),
    group: z.string(),
    name: z.string(),
    severity: z.enum(SEVERITIES),
    priority: z.enum(PRIORITIES),
    found: z.int().meta({ description: "URLs with this issue." }),
    open: z.int().meta({ description: "Of these, the ones that nobody has accepted or ignored." }),
    accepted: z.int(),
    ignored: z.int(),
    new: sinceLast("Findings that the previous crawl did not have"),
    back: sinceLast("Findings that were fixed before, and are back again"),
    fixed: sinceLast("Findings of the previous crawl that are gone"),
    applies: z.int().meta({ description: "URLs that the rule was applied to." }),
    scope: z.string().meta({ description: "What those URLs are, such as indexable pages." }),
  })
  .meta({ id: "Issue" });

const issueGroup = z
  .object({
    group: z.string(),
    error: z.int().meta({ description: "Rules of this severity with open findings." }),
    warning: z.int(),
    notice: z.int(),
    passed: z.int().meta({ description: "Rules that found nothing." }),
    open: z.int().meta({ description: "Open findings of all its rules." }),
  })
  .meta({ id: "IssueGroup" });

const issueList = z.object({
  auditedAt: timeOf("Null when the crawl was not audited.").nullable(),
  previousId: z.int().nullable().meta({ description: "The crawl it was compared with; null when there was none." }),
  score: z.number().nullable().meta({ description: "0 to 100; null without indexable pages." }),
  formula: z.string().meta({ description: "How the score is computed." }),
  indexablePages: z.int(),
  counts: z.record(z.enum(SEVERITIES), z.int()).meta({ description: "Rules of each severity with open findings." }),
  groups: z.array(issueGroup).meta({ description: "The rules by subject: titles, images, links, …" }),
  total: z.int(),
  rows: z
    .array(issue)
    .meta({ description: "Rules that found something, worst first; those with only accepted findings come last." }),
  next: z.string().nullable(),
  issues: z.array(issue).meta({ description: "Deprecated: the same as rows.", deprecated: true }),
  passed: z.array(issue).meta({ description: "Rules that were applied and found nothing." }),
  notApplicable: z.array(issue).meta({ description: "Rules for which the crawl has no URLs." }),
});
export type IssueAnswer = z.output<typeof issueList>;

export const listIssues = operation({
  name: "listIssues",
  kind: "read",
  summary: "What the audit of a crawl found: issues by severity and priority, what is new and fixed, and the score",
  errors: ["CRAWL_NOT_FOUND"],
  input: z.object({ id }),
  output: issueList,
  run: (app, input) => app.audits.issues(input.id),
});

const acceptance = z
  .object({
    key: z.string().meta({ description: "The key with which it can be removed." }),
    action: z.enum(ACCEPTANCE_ACTIONS).meta({
      description:
        "accept: it is a problem that stays for now. ignore: it is not a problem, and does not lower the score.",
    }),
    rule: z.string(),
    url: z.string().nullable().meta({ description: "For one finding." }),
    evidence: z.string().nullable(),
    pattern: z
      .string()
      .nullable()
      .meta({ description: "For URLs that match. Without url and pattern: the whole rule." }),
    reason: z.string(),
    until: z.string().nullable().meta({ description: "The last day on which it applies." }),
    since: z.string().nullable().meta({ description: "The day it was made." }),
    isActive: z.boolean().meta({ description: "False once it has ended." }),
  })
  .meta({ id: "Acceptance" });

const finding = z
  .object({
    key: z.string().meta({ description: "The same for the same finding in another crawl." }),
    url: z.string(),
    evidence: z.string().nullable().meta({ description: "What was found there, one thing per line." }),
    change: z.enum(FINDING_CHANGES).nullable().meta({
      description: "Compared with the previous crawl; null if there was none, or this rule was not applied to it.",
    }),
    acceptance: acceptance.nullable().meta({ description: "Why it does not count; null when it is open." }),
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
  state: z.enum(FINDING_STATES).default("all").meta({
    description: "Which findings: all; open (not accepted or ignored); new, still, back or fixed.",
  }),
  limit,
  cursor,
});
export type FindingsQuestion = z.output<typeof findingsQuestion>;

const findings = pageOf(finding).extend({
  rule: z.string(),
  group: z.string(),
  name: z.string(),
  severity: z.enum(SEVERITIES),
  priority: z.enum(PRIORITIES),
  why: z.string().meta({ description: "Why it matters." }),
  fix: z.string().meta({ description: "What to do." }),
  link: z.string().meta({ description: "Where to read more." }),
  thresholds: z.record(z.string(), z.number()),
});
export type FindingsAnswer = z.output<typeof findings>;

export const listFindings = operation({
  name: "listFindings",
  kind: "read",
  summary: "The URLs of one issue, with the evidence and who links to them; why it matters and how to fix it",
  errors: ["CRAWL_NOT_FOUND", "BAD_USAGE"],
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
    description: "Rules to turn off; by default those of the crawl's settings.",
  }),
  crux: z
    .object({
      key: z.string().min(1).max(200).meta({ description: "A key of Google's API for it. It is not stored." }),
      pages: z.int().min(1).max(10_000).default(100).meta({
        description:
          "How many pages are asked about, the start first, and then those that the site links to most; 150 per minute.",
      }),
    })
    .nullable()
    .default(null)
    .meta({ description: "Asks the Chrome UX Report how fast pages were for their visitors." }),
  searchConsole: z
    .object({
      token: z.string().min(1).max(4_000).meta({ description: "An OAuth access token. It is not stored." }),
      property: z.string().min(1).max(2_000).meta({
        description: "As Search Console names it: https://example.com/ or sc-domain:example.com.",
      }),
    })
    .nullable()
    .default(null)
    .meta({ description: "Asks Search Console how often Google's results showed each page in the last 28 days." }),
});
export type AuditQuestion = z.output<typeof auditQuestion>;

export const auditCrawl = operation({
  name: "auditCrawl",
  kind: "change",
  summary: "Judge a finished crawl by the audit rules again, without fetching anything of the site",
  errors: ["CRAWL_NOT_FOUND", "CRAWL_BUSY", "BAD_CONFIG", "BAD_USAGE", "SERVICE_REFUSED"],
  input: auditQuestion,
  output: issueList,
  run: (app, input) => app.audits.repeat(input),
});

const acceptances = pageOf(acceptance).extend({
  file: z.string().meta({ description: "The project's file that holds them." }),
});
export type AcceptancesAnswer = z.output<typeof acceptances>;

export const listAcceptances = operation({
  name: "listAcceptances",
  kind: "read",
  summary: "The findings of a crawl's project that were accepted or ignored, with the reasons",
  errors: ["CRAWL_NOT_FOUND"],
  input: z.object({ id }),
  output: acceptances,
  run: (app, input) => app.audits.acceptances(input.id),
});

const acceptQuestion = z.object({
  id,
  rule: z.string().min(1).max(100).meta({ description: "The id of a rule, such as title.missing." }),
  action: z.enum(ACCEPTANCE_ACTIONS).default("accept"),
  url: z.string().min(1).max(65_536).nullable().default(null).meta({ description: "One finding: its URL." }),
  evidence: z.string().max(1_000).nullable().default(null).meta({ description: "Its evidence, as it was listed." }),
  pattern: z
    .string()
    .min(1)
    .max(2_000)
    .nullable()
    .default(null)
    .meta({ description: "All findings of the rule at matching URLs, such as /blog/*. Without both: the whole rule." }),
  reason: z.string().min(1).max(2_000),
  until: z.iso
    .date()
    .nullable()
    .default(null)
    .meta({ description: "The last day on which it applies, such as 2027-01-31." }),
});
export type AcceptQuestion = z.output<typeof acceptQuestion>;

export const acceptFindings = operation({
  name: "acceptFindings",
  kind: "change",
  summary:
    "Accept or ignore one finding, those of a pattern of URLs, or a whole rule, for this and later crawls of the project",
  errors: ["CRAWL_NOT_FOUND", "BAD_USAGE"],
  input: acceptQuestion,
  output: acceptances,
  run: (app, input) => app.audits.accept(input),
});

export const removeAcceptance = operation({
  name: "removeAcceptance",
  kind: "change",
  summary: "No longer accept or ignore something",
  errors: ["CRAWL_NOT_FOUND", "BAD_USAGE"],
  input: z.object({ id, key: z.string().min(1).max(100).meta({ description: "The key of the acceptance." }) }),
  output: acceptances,
  run: (app, input) => app.audits.unaccept(input),
});

const trendPoint = z
  .object({
    crawlId: z.int(),
    startedAt: time,
    crawlDateTime: z.int().meta({ description: "Deprecated: startedAt in seconds since 1970.", deprecated: true }),
    score: z.number().nullable(),
    indexablePages: z.int(),
    errors: z.int().meta({ description: "Findings, as they were found." }),
    warnings: z.int(),
    notices: z.int(),
  })
  .meta({ id: "TrendPoint" });
export type TrendPoint = z.output<typeof trendPoint>;

export const getIssueTrend = operation({
  name: "getIssueTrend",
  kind: "read",
  summary: "Score and findings of the last crawls of a crawl's project that were audited, oldest first",
  errors: ["CRAWL_NOT_FOUND"],
  input: z.object({ id, limit: z.int().min(1).max(50).default(20) }),
  output: pageOf(trendPoint),
  run: async (app, input) => allOf(await app.audits.trend(input.id, input.limit)),
});
