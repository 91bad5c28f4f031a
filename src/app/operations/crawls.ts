/** Operations on projects and their crawls. */

import { z } from "zod";
import { NUMBER_NAMES, NUMBERS } from "../../site/numbers.ts";
import { crawlEntry } from "../crawls/crawl-info.ts";
import { allOf, cursor, done, id, limit, operation, pageOf } from "./operation.ts";
import { count, crawlInfo, crawlRecord, projectInfo } from "./shapes.ts";

/** Operations on projects: the websites that were crawled, by domain. */
export const listProjects = operation({
  name: "listProjects",
  kind: "read",
  summary: "All projects, most recently crawled first",
  input: z.object({}),
  output: pageOf(projectInfo),
  run: (app) => allOf(app.projects.list()),
});

export const listProjectCrawls = operation({
  name: "listProjectCrawls",
  kind: "read",
  summary: "The crawls of a project, newest first",
  errors: ["PROJECT_NOT_FOUND"],
  input: z.object({ id }),
  output: pageOf(crawlInfo),
  run: (app, { id }) => allOf(app.projects.crawls(id)),
});

export const deleteProject = operation({
  name: "deleteProject",
  kind: "destroy",
  summary: "Delete a project with all its crawls and their data; refused while one of them runs",
  errors: ["PROJECT_NOT_FOUND", "PROJECT_BUSY", "CRAWL_BUSY"],
  input: z.object({ id }),
  output: done,
  run: (app, { id }) => app.projects.remove(id),
});

const resultsQuestion = z.object({ id, limit, cursor });
export type ResultsQuestion = z.output<typeof resultsQuestion>;

const crawlResults = z.object({
  crawlInfo,
  results: z.array(
    z.object({
      url: z.string(),
      visited: z.boolean().meta({ description: "False for a URL that was found, but not fetched (yet)." }),
      status: z.int().nullable(),
      title: z.string().nullable(),
      metaDescription: z.string().nullable(),
      contentHash: z.string().nullable(),
      indexable: z.string().meta({ description: "Yes, No, or - if it is not a page." }),
      contentType: z.string().nullable(),
      error: z.string().nullable(),
    }),
  ),
  total: z.int(),
  next: z.string().nullable(),
});
export type CrawlResults = z.output<typeof crawlResults>;

export const getCrawl = operation({
  name: "getCrawl",
  kind: "read",
  summary:
    "A crawl with its results: URLs that were crawled or only recorded, a page at a time; `next` leads to the rest",
  errors: ["CRAWL_NOT_FOUND", "BAD_USAGE"],
  input: resultsQuestion,
  output: crawlResults,
  run: (app, input, caller) => app.crawlData.results(input, caller?.signal),
});

export const deleteCrawl = operation({
  name: "deleteCrawl",
  kind: "destroy",
  summary: "Delete a crawl and its data; refused while it runs",
  errors: ["CRAWL_NOT_FOUND", "CRAWL_BUSY"],
  input: z.object({ id }),
  output: done,
  run: (app, { id }) => app.crawlData.remove(id),
});

export const listCrawls = operation({
  name: "listCrawls",
  kind: "read",
  summary: "All crawls on this machine, newest first",
  input: z.object({}),
  output: pageOf(crawlRecord),
  run: (app) => allOf(app.crawls.list().map((record) => crawlEntry(record, app.crawls))),
});

/** Passed to `listUrls`, they list exactly the URLs that the count next to them counts. */
const filter = z.array(z.string()).meta({ description: "Filters that list the counted URLs." });
const textCount = z.object({ value: z.string(), count: z.int(), filter });
const example = z.string().meta({ description: "One of these URLs." });
const anyCount = count.extend({ filter });

const figure = z
  .object({
    label: z.string(),
    meaning: z.string().meta({ description: "What is counted." }),
    count: z.int(),
    of: z.enum(NUMBER_NAMES).nullable().meta({ description: "The number that 100 % stands for." }),
    filter,
  })
  .meta({ id: "Figure" });

