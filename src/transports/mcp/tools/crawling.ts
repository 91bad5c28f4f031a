/** Tools that start, watch and control crawls. */

import { z } from "zod";
import * as operations from "../../../app/operations/crawling.ts";
import { getLiveCrawl } from "../../../app/operations/crawling.ts";
import type { Operation } from "../../../app/operations/operation.ts";
import type { CrawlProgress } from "../../../app/operations/shapes.ts";
import { TrawlError } from "../../../errors.ts";
import { codeWords, counted } from "../../texts.ts";
import type { Answer, Table } from "../answer.ts";
import { type Tool, type ToolContext, tool } from "../tool.ts";
import { crawlId, shownSettings } from "./shared-arguments.ts";

/** Clients give up on answers that take longer. */
const MAX_WAIT_SECONDS = 60;

const { url, urls, settings, since } = operations.startCrawl.input.shape;
/** As the operation describes it, and by name too. */
const again = crawlId.optional().meta({ description: operations.startCrawl.input.shape.again.description });

const startCrawl = tool({
  name: "start_crawl",
  title: "Start a crawl",
  description:
    "Starts a crawl of a website (url) or a list of pages (urls) and answers at once with the crawl's number; follow it with crawl_status. " +
    'Call list_projects first: a recent crawl may already have the answer. Keep first crawls small: {"url":"example.com","settings":{"maxUrls":500}}. ' +
    'Crawl again with again (the crawl to repeat, with its settings) or since:"last" (fetches only what changed), then use compare.',
  kind: "change",
  reachesOut: true,
  arguments: { url, urls, again, settings, since },
  meant: "newest",
  shown: { settings: shownSettings },
  async run({ app, caller }, given) {
    const { url, urls, again } = given;
    if ([url, urls].filter((start) => start !== undefined).length !== 1 && again === undefined) {
      throw new TrawlError("BAD_USAGE", "url, urls: give one of the two, or again with the crawl to repeat.");
    }
    const { crawlId, projectId } = await operations.startCrawl.run(app, given, caller);
    return {
      counts: `Crawl ${crawlId} of project ${projectId} has started.`,
      notes: [`Next: crawl_status {"crawl_id":${crawlId},"wait_seconds":30}`],
      structured: { crawl_id: crawlId, project_id: projectId },
      tables: [],
    };
  },
});

const crawlStatus = tool({
  name: "crawl_status",
  title: "How a crawl is doing",
  description:
    "The progress of a crawl: counts, speed, what each host is doing and why it waits, the last errors. Without crawl_id: all running crawls. " +
    'wait_seconds waits until it (without crawl_id: one of them) ends, pauses or the time is up: use {"crawl_id":3,"wait_seconds":60} instead of polling. Results can be queried while it runs.',
  kind: "read",
  arguments: {
    crawl_id: crawlId.optional(),
    wait_seconds: z
      .int()
      .min(0)
      .max(MAX_WAIT_SECONDS)
      .default(0)
      .meta({ description: "Seconds to wait for its state to change." }),
  },
  meant: "newest",
  async run(context, { crawl_id, wait_seconds }) {
    const ms = wait_seconds * 1_000;
    if (crawl_id === undefined) return activeCrawls(context, ms);
    if (ms > 0) await waitForChange(context, [crawl_id], ms);
    return liveCrawl(context, crawl_id);
  },
});

async function activeCrawls(context: ToolContext, ms: number): Promise<Answer> {
  const active = async () => (await operations.listActiveCrawls.run(context.app, {})).rows;
  const before = ms > 0 ? (await active()).filter(isMoving) : [];
  const ids = before.map(({ crawlId }) => crawlId);
  const changed = await waitForChange(context, ids, ms);
  const crawls = await active();
  return {
    counts: `${counted(crawls.length, "crawl")} running now.`,
    notes: [
      ...changed.flatMap((crawl) => [progressText(crawl), nextStep(crawl)]),
      ...(crawls.length === 0 ? ["list_projects lists crawls that have ended."] : []),
    ],
    tables: [
      {
        title: "crawls",
        columns: [
          "crawl_id",
          "project_id",
          "url",
          "state",
          "pages",
          "crawled",
          "discovered",
          "open",
          "errors",
          "pagesPerSecond",
        ],
        rows: crawls.map((crawl) => [
          crawl.crawlId,
          crawl.projectId,
          crawl.url,
          crawl.state,
          crawl.pagesCrawled,
          crawl.urlsCrawled,
          crawl.totalDiscovered,
          crawl.open,
          crawl.errors,
          crawl.pagesPerSecond,
        ]),
      },
    ],
  };
}

async function liveCrawl({ app }: ToolContext, id: number): Promise<Answer> {
  const { message } = app.crawlData.info(id);
  const { progress, statuses, reasons, hosts, hostsTotal, lastErrors } = await operations.getLiveCrawl.run(app, { id });
  const counted = (title: string, rows: { value: string | number; count: number }[]): Table => ({
    title,
    columns: ["value", "urls"],
    rows: rows.map((row) => [row.value, row.count]),
  });
  return {
    counts: progressText(progress),
    notes: [...(message === null ? [] : [message]), nextStep(progress)],
    tables: [
      counted("HTTP status", statuses),
      counted("not crawled, by reason", reasons),
      {
        title: "hosts",
        total: hostsTotal,
        columns: ["host", "state", "reason", "inFlight", "open", "requests", "pace"],
        rows: hosts.map((host) => [
          host.host,
          host.state,
          host.reason,
          host.inFlight,
          host.open,
          host.requests,
          host.pace,
        ]),
      },
      { title: "last errors", columns: ["url", "error"], rows: lastErrors.map((error) => [error.url, error.error]) },
    ],
  };
}

