/** Operations on crawls as a whole. */
import { z } from "zod";
import { cursor, done, id, limit, operation } from "./operation.ts";
import { count, crawlInfo } from "./shapes.ts";

export const getCrawl = operation({
  name: "getCrawl",
  kind: "read",
  summary: "A crawl with its results, a page at a time",
  input: z.object({ id, limit, cursor }),
  output: z.object({
    crawlInfo,
    results: z.array(
      z.object({
        url: z.string(),
        status: z.int().nullable(),
        title: z.string().nullable(),
        indexable: z.string().nullable(),
        contentType: z.string().nullable(),
        error: z.string().nullable(),
      }),
    ),
    total: z.int(),
    next: z.string().nullable(),
  }),
  run: (app, input) => app.crawlData.results(input),
});

export const deleteCrawl = operation({
  name: "deleteCrawl",
  kind: "destroy",
  summary: "Delete a crawl and its data; refused while it runs",
  input: z.object({ id }),
  output: done,
  run: (app, { id }) => app.crawlData.remove(id),
});

const pageTime = z.object({ url: z.string(), ms: z.number() });

export const getOverview = operation({
  name: "getOverview",
  kind: "read",
  summary: "A crawl in counts: statuses, depth, indexability, types, hosts, slowest and broken pages",
  input: z.object({ id }),
  output: z.object({
    crawlInfo,
    previousId: z.int().nullable().meta({ description: "The crawl of the project before this one." }),
    discovered: z.int(),
    crawled: z.int(),
    open: z.int(),
    recorded: z.int(),
    skipped: z.int(),
    failed: z.int(),
    pages: z.int().meta({ description: "HTML pages." }),
    links: z.int(),
    bytes: z.int(),
    statuses: z.array(count),
    errors: z.array(count),
    reasons: z.array(count),
    contentTypes: z.array(count),
    indexable: z.array(count),
    indexability: z.array(count).meta({ description: "Why pages are not indexable." }),
    depths: z.array(
      z.object({
        depth: z.int(),
        total: z.int(),
        ok: z.int(),
        redirect: z.int(),
        client: z.int(),
        server: z.int(),
        failed: z.int(),
      }),
    ),
    hosts: z.array(z.object({ host: z.string(), urls: z.int(), crawled: z.int(), errors: z.int(), bytes: z.int() })),
    responseTimes: z.array(z.object({ fromMs: z.number(), toMs: z.number().nullable(), count: z.int() })),
    duplicates: z.object({
      groups: z.int(),
      pages: z.int(),
      largest: z
        .array(z.object({ contentHash: z.string(), count: z.int(), example: z.string() }))
        .meta({ description: "The contents that most pages share, with the first of these pages." }),
    }),
    traps: z.array(count),
    slowest: z.array(pageTime),
    broken: z.array(
      z.object({
        url: z.string(),
        status: z.int().nullable(),
        error: z.string().nullable(),
        foundOn: z.string().nullable(),
      }),
    ),
    brokenTotal: z.int(),
  }),
  run: (app, { id }) => app.crawlData.overview(id),
});