const summary = z.object({
  numbers: z.record(z.enum(NUMBER_NAMES), figure).meta({ description: "Every number about a crawl, defined once." }),
  discovered: z.int().meta({ description: NUMBERS.found.meaning }),
  crawled: z.int().meta({ description: NUMBERS.crawled.meaning }),
  open: z.int().meta({ description: NUMBERS.queued.meaning }),
  recorded: z.int(),
  skipped: z.int(),
  errors: z.int().meta({ description: NUMBERS.errors.meaning }),
  broken: z.int().meta({ description: NUMBERS.broken.meaning }),
  pages: z.int().meta({ description: NUMBERS.pages.meaning }),
  links: z.int(),
  bytes: z.int(),
  statuses: z.array(z.object({ value: z.int(), count: z.int(), filter })),
  errorCodes: z.array(textCount).meta({ description: "Why URLs did not answer." }),
  reasons: z.array(textCount).meta({ description: "Why URLs were not crawled, or crawled against robots.txt." }),
  traps: z.array(textCount.extend({ example })).meta({
    description: "Endless parts of the site that were stopped, and URL patterns that reached their limit.",
  }),
  indexable: z
    .array(textCount.extend({ value: z.boolean().nullable() }))
    .meta({ description: "Pages by whether a search engine may list them." }),
  slowest: z.array(
    z.object({
      url: z.string(),
      timeServer: z.number().meta({ description: "Milliseconds from request to last byte, once connected." }),
      ms: z.number().meta({ description: "Deprecated: the same as timeServer.", deprecated: true }),
    }),
  ),
  brokenUrls: z.array(
    z.object({
      url: z.string(),
      status: z.int().nullable(),
      error: z.string().nullable(),
      foundOn: z.string().nullable(),
    }),
  ),
  failed: z.int().meta({ description: "Deprecated: the same as errors.", deprecated: true }),
  brokenTotal: z.int().meta({ description: "Deprecated: the same as broken.", deprecated: true }),
});

const previousId = z.int().nullable().meta({ description: "The crawl of the project before this one." });

const overview = summary.extend({
  statuses: z.array(anyCount),
  errorCodes: z.array(anyCount),
  reasons: z.array(anyCount),
  traps: z.array(anyCount.extend({ example })),
  crawlInfo,
  previousId,
  contentTypes: z.array(anyCount),
  indexability: z.array(anyCount).meta({ description: "Why pages are not indexable." }),
  depths: z.array(
    z.object({
      depth: z.int(),
      total: z.int(),
      ok: z.int(),
      redirect: z.int(),
      clientError: z.int(),
      serverError: z.int(),
      noAnswer: z.int(),
      client: z.int().meta({ description: "Deprecated: the same as clientError.", deprecated: true }),
      server: z.int().meta({ description: "Deprecated: the same as serverError.", deprecated: true }),
      failed: z.int().meta({ description: "Deprecated: the same as noAnswer.", deprecated: true }),
      filter,
    }),
  ),
  hosts: z.array(
    z.object({
      host: z.string(),
      urls: z.int(),
      crawled: z.int(),
      broken: z.int(),
      errors: z.int(),
      bytes: z.int(),
      filter,
    }),
  ),
  responseTimes: z.array(z.object({ fromMs: z.number(), toMs: z.number().nullable(), count: z.int(), filter })),
  duplicates: z.object({
    groups: z.int(),
    pages: z.int(),
    filter,
    largest: z
      .array(z.object({ contentHash: z.string(), count: z.int(), example: z.string(), filter }))
      .meta({ description: "The contents shared by the most pages, with the first of these pages." }),
  }),
});
export type Overview = z.output<typeof overview>;

export const getOverview = operation({
  name: "getOverview",
  kind: "read",
  summary: "The overview of a crawl: statuses, depth, indexability, types, hosts, slowest and broken pages",
  errors: ["CRAWL_NOT_FOUND"],
  input: z.object({ id }),
  output: overview,
  run: (app, { id }, caller) => app.crawlData.overview(id, caller?.signal),
});

const explained = textCount.extend({ meaning: z.string().meta({ description: "The code in words." }) });

const described = z.object({
  crawl: crawlRecord.extend({
    settings: z.record(z.string(), z.unknown()).meta({ description: "Every setting; secrets are hidden." }),
  }),
  changed: z.array(z.string()).meta({ description: "Names of the settings that differ from their default." }),
  summary: summary.extend({ reasons: z.array(explained), errorCodes: z.array(explained) }),
  previousId,
  problem: z
    .object({ code: z.string(), message: z.string(), hint: z.string() })
    .nullable()
    .meta({ description: "Why the crawl fetched nothing: the start URL did not answer, or was not allowed." }),
});
export type DescribedCrawl = z.output<typeof described>;

export const describeCrawl = operation({
  name: "describeCrawl",
  kind: "read",
  summary: "A crawl with its settings, its counts, and, if it fetched nothing, why",
  errors: ["CRAWL_NOT_FOUND"],
  input: z.object({
    id,
    listed: z.int().min(0).max(100).default(10).meta({ description: "Maximum number of broken and slow pages." }),
  }),
  output: described,
  run: (app, { id, listed }) => app.crawlData.describe(id, listed),
});
