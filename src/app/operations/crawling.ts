/** Operations that start and control crawls. */
import { z } from "zod";
import { type SiteConfig, siteConfigSchema } from "../../site/site-config.ts";
import { REMOTE } from "../caller.ts";
import { allOf, done, id, number, operation, pageOf } from "./operation.ts";
import { crawlProgress } from "./shapes.ts";
import { time } from "./time.ts";

/** A form sends secrets back hidden, as it was shown them: they are checked once it is known what they stand for. */
const MAY_BE_HIDDEN: Record<string, z.ZodType> = {
  auth: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
};

/** An optional setting without its default: a default filled in here would override the project's config. */
const leftOutAtWill = (name: string, schema: z.ZodType): z.ZodType =>
  (MAY_BE_HIDDEN[name] ?? (schema instanceof z.ZodDefault ? (schema.unwrap() as z.ZodType) : schema))
    .optional()
    .meta(schema.meta() ?? {});

/** Some settings of a crawl; omitted ones come from the project's config, or are the default. */
export const someSettings = z
  .strictObject(
    Object.fromEntries(
      Object.entries(siteConfigSchema.shape).map(([name, schema]) => [name, leftOutAtWill(name, schema)]),
    ),
  )
  .meta({ id: "Settings" }) as unknown as z.ZodType<Partial<SiteConfig>>;

/** The maximum length of a list in this operation; for longer ones, use `trawl list`. */
const MAX_LISTED = 100_000;

const startQuestion = z.object({
  url: z.string().min(1).optional().meta({ description: "Where to start: https://example.com, or example.com." }),
  urls: z
    .array(z.string().min(1))
    .min(1)
    .max(MAX_LISTED)
    .optional()
    .meta({ description: "List mode: only these URLs; links are not followed. Use instead of url." }),
  again: id.optional().meta({
    description:
      "Repeat this crawl: its start URL or list, and its settings, secrets included. Anything else given here overrides it.",
  }),
  settings: someSettings.optional(),
  since: z
    .union([z.literal("last"), number])
    .nullable()
    .default(null)
    .meta({ description: "An earlier crawl: pages that have not changed since are not downloaded again." }),
});
export type StartQuestion = z.output<typeof startQuestion>;

export const startCrawl = operation({
  name: "startCrawl",
  kind: "change",
  summary:
    "Start a crawl of a website, or of a list of URLs; 409 with the id of the project's active crawl, if there is one",
  errors: [
    "BAD_URL",
    "BAD_CONFIG",
    "BAD_USAGE",
    "OWNER_ONLY",
    "PRIVATE_START",
    "CRAWL_NOT_FOUND",
    "PROJECT_BUSY",
    "BROWSER_NOT_FOUND",
  ],
  input: startQuestion,
  output: z.object({ crawlId: z.int(), projectId: z.int() }),
  run: (app, input, caller = REMOTE) => app.activeCrawls.start(input, caller),
});

export const startDemo = operation({
  name: "startDemo",
  kind: "change",
  summary: "Serve the bundled site on this machine and start a crawl of it, with limits that end its traps quickly",
  errors: ["PROJECT_BUSY"],
  input: z.object({}),
  output: startCrawl.output,
  run: (app) => app.demo.start(),
});

const lastRequest = z
  .object({
    again: z.int().meta({ description: "The newest crawl of the project: send it as `again` to repeat it." }),
    mode: z.enum(["site", "list"]),
    url: z.string().meta({ description: "The start URL; for a list, its first URL." }),
    startUrls: z.array(z.string()).meta({ description: "For a list: one URL per host." }),
    settings: z.record(z.string(), z.unknown()).meta({
      description:
        "The settings that differ from their defaults. Secrets are hidden; sent back unchanged together with `again`, they are kept.",
    }),
  })
  .meta({ id: "LastRequest" });
export type LastRequest = z.output<typeof lastRequest>;

