/** Operations on the URLs of a crawl: lists, one URL, what was not crawled and why, and the query behind an export. */

import { z } from "zod";
import { FACT_GROUPS, FACT_UNITS } from "../../site/facts/fact.ts";
import { REMOTE } from "../caller.ts";
import { urlFields } from "../data/crawl-answers.ts";
import { writeExport } from "../data/saved-export.ts";
import { allOf, cursor, id, limit, operation, pageOf, pageUrl } from "./operation.ts";
import { cell, urlRow } from "./shapes.ts";
import { time } from "./time.ts";

export const filters = z
  .array(z.string().max(8_000))
  .max(50)
  .default([])
  .meta({
    description:
      "FIELD OPERATOR VALUE, such as status>=400, title~shop, description=; all must match. Operators: = != > >= < <=, " +
      "~ contains, ^= starts with, $= ends with, =~ matches a regular expression, and their opposites !~ !^= !$= !=~. " +
      "One of several: status=404 || status=410. issue=title.missing: URLs with findings of an audit rule. " +
      "number=3,17: these rows.",
  });
export const search = z
  .string()
  .max(2_000)
  .nullable()
  .default(null)
  .meta({ description: "Text that the URL or title contains." });
export const sort = z
  .string()
  .max(100)
  .nullable()
  .default(null)
  .meta({ description: "A field; prefix it with - for descending order." });

export const listFields = operation({
  name: "listFields",
  kind: "read",
  summary: "The fields of a URL that can be shown, filtered, sorted and exported",
  input: z.object({}),
  output: pageOf(
    z.object({
      name: z.string(),
      type: z.enum(["text", "number", "boolean"]),
      label: z.string(),
      description: z.string(),
      group: z.enum(FACT_GROUPS).meta({ description: "Its column heading." }),
      unit: z.enum(FACT_UNITS).nullable().meta({ description: "How a value is written." }),
      values: z.array(z.string()).meta({ description: "The possible values, if there are few." }),
      isExported: z.boolean().meta({ description: "Exported by default." }),
    }),
  ),
  run: () => allOf(urlFields()),
});

const urlsQuestion = z.object({
  id,
  fields: z.array(z.string().min(1)).min(1).max(100).default(["url", "status", "title", "reason", "depth"]),
  filter: filters,
  search,
  sort,
  limit,
  cursor,
  offset: z
    .int()
    .min(0)
    .nullable()
    .default(null)
    .meta({ description: "Instead of a cursor: rows from this position, for a table that can be scrolled anywhere." }),
});
export type UrlsQuestion = z.output<typeof urlsQuestion>;

export const listUrls = operation({
  name: "listUrls",
  kind: "read",
  summary: "URLs of a crawl: filtered, searched, sorted, one page at a time",
  errors: ["CRAWL_NOT_FOUND", "BAD_USAGE"],
  input: urlsQuestion,
  output: pageOf(urlRow),
  run: (app, input, caller) => app.crawlData.urls(input, caller?.signal),
});

const countsQuestion = z.object({
  id,
  views: z
    .array(z.object({ filter: filters, search }))
    .max(50)
    .meta({ description: "Each written as for the list of URLs." }),
});
export type CountsQuestion = z.output<typeof countsQuestion>;

export const countUrls = operation({
  name: "countUrls",
  kind: "read",
  summary: "How many URLs of a crawl match each of several filters",
  errors: ["CRAWL_NOT_FOUND", "BAD_USAGE"],
  input: countsQuestion,
  output: z.object({ totals: z.array(z.int()).meta({ description: "In the order of the views." }) }),
  run: (app, input, caller) => app.crawlData.counts(input, caller?.signal),
});

export const PATH_STEP = z.object({ url: z.string(), via: z.string(), linkText: z.string().nullable() });