/** The counts in one line. */
export function progressText(progress: CrawlProgress): string {
  const { crawlId, projectId, state, pagesCrawled, urlsCrawled, totalDiscovered, open, recorded, skipped, errors } =
    progress;
  const seconds = Math.round(progress.durationMs / 1_000);
  return (
    `Crawl ${crawlId} of project ${projectId} is ${codeWords(state)}: ${urlsCrawled} crawled, ${open} open, ${recorded} recorded only, ` +
    `${skipped} skipped, ${errors} errors; ${pagesCrawled} pages, ${totalDiscovered} URLs discovered. ${seconds} s${state === "running" ? `, ${progress.pagesPerSecond.toFixed(1)} pages/s` : ""}.`
  );
}

function nextStep({ crawlId, state, isOwn }: CrawlProgress): string {
  if (state === "completed" || state === "limit_reached") return `Next: overview {"crawl_id":${crawlId}}`;
  if (state === "paused" || state === "stopped") {
    return `Next: resume_crawl {"crawl_id":${crawlId}} continues it; what is stored can be queried.`;
  }
  if (state === "failed" || state === "blocked") return "It fetched nothing, or not everything; the message says why.";
  return isOwn
    ? "It runs in this process."
    : "It runs in another process; pause_crawl and stop_crawl ask that process.";
}

/** A tool that does one thing to one crawl. */
function steering(
  name: string,
  title: string,
  description: string,
  operation: Operation<z.ZodObject<{ id: z.ZodInt }>, z.ZodType>,
  said: string,
  reachesOut: boolean,
): Tool {
  return tool({
    name,
    title,
    description,
    kind: "change",
    isIdempotent: true,
    reachesOut,
    arguments: { crawl_id: crawlId },
    meant: "newest",
    async run({ app }, { crawl_id }) {
      await operation.run(app, { id: crawl_id });
      return { counts: `Crawl ${crawl_id} ${said}`, tables: [], structured: { crawl_id, done: true } };
    },
  });
}

export const CRAWLING_TOOLS: readonly Tool[] = [
  startCrawl,
  crawlStatus,
  steering(
    "pause_crawl",
    "Pause a crawl",
    'Pauses a running crawl: requests in flight finish, no new ones are sent. Nothing is lost. Example: {"crawl_id":3}.',
    operations.pauseCrawl,
    "is paused; resume_crawl continues it.",
    false,
  ),
  steering(
    "resume_crawl",
    "Resume a crawl",
    'Continues a crawl that was paused, stopped or interrupted. Example: {"crawl_id":3}.',
    operations.resumeCrawl,
    "continues; follow it with crawl_status.",
    true,
  ),
  steering(
    "stop_crawl",
    "Stop a crawl",
    'Stops a crawl at once: when this answers, no request is in flight and none follows. What it found is kept; use pause_crawl for a break. Example: {"crawl_id":3}.',
    operations.stopCrawl,
    "has stopped: no request is in flight. resume_crawl continues it.",
    false,
  ),
];

/** Crawls of other processes send us no events, so they are polled this often. */
const LOOK_MS = 1_000;

type WaitContext = Pick<ToolContext, "app" | "clock" | "signal" | "progress">;

/** Waits until the state of one of these crawls changes; returns those that changed, or none when the time is up. */
export async function waitForChange(
  context: WaitContext,
  ids: readonly number[],
  ms: number,
): Promise<CrawlProgress[]> {
  const { app, clock, signal } = context;
  const end = clock.now() + ms;
  const look = () => Promise.all(ids.map(async (id) => (await getLiveCrawl.run(app, { id })).progress));
  const first = await look();
  const changedIn = (seen: readonly CrawlProgress[]) => seen.filter(({ state }, at) => state !== first[at]!.state);
  let reported = -1;
  let seen = first;
  while (changedIn(seen).length === 0 && seen.some(isMoving) && clock.now() < end) {
    const crawled = sum(seen.map(({ urlsCrawled }) => urlsCrawled));
    // The protocol requires increasing numbers.
    if (crawled > reported) {
      reported = crawled;
      await context.progress(reported, reported + sum(seen.map(({ open }) => open)), waitingText(ids, seen));
    }
    await nextLook(context, ids, Math.min(LOOK_MS, end - clock.now()));
    signal.throwIfAborted();
    seen = await look();
  }
  return changedIn(seen);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const waitingText = (ids: readonly number[], seen: readonly CrawlProgress[]): string =>
  ids.length === 1 ? `crawl ${ids[0]} is ${seen[0]!.state}` : `${counted(ids.length, "crawl")} running`;

/** A crawl that is not running changes only on request. */
const isMoving = ({ state }: CrawlProgress): boolean =>
  state === "running" || state === "pausing" || state === "stopping";

/** Until one of these crawls ends, the time is up, or the caller no longer waits. */
function nextLook({ app, clock, signal }: WaitContext, ids: readonly number[], ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  const unsubscribe = app.events.subscribe((event) => {
    if (ids.includes(event.crawlId) && event.type !== "crawl:progress") resolve();
  });
  const abort = () => resolve();
  signal.addEventListener("abort", abort);
  if (signal.aborted) resolve();
  return promise.finally(() => {
    cancel();
    unsubscribe();
    signal.removeEventListener("abort", abort);
  });
}
