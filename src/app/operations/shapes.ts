/** The shapes that the answers of several operations share. */
import { z } from "zod";
import { END_CAUSES, END_STATES, type EndCause } from "../../site/crawl-end.ts";
import { NUMBERS } from "../../site/numbers.ts";
import { time, timeOf } from "./time.ts";

/** The states of an active crawl, and how it can end. */
export const CRAWL_STATES = ["running", "pausing", "stopping", ...END_STATES] as const;

const END_CAUSE_NAMES = Object.keys(END_CAUSES) as EndCause[];

/** A name that is understood until version 0.3. */
const deprecatedCount = (now: string) =>
  z.int().meta({ description: `Deprecated: the same as ${now}.`, deprecated: true });

/** How a crawl ended. */
export const ending = z
  .object({
    cause: z.enum(END_CAUSE_NAMES),
    message: z.string().nullable().meta({ description: "What happened." }),
    hint: z.string().nullable().meta({ description: "What to do next." }),
    left: z
      .int()
      .meta({ description: "URLs found and allowed but not crawled: a limit was reached, or the crawl was stopped." }),
  })
  .meta({ id: "CrawlEnding" });

export const crawlInfo = z
  .object({
    id: z.int(),
    projectId: z.int(),
    domain: z.string(),
    url: z.string().meta({ description: "The first start URL." }),
    mode: z.enum(["site", "list"]),
    state: z.enum(CRAWL_STATES).meta({
      description:
        "Under way: running, pausing, stopping. Ended: completed; limit_reached, with a URL limit; stopped, by request; " +
        "blocked, by robots.txt, the settings or the server; failed. Paused: it waits to be resumed, also after a crash.",
    }),
    startedAt: time,
    durationMs: z.int().meta({ description: "Running time, without pauses." }),
    pages: z.int().meta({ description: NUMBERS.pages.meaning }),
    crawled: z.int().meta({ description: NUMBERS.crawled.meaning }),
    discovered: z.int().meta({ description: NUMBERS.found.meaning }),
    crawlDateTime: z.int().meta({ description: "startedAt in seconds since 1970." }),
    crawlDuration: z.int().meta({ description: "The same as durationMs." }),
    pagesCrawled: z.int().meta({ description: "The same as pages." }),
    urlsCrawled: deprecatedCount("crawled"),
    urlsDiscovered: deprecatedCount("discovered"),
    message: z.string().nullable().meta({ description: "How it ended and what to do next; null while it runs." }),
    ending: ending.nullable().meta({ description: "The same in parts; null while it runs." }),
    baselineId: z.int().nullable().meta({ description: "The earlier crawl from which unchanged pages were taken." }),
  })
  .meta({ id: "CrawlInfo" });
export type CrawlInfo = z.infer<typeof crawlInfo>;

export const crawlRecord = z
  .object({
    id: z.int(),
    projectId: z.int(),
    domain: z.string(),
    mode: z.enum(["site", "list"]),
    startUrls: z.array(z.string()).meta({ description: "For a list: one URL per host." }),
    baselineId: z.int().nullable().meta({ description: "The earlier crawl from which unchanged pages were taken." }),
    state: z.enum(["running", ...END_STATES]),
    startedAt: time,
    durationMs: z.int().meta({ description: "Running time in ms, without pauses." }),
    pages: z.int().nullable().meta({ description: NUMBERS.pages.meaning }),
    crawled: z.int().meta({ description: NUMBERS.crawled.meaning }),
    discovered: z.int().meta({ description: NUMBERS.found.meaning }),
    message: z.string().nullable().meta({ description: "How it ended and what to do next; null while it runs." }),
    ending: ending.nullable().meta({ description: "The same in parts; null while it runs." }),
    isHeld: z.boolean().meta({ description: "Whether a process is working on it, paused or not." }),
    progress: z
      .object({
        open: z.int(),
        recorded: z.int(),
        skipped: z.int(),
        errors: z.int(),
        broken: z.int().optional(),
        retries: z.int(),
        inFlight: z.int(),
        trouble: z.string().nullable().optional(),
        pagesPerSecond: z.number(),
        urlsPerSecond: z.number().optional(),
        statuses: z.array(z.object({ value: z.int(), count: z.int() })),
        reasons: z.array(z.object({ value: z.string(), count: z.int() })),
      })
      .nullable()
      .meta({ description: "As last reported by the crawling process." }),
  })
  .meta({ id: "CrawlRecord" });