const why = z.object({
  url: z.string(),
  verdict: z.string(),
  reason: z.string().nullable(),
  meaning: z.string().nullable().meta({ description: "The reason in words." }),
  rule: z.string().nullable(),
  setting: z
    .object({ name: z.string(), value: z.unknown(), description: z.string() })
    .nullable()
    .meta({ description: "The setting that decided." }),
  directive: z
    .object({ page: z.string(), written: z.string() })
    .nullable()
    .meta({ description: "What the first page that links to it says about all its links, if that is the cause." }),
  state: z.string().nullable(),
  outcome: z.string().nullable().meta({ description: "The result of the fetch, in words." }),
  depth: z.int(),
  path: z.array(PATH_STEP).meta({ description: "From a start URL to this one." }),
  way: z.array(PATH_STEP).meta({ description: "Deprecated: the same as path.", deprecated: true }),
});
export type WhyAnswer = z.output<typeof why>;

export const whyUrl = operation({
  name: "whyUrl",
  kind: "read",
  summary: "Why a URL was crawled or not: verdict, reason, the rule and setting behind it, and the path to it",
  errors: ["CRAWL_NOT_FOUND", "BAD_URL", "URL_NOT_IN_CRAWL"],
  input: z.object({ id, url: pageUrl }),
  output: why,
  run: (app, input, caller) => app.crawlData.why(input, caller?.signal),
});

const urlDetail = z.object({
  url: z.string(),
  facts: urlRow.meta({ description: "Every field." }),
  headers: z.array(z.tuple([z.string(), z.string()])),
  rendered: z.record(z.string(), cell).nullable(),
  redirects: z.array(z.object({ url: z.string(), status: z.int().nullable() })),
  linksIn: z.int().nullable().meta({
    description:
      "All links to it, including those on the page itself; null while the crawl is running and has too many links to count.",
  }),
  linksOut: z.int(),
  hasHtml: z.boolean().meta({ description: "The page's HTML was stored." }),
});
export type UrlDetailAnswer = z.output<typeof urlDetail>;

export const getUrl = operation({
  name: "getUrl",
  kind: "read",
  summary: "Everything known about one URL of a crawl",
  errors: ["CRAWL_NOT_FOUND", "BAD_URL", "URL_NOT_IN_CRAWL"],
  input: z.object({ id, url: pageUrl }),
  output: urlDetail,
  run: (app, input, caller) => app.crawlData.url(input, caller?.signal),
});

const urlInCrawl = z.object({
  crawlId: z.int(),
  startedAt: time,
  crawlDateTime: z.int().meta({ description: "Deprecated: startedAt in seconds since 1970.", deprecated: true }),
  wasMet: z.boolean(),
  wasFetched: z.boolean().meta({ description: "It was requested: without a status, it did not answer." }),
  verdict: z.string().nullable(),
  reason: z.string().nullable(),
  status: z.int().nullable(),
  title: z.string().nullable(),
  wordCount: z.int().nullable(),
  timeTotal: z.number().nullable(),
  contentHash: z.string().nullable(),
  hasChanged: z
    .boolean()
    .meta({ description: "Content or status differ from the last earlier crawl that fetched it." }),
});
export type UrlInCrawl = z.output<typeof urlInCrawl>;

export const getUrlHistory = operation({
  name: "getUrlHistory",
  kind: "read",
  summary: "The same URL in all crawls of its project, newest first",
  errors: ["CRAWL_NOT_FOUND", "BAD_URL", "URL_NOT_IN_CRAWL"],
  input: z.object({ id, url: pageUrl, limit: z.int().min(1).max(100).default(20) }),
  output: pageOf(urlInCrawl),
  run: async (app, input, caller) => allOf(await app.crawlData.history(input, caller?.signal)),
});

const pageText = z.object({
  url: z.string(),
  source: z.enum(["stored", "fetched now"]),
  markdown: z.string(),
  characters: z.int(),
});
export type PageTextAnswer = z.output<typeof pageText>;

export const getPageText = operation({
  name: "getPageText",
  kind: "read",
  summary: "A page's text as Markdown: as stored, or fetched now if the crawl did not store HTML",
  errors: [
    "CRAWL_NOT_FOUND",
    "BAD_URL",
    "URL_NOT_IN_CRAWL",
    "PAGE_NOT_STORED",
    "PAGE_NOT_FETCHED",
    "ROBOTS_DISALLOWED",
    "PRIVATE_START",
  ],
  input: z.object({
    id,
    url: pageUrl,
    fetch: z
      .boolean()
      .default(true)
      .meta({ description: "Fetch the page now if its HTML was not stored; robots.txt is respected." }),
  }),
  output: pageText,
  run: (app, input, caller = REMOTE) => app.pageText.get(input, caller),
});