/** For "crawl again": shown before the crawl starts, so that the user can change it. */
export const getLastRequest = operation({
  name: "getLastRequest",
  kind: "read",
  summary: "The start URL and settings of a project's newest crawl, to repeat or change",
  errors: ["PROJECT_NOT_FOUND"],
  input: z.object({ id }),
  output: lastRequest,
  run: (app, { id }) => app.projects.lastRequest(id),
});

/** By project. What was crawled is kept, and a stopped crawl can still be resumed. */
export const stopProjectCrawl = operation({
  name: "stopProjectCrawl",
  kind: "change",
  summary: "Stop the crawl of a project, whichever process runs it; what it found is kept",
  errors: ["PROJECT_NOT_FOUND"],
  input: z.object({ projectID: id }),
  output: z.object({ stopped: z.array(z.int()) }),
  run: (app, { projectID }) => app.activeCrawls.stopProject(projectID),
});

const oneCrawl = z.object({ id });

export const pauseCrawl = operation({
  name: "pauseCrawl",
  kind: "change",
  summary: "Pause a crawl, whichever process runs it: requests in flight finish, no new ones are sent",
  errors: ["CRAWL_NOT_FOUND", "CRAWL_BUSY"],
  input: oneCrawl,
  output: done,
  run: (app, { id }) => app.activeCrawls.pause(id),
});

export const resumeCrawl = operation({
  name: "resumeCrawl",
  kind: "change",
  summary: "Resume a crawl that was paused, stopped or interrupted",
  errors: ["CRAWL_NOT_FOUND", "CRAWL_BUSY", "PROJECT_BUSY", "WRONG_STATE", "BAD_USAGE"],
  input: oneCrawl,
  output: done,
  run: (app, { id }) => app.activeCrawls.resume(id),
});

export const stopCrawl = operation({
  name: "stopCrawl",
  kind: "change",
  summary: "Stop a crawl: when this answers, no request is in flight and none follows",
  errors: ["CRAWL_NOT_FOUND", "CRAWL_BUSY"],
  input: oneCrawl,
  output: z.object({ done: z.literal(true), openSockets: z.int() }),
  run: (app, { id }) => app.activeCrawls.stop(id),
});

export const listActiveCrawls = operation({
  name: "listActiveCrawls",
  kind: "read",
  summary: "Active crawls, of this process and others, with their progress",
  input: z.object({}),
  output: pageOf(crawlProgress),
  run: (app) => allOf(app.activeCrawls.list()),
});

export const HOST_STATES = ["fetching", "ready", "waiting", "throttled", "blocked", "given_up"] as const;

export const liveHost = z.object({
  host: z.string(),
  state: z.enum(HOST_STATES),
  reason: z.string().nullable(),
  inFlight: z.int(),
  open: z.int(),
  nextAt: time.nullable(),
  requests: z.int(),
  pace: z.number(),
});

const liveCrawl = z.object({
  progress: crawlProgress,
  series: z
    .array(
      z.object({
        at: time,
        pagesPerSecond: z.number(),
        urlsPerSecond: z.number(),
        errorsPerSecond: z.number(),
        open: z.int(),
        isAfterPause: z.boolean().meta({ description: "Whether the crawl was paused since the sample before." }),
      }),
    )
    .meta({ description: "One sample per second for the last ten minutes." }),
  statuses: z.array(z.object({ value: z.int(), count: z.int() })),
  reasons: z.array(z.object({ value: z.string(), count: z.int() })),
  traps: z.array(z.object({ shape: z.string(), refused: z.int(), example: z.string() })).meta({
    description: "Endless parts of the site that were stopped: their URLs that were not fetched, and one of them.",
  }),
  hosts: z.array(liveHost),
  hostsTotal: z.int(),
  lastErrors: z.array(z.object({ url: z.string(), error: z.string(), at: time })),
});
export type LiveCrawl = z.output<typeof liveCrawl>;

export const getLiveCrawl = operation({
  name: "getLiveCrawl",
  kind: "read",
  summary: "What a running crawl is doing: progress, speed, each host and why it waits, the last errors",
  errors: ["CRAWL_NOT_FOUND"],
  input: oneCrawl,
  output: liveCrawl,
  run: (app, { id }) => app.activeCrawls.live(id),
});