export type CrawlEntry = z.infer<typeof crawlRecord>;

export const projectInfo = z
  .object({
    id: z.int(),
    url: z.string(),
    domain: z.string(),
    startedAt: timeOf("When the newest crawl began.").nullable(),
    durationMs: z.int().nullable(),
    pages: z.int().nullable(),
    crawlDateTime: z.int().nullable().meta({ description: "startedAt in seconds since 1970." }),
    crawlDuration: z.int().nullable().meta({ description: "The same as durationMs." }),
    pagesCrawled: z.int().nullable().meta({ description: "The same as pages." }),
    latestCrawlId: z.int().nullable(),
    latestState: z.enum(CRAWL_STATES).nullable(),
    crawls: z.int().meta({ description: "Number of crawls." }),
    history: z
      .array(z.object({ id: z.int(), startedAt: time, pages: z.int() }))
      .meta({ description: "The last 20 crawls, oldest first: for a sparkline." }),
    faviconPath: z.string().nullable().meta({ description: "Path of the site's icon on this server." }),
  })
  .meta({ id: "ProjectInfo" });
export type ProjectInfo = z.infer<typeof projectInfo>;

export const crawlProgress = z
  .object({
    projectId: z.int(),
    crawlId: z.int(),
    domain: z.string(),
    url: z.string(),
    state: z.enum(CRAWL_STATES),
    isOwn: z.boolean().meta({
      description: "Whether this process runs it. Hosts and speed over time are known to the process that does.",
    }),
    startedAt: time,
    durationMs: z.int(),
    pages: z.int().meta({ description: NUMBERS.pages.meaning }),
    crawled: z.int().meta({ description: NUMBERS.crawled.meaning }),
    discovered: z.int().meta({ description: NUMBERS.found.meaning }),
    pagesCrawled: deprecatedCount("pages"),
    urlsCrawled: deprecatedCount("crawled"),
    totalDiscovered: deprecatedCount("discovered"),
    share: z.number().meta({
      description: "Crawled, as a share of the URLs known so far; at most 0.99 while the crawl may still find more.",
    }),
    open: z.int().meta({ description: NUMBERS.queued.meaning }),
    recorded: z.int(),
    skipped: z.int(),
    errors: z.int().meta({ description: NUMBERS.errors.meaning }),
    broken: z.int().meta({ description: NUMBERS.broken.meaning }),
    retries: z.int(),
    inFlight: z.int(),
    trouble: z.string().nullable().meta({
      description:
        "What is wrong with the machine that crawls, so that the crawl is slow or waits; null when nothing is.",
    }),
    pagesPerSecond: z.number().meta({ description: "Pages, over the last ten seconds." }),
    urlsPerSecond: z.number().meta({ description: "URLs, over the last ten seconds." }),
  })
  .meta({ id: "CrawlProgress" });
export type CrawlProgress = z.infer<typeof crawlProgress>;

/** A value of a field. */
export const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
/** A value in the database, which has no booleans. */
export const sqlCell = z.union([z.string(), z.number(), z.null()]);
export const urlRow = z.record(z.string(), cell).meta({ id: "UrlRow" });

export const count = z.object({ value: z.union([z.string(), z.number(), z.null()]), count: z.int() });

export const linkRow = z
  .object({
    url: z.string(),
    type: z.string(),
    text: z.string(),
    context: z.string(),
    position: z.string(),
    path: z.string().meta({ description: "Simplified DOM path." }),
    nofollow: z.boolean(),
    sponsored: z.boolean(),
    ugc: z.boolean(),
    internal: z.boolean(),
    rendered: z.boolean().meta({ description: "Only present after scripts ran." }),
    verdict: z.string().meta({ description: "crawl, record or skip." }),
    reason: z.string().nullable(),
    status: z.int().nullable(),
    title: z.string().nullable(),
    contentType: z.string().nullable(),
    size: z.int().nullable().meta({ description: "Bytes of its body." }),
    count: z.int().meta({ description: "Links that the row stands for: more than 1 only in lists of each URL once." }),
  })
  .meta({ id: "Link" });
