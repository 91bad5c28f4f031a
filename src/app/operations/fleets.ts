/** Operations on crawls that many machines share, in the database that the server's owner configured. */
import { z } from "zod";
import { liveHost } from "./crawling.ts";
import { allOf, operation, pageOf } from "./operation.ts";

const fleetName = z.string().min(1).max(40).meta({ description: "The name of a fleet crawl; listFleets has it." });
const oneFleet = z.object({ name: fleetName });
const FLEET_ERRORS = [
  "FLEET_NOT_CONFIGURED",
  "FLEET_DATABASE",
  "FLEET_NOT_FOUND",
  "FLEET_VERSION",
  "BAD_USAGE",
] as const;

const worker = z.object({
  id: z.string(),
  acked: z.string().meta({ description: "The state of the crawl that this worker has applied." }),
  partitions: z.int(),
  inFlight: z.int(),
  secondsSinceBeat: z.number(),
  isAlive: z.boolean(),
  fetched: z.int().meta({ description: "URLs that it has fetched." }),
  errors: z.int().meta({ description: "Of these, the ones that got no answer." }),
  urlsPerSecond: z.number(),
  trouble: z.string().nullable().meta({ description: "What is wrong on this worker's machine." }),
});

const fleetStatus = z
  .object({
    name: z.string(),
    state: z.enum(["running", "paused", "stopped", "done"]),
    message: z.string().nullable().meta({ description: "`limit` if it ended at its URL limit." }),
    mode: z.enum(["site", "list"]),
    startUrls: z.array(z.string()).meta({ description: "The first 50." }),
    seconds: z.number().meta({ description: "Since it was started, until it ended." }),
    settled: z.int().meta({ description: "URLs that were fetched, or failed permanently." }),
    open: z.int(),
    parked: z.int().meta({ description: "Open URLs of hosts that were given up." }),
    inbox: z.int().meta({ description: "Batches of links on their way to another partition." }),
    records: z.int().nullable().meta({ description: "Null if they are in ClickHouse." }),
    partitions: z.object({ total: z.int(), owned: z.int(), withWork: z.int() }),
    urlsPerSecond: z.number(),
    workers: z.array(worker),
    waiting: z.record(z.string(), z.int()).meta({ description: "Hosts by state and reason, such as `waiting rate`." }),
    hosts: z.array(liveHost).meta({ description: "The hosts with the most to do." }),
  })
  .meta({ id: "Fleet" });

const unreadable = z.object({ name: z.string(), state: z.literal("unreadable"), message: z.string() });

export const listFleets = operation({
  name: "listFleets",
  kind: "read",
  summary: "The fleet crawls of the database in TRAWL_POSTGRES, with their workers",
  errors: ["FLEET_DATABASE"],
  input: z.object({}),
  output: pageOf(z.union([fleetStatus, unreadable])).extend({ isConfigured: z.boolean() }),
  run: async (app) => {
    const { isConfigured, rows } = await app.fleets.list();
    return { ...allOf(rows), isConfigured };
  },
});

export const getFleet = operation({
  name: "getFleet",
  kind: "read",
  summary: "A fleet crawl: its progress, its workers, and what waits and why",
  errors: FLEET_ERRORS,
  input: oneFleet,
  output: fleetStatus,
  run: (app, { name }) => app.fleets.status(name),
});

export const pauseFleet = operation({
  name: "pauseFleet",
  kind: "change",
  summary: "Pause a fleet crawl; answers when no worker has a request in flight",
  errors: FLEET_ERRORS,
  input: oneFleet,
  output: fleetStatus,
  run: (app, { name }) => app.fleets.change(name, "pause"),
});

export const resumeFleet = operation({
  name: "resumeFleet",
  kind: "change",
  summary: "Resume a fleet crawl that was paused or stopped",
  errors: FLEET_ERRORS,
  input: oneFleet,
  output: fleetStatus,
  run: (app, { name }) => app.fleets.change(name, "resume"),
});

export const stopFleet = operation({
  name: "stopFleet",
  kind: "change",
  summary: "Stop a fleet crawl: its workers end; answers when no worker has a request in flight",
  errors: FLEET_ERRORS,
  input: oneFleet,
  output: fleetStatus,
  run: (app, { name }) => app.fleets.change(name, "stop"),
});

const pullQuestion = z.object({
  name: fleetName,
  host: z.string().min(1).max(300).nullable().default(null).meta({ description: "Only the pages of this host." }),
});

export const pullFleet = operation({
  name: "pullFleet",
  kind: "change",
  summary: "Copy a fleet crawl, or one host of it, into an ordinary crawl of this machine",
  errors: [...FLEET_ERRORS, "DISK_FULL"],
  input: pullQuestion,
  output: z.object({ crawlId: z.int(), urls: z.int(), records: z.int(), open: z.int() }),
  run: (app, { name, host }) => app.fleets.pull(name, host),
});
