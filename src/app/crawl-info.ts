/** A crawl's record in the words that operations answer with. */
import type { CrawlState } from "../kernel/crawl.ts";
import type { ActiveCrawl } from "./active-crawl.ts";
import type { CrawlInfo, CrawlProgress } from "./operations/shapes.ts";
import type { CrawlRecord } from "./registry.ts";

export const crawlInfo = (record: CrawlRecord): CrawlInfo => ({
  id: record.id,
  projectId: record.projectId,
  domain: record.domain,
  url: record.startUrls[0] ?? "",
  mode: record.mode,
  state: record.state,
  crawlDateTime: record.startedAt,
  crawlDuration: record.durationMs,
  pagesCrawled: record.crawled,
  urlsDiscovered: record.discovered,
  message: record.message,
  baselineId: record.baselineId,
});

/** A crawl that this process works on knows more of itself than the registry does. */
export const ownCrawlInfo = (record: CrawlRecord, active: ActiveCrawl): CrawlInfo => {
  const { state, crawled, discovered } = active.site.progress();
  return {
    ...crawlInfo(record),
    state: shownState(state),
    crawlDuration: active.durationMs,
    pagesCrawled: crawled,
    urlsDiscovered: discovered,
  };
};

export function ownProgress(active: ActiveCrawl): CrawlProgress {
  const { state, crawled, discovered, statuses: _, reasons: __, ...counts } = active.progress();
  const { id, projectId, domain, startUrls, startedAt } = active.record;
  return {
    projectId,
    crawlId: id,
    domain,
    url: startUrls[0] ?? "",
    state: shownState(state),
    isOwn: true,
    startedAt,
    durationMs: active.durationMs,
    pagesCrawled: crawled,
    totalDiscovered: discovered,
    ...counts,
  };
}

/** As its process wrote it down last; nothing is under way in a crawl that no process works on. */
export function storedProgress(record: CrawlRecord): CrawlProgress {
  const {
    open = 0,
    recorded = 0,
    skipped = 0,
    errors = 0,
    retries = 0,
    inFlight = 0,
    pagesPerSecond = 0,
  } = record.progress ?? {};
  const isRunning = record.state === "running";
  return {
    projectId: record.projectId,
    crawlId: record.id,
    domain: record.domain,
    url: record.startUrls[0] ?? "",
    state: record.state,
    isOwn: false,
    startedAt: record.startedAt,
    durationMs: record.durationMs,
    pagesCrawled: record.crawled,
    totalDiscovered: record.discovered,
    ...{ open, recorded, skipped, errors, retries },
    inFlight: isRunning ? inFlight : 0,
    pagesPerSecond: isRunning ? pagesPerSecond : 0,
  };
}

/** A crawl that was stopped can be resumed, which is what people call paused. */
function shownState(state: CrawlState): CrawlInfo["state"] {
  if (state === "new") return "running";
  return state === "stopped" ? "paused" : state;
}
