/** A crawl as operations describe it: from its registry record, or live from the process that runs it. */
import type { CrawlState } from "../../kernel/crawl.ts";
import type { HostReport } from "../../site/host-report.ts";
import type { SiteReader } from "../../site/store/reader.ts";
import type { LiveCrawl } from "../operations/crawling.ts";
import type { CrawlEntry, CrawlInfo, CrawlProgress } from "../operations/shapes.ts";
import { isoTime } from "../operations/time.ts";
import type { ActiveCrawl } from "./active-crawl.ts";
import type { Crawls } from "./crawls.ts";
import type { Sample } from "./live-counts.ts";
import type { CrawlRecord } from "./registry.ts";

/** Unix time is written in seconds; every other time here is in milliseconds. */
export const unixSeconds = (ms: number): number => Math.floor(ms / 1000);

export const crawlInfo = (record: CrawlRecord): CrawlInfo => ({
  id: record.id,
  projectId: record.projectId,
  domain: record.domain,
  url: record.startUrls[0] ?? "",
  mode: record.mode,
  state: record.state,
  startedAt: isoTime(record.startedAt),
  durationMs: record.durationMs,
  pages: record.pages ?? 0,
  crawled: record.crawled,
  discovered: record.discovered,
  ...earlierNames(record),
  message: record.message,
  ending: record.ending,
  baselineId: record.baselineId,
});

/** What the API that this one continues calls them. */
const earlierNames = ({ startedAt, durationMs, pages, crawled, discovered }: EarlierNamed) => ({
  crawlDateTime: unixSeconds(startedAt),
  crawlDuration: durationMs,
  pagesCrawled: pages ?? 0,
  urlsCrawled: crawled,
  urlsDiscovered: discovered,
});
type EarlierNamed = Pick<CrawlRecord, "startedAt" | "durationMs" | "pages" | "crawled" | "discovered">;

/** As a list of all crawls shows it, without its settings. */
export function crawlEntry({ settings: _, ...record }: CrawlRecord, crawls: Pick<Crawls, "isHeld">): CrawlEntry {
  return { ...record, startedAt: isoTime(record.startedAt), isHeld: crawls.isHeld(record.id) };
}

/** For a crawl of this process, more is known than the registry has. */
export const ownCrawlInfo = (record: CrawlRecord, active: ActiveCrawl): CrawlInfo => {
  const { state, pages, crawled, discovered } = active.counts();
  return {
    ...crawlInfo({ ...record, durationMs: active.durationMs, pages, crawled, discovered }),
    state: shownState(state),
  };
};

export function ownProgress(active: ActiveCrawl): CrawlProgress {
  const { state, pages, crawled, discovered, statuses: _, reasons: __, ...counts } = active.progress();
  const { id, projectId, domain, startUrls, startedAt } = active.record;
  return {
    projectId,
    crawlId: id,
    domain,
    url: startUrls[0] ?? "",
    state: shownState(state),
    isOwn: true,
    startedAt: isoTime(startedAt),
    durationMs: active.durationMs,
    ...{ pages, crawled, discovered },
    pagesCrawled: pages,
    urlsCrawled: crawled,
    totalDiscovered: discovered,
    share: crawledShare(crawled, counts.open, shownState(state) === "running"),
    ...counts,
  };
}

/** As last written by its process. A crawl that no process works on has no requests in flight. */
export function storedProgress(record: CrawlRecord): CrawlProgress {
  const {
    open = 0,
    recorded = 0,
    skipped = 0,
    errors = 0,
    broken = 0,
    retries = 0,
    inFlight = 0,
    trouble = null,
    pagesPerSecond = 0,
    urlsPerSecond = 0,
  } = record.progress ?? {};
  const isRunning = record.state === "running";
  return {
    projectId: record.projectId,
    crawlId: record.id,
    domain: record.domain,
    url: record.startUrls[0] ?? "",
    state: record.state,
    isOwn: false,
    startedAt: isoTime(record.startedAt),
    durationMs: record.durationMs,
    ...{ pages: record.pages ?? 0, crawled: record.crawled, discovered: record.discovered },
    pagesCrawled: record.pages ?? 0,
    urlsCrawled: record.crawled,
    totalDiscovered: record.discovered,
    share: crawledShare(record.crawled, open, isRunning),
    ...{ open, recorded, skipped, errors, broken, retries },
    inFlight: isRunning ? inFlight : 0,
    trouble: isRunning ? trouble : null,
    pagesPerSecond: isRunning ? pagesPerSecond : 0,
    urlsPerSecond: isRunning ? urlsPerSecond : 0,
  };
}

/** What is still unknown cannot be counted, so while a crawl runs the count is never complete. */
export function crawledShare(crawled: number, open: number, isRunning: boolean): number {
  const known = crawled + open;
  const share = known === 0 ? 0 : Math.floor((crawled / known) * 1_000) / 1_000;
  return isRunning || open > 0 ? Math.min(share, 0.99) : share;
}

/** The engine is done before the crawl's final state is decided. Until then, the answer is silent about it. */
function shownState(state: CrawlState): CrawlInfo["state"] {
  if (state === "new" || state === "completed" || state === "failed") return "running";
  return state === "stopped" ? "stopping" : state;
}

const timed = <Sampled extends { at: number }>(one: Sampled) => ({ ...one, at: isoTime(one.at) });

/** Errors and hosts in one answer: as many as fit on a screen. */
const SHOWN = 50;

export function liveCrawl(active: ActiveCrawl): LiveCrawl {
  const { statuses, reasons } = active.progress();
  const hosts = active.site.hosts(Number.POSITIVE_INFINITY);
  return {
    progress: ownProgress(active),
    series: active.samples.map(timed),
    statuses,
    reasons,
    traps: active.site.stoppedTraps().slice(0, SHOWN),
    hosts: hosts.slice(0, SHOWN).map(liveHost),
    hostsTotal: hosts.length,
    lastErrors: active.site
      .recentErrors()
      .slice(0, SHOWN)
      .map(({ url, error, status, at }) => ({ url, error: error ?? `status ${status}`, at: isoTime(at) })),
  };
}

const liveHost = ({
  lane,
  state,
  reason,
  inFlight,
  open,
  nextAt,
  spent,
  pace,
}: HostReport): LiveCrawl["hosts"][number] => ({
  host: lane,
  ...{ state, reason, inFlight, open, pace },
  // At three requests per second, the interval between requests is not a whole number of ms.
  nextAt: nextAt === null ? null : isoTime(Math.ceil(nextAt)),
  requests: spent,
});

/**
 * Only the crawl's own process knows its speed over time and the state of its hosts; `series` is what that process
 * stored.
 */
export function storedLiveCrawl(record: CrawlRecord, series: readonly Sample[], read: () => SiteReader): LiveCrawl {
  return {
    progress: storedProgress(record),
    series: series.map(timed),
    statuses: record.progress?.statuses ?? [],
    reasons: record.progress?.reasons ?? [],
    traps: [],
    hosts: [],
    hostsTotal: 0,
    lastErrors: storedErrors(read()),
  };
}

function storedErrors(reader: SiteReader): LiveCrawl["lastErrors"] {
  try {
    const rows = reader.db
      .prepare(
        `SELECT u.url AS url, coalesce(p.error, 'status ' || p.status) AS error, p.fetched_at AS at
         FROM pages p JOIN urls u USING (id) WHERE p.error IS NOT NULL OR p.status >= 400 ORDER BY p.fetched_at DESC LIMIT ?`,
      )
      .all(SHOWN) as unknown as { url: string; error: string; at: number }[];
    return rows.map(timed);
  } finally {
    reader.close();
  }
}
