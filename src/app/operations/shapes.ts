/** The shapes that several operations answer with. Names of projects, crawls and progress are the seed's. */
import { z } from "zod";

export const CRAWL_STATES = ["running", "pausing", "paused", "stopping", "completed", "failed"] as const;

export const crawlInfo = z
  .object({
    id: z.int(),
    projectId: z.int(),
    domain: z.string(),
    url: z.string().meta({ description: "The first start URL." }),
    mode: z.enum(["site", "list"]),
    state: z
      .enum(CRAWL_STATES)
      .meta({ description: "A crawl that was interrupted by a crash is paused: it can be resumed." }),
    crawlDateTime: z.int().meta({ description: "When it began; ms since 1970." }),
    crawlDuration: z.int().meta({ description: "Ms of running, pauses left out." }),
    pagesCrawled: z.int(),
    urlsDiscovered: z.int(),
    message: z.string().nullable().meta({ description: "Why it failed or waits." }),
    baselineId: z.int().nullable().meta({ description: "The earlier crawl that unchanged pages were taken from." }),
  })
  .meta({ id: "CrawlInfo" });
export type CrawlInfo = z.infer<typeof crawlInfo>;

export const crawlRecord = z
  .object({
    id: z.int(),
    projectId: z.int(),
    domain: z.string(),
    mode: z.enum(["site", "list"]),
    startUrls: z.array(z.string()).meta({ description: "Of a list: one URL per host." }),
    baselineId: z.int().nullable().meta({ description: "The earlier crawl that unchanged pages were taken from." }),
    state: z.enum(["running", "paused", "completed", "failed"]),
    startedAt: z.int().meta({ description: "Ms since 1970." }),
    durationMs: z.int().meta({ description: "Ms of running, pauses left out." }),
    crawled: z.int(),
    discovered: z.int(),
    message: z.string().nullable().meta({ description: "Why it failed or waits." }),
    isHeld: z.boolean().meta({ description: "Whether some process works on it, paused or not." }),
    progress: z
      .object({
        open: z.int(),
        recorded: z.int(),
        skipped: z.int(),
        errors: z.int(),
        retries: z.int(),
        inFlight: z.int(),
        pagesPerSecond: z.number(),
        statuses: z.array(z.object({ value: z.int(), count: z.int() })),
        reasons: z.array(z.object({ value: z.string(), count: z.int() })),
      })
      .nullable()
      .meta({ description: "As the process that crawls saw it last." }),
  })
  .meta({ id: "CrawlRecord" });
export type CrawlEntry = z.infer<typeof crawlRecord>;

export const projectInfo = z
  .object({
    id: z.int(),
    url: z.string(),
    domain: z.string(),
    crawlDateTime: z.int().nullable(),
    crawlDuration: z.int().nullable(),
    pagesCrawled: z.int().nullable(),
    latestCrawlId: z.int().nullable(),
    latestState: z.enum(CRAWL_STATES).nullable(),
    crawls: z.int().meta({ description: "How many crawls there are." }),
    history: z
      .array(z.object({ id: z.int(), crawlDateTime: z.int(), pagesCrawled: z.int() }))
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
    isOwn: z
      .boolean()
      .meta({ description: "Whether this process runs it; another one's can be watched, not steered." }),
    startedAt: z.int(),
    durationMs: z.int(),
    pagesCrawled: z.int(),
    totalDiscovered: z.int(),
    open: z.int(),
    recorded: z.int(),
    skipped: z.int(),
    errors: z.int(),
    retries: z.int(),
    inFlight: z.int(),
    pagesPerSecond: z.number().meta({ description: "Over the last ten seconds." }),
  })
  .meta({ id: "CrawlProgress" });
export type CrawlProgress = z.infer<typeof crawlProgress>;

/** A value of a field: text, number, or nothing. */
export const cell = z.union([z.string(), z.number(), z.null()]);
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
    rendered: z.boolean().meta({ description: "Only there after scripts ran." }),
    verdict: z.string().meta({ description: "crawl, record or skip." }),
    reason: z.string().nullable(),
    status: z.int().nullable(),
    title: z.string().nullable(),
  })
  .meta({ id: "Link" });