export const getPageSource = operation({
  name: "getPageSource",
  kind: "read",
  summary: "The stored HTML of a page, as text",
  errors: ["CRAWL_NOT_FOUND", "BAD_URL", "URL_NOT_IN_CRAWL", "PAGE_NOT_STORED"],
  input: z.object({ id, url: pageUrl }),
  output: z.object({ url: z.string(), html: z.string() }),
  run: (app, input) => app.pageText.source(input),
});

/** Operations on what was not crawled, and why. */
const decisionGroup = z.object({
  reason: z.string(),
  rule: z.string().nullable(),
  verdict: z.string(),
  count: z.int(),
  examples: z.array(z.string()),
});
const decisions = z.object({
  total: z.int().meta({ description: "Groups: pairs of a reason and a rule." }),
  urls: z.int().meta({ description: "URLs in all of them." }),
  reasons: z
    .array(z.object({ reason: z.string(), meaning: z.string(), setting: z.string().nullable(), count: z.int() }))
    .meta({ description: "All reasons, even if only one was requested." }),
  rows: z.array(decisionGroup),
  next: z.string().nullable(),
  groups: z.array(decisionGroup).meta({ description: "Deprecated: the same as rows.", deprecated: true }),
});
export type Decisions = z.output<typeof decisions>;

export const listDecisions = operation({
  name: "listDecisions",
  kind: "read",
  summary: "What was not crawled, by reason and rule, with examples",
  errors: ["CRAWL_NOT_FOUND"],
  input: z.object({
    id,
    reason: z.string().nullable().default(null),
    limit: z.int().min(1).max(1_000).default(200),
    cursor,
  }),
  output: decisions,
  run: (app, input, caller) => app.crawlData.decisions(input, caller?.signal),
});

/** The input of an export: all rows of a crawl as text. The answer is a stream, so it is not an operation. */
export const EXPORT_FORMATS = ["csv", "jsonl"] as const;
export const EXPORT_ROWS = ["urls", "links", "issues"] as const;

export const exportQuestion = z.object({
  id,
  format: z.enum(EXPORT_FORMATS).default("csv"),
  what: z
    .enum(EXPORT_ROWS)
    .default("urls")
    .meta({ description: "For links, filters apply to the link's target; for issues, to the URL." }),
  rule: z
    .string()
    .max(100)
    .nullable()
    .default(null)
    .meta({ description: "Issues: only those of this rule, such as title.missing." }),
  fields: z.array(z.string().min(1)).max(100).default([]).meta({ description: "Separated by commas; default: all." }),
  filter: filters,
  search,
  sort,
  name: z.string().max(100).nullable().default(null).meta({
    description: "What the rows are, for the name of the file: broken gives example.com-broken-2026-11-17.csv.",
  }),
  labels: z
    .boolean()
    .default(false)
    .meta({ description: "CSV: labels such as Redirects to at the top, instead of names such as redirectTo." }),
  raw: z.boolean().default(false).meta({
    description:
      "CSV: do not escape cells. By default, those that a spreadsheet would run as a formula are prefixed with '.",
  }),
});
export type ExportQuestion = z.output<typeof exportQuestion>;

const savedExport = z.object({
  path: z.string().meta({ description: "The path on the machine that Trawl runs on; deleted with the crawl." }),
  total: z.int().meta({ description: "Rows." }),
  bytes: z.int(),
});
export type SavedExport = z.output<typeof savedExport>;

export const saveExport = operation({
  name: "saveExport",
  kind: "change",
  summary: "Write an export to a file in the crawl's folder, for programs on the same machine",
  errors: ["CRAWL_NOT_FOUND", "BAD_USAGE", "FILE_NOT_WRITABLE"],
  input: exportQuestion.omit({ name: true }),
  output: savedExport,
  run: (app, input, caller) => writeExport(app.crawlData, app.home, { ...input, name: null }, caller?.signal),
});
