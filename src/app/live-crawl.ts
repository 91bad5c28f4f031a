/** What a crawl is doing now: of an own one as it is, of another process's as the registry and its database say. */
import type { HostReport } from "../site/host-report.ts";
import type { SiteReader } from "../site/store/reader.ts";
import type { ActiveCrawl } from "./active-crawl.ts";
import { ownProgress, storedProgress } from "./crawl-info.ts";
import type { Sample } from "./live-samples.ts";
import type { CrawlProgress } from "./operations/shapes.ts";
import type { CrawlRecord } from "./registry.ts";

export interface LiveHost {
  host: string;
  state: "fetching" | "ready" | "waiting" | "throttled" | "blocked" | "given_up";
  reason: string | null;
  inFlight: number;
  open: number;
  nextAt: number | null;
  requests: number;
  pace: number;
}

export interface LiveCrawl {
  progress: CrawlProgress;
  series: Sample[];
  statuses: { value: number; count: number }[];
  reasons: { value: string; count: number }[];
  hosts: LiveHost[];
  hostsTotal: number;
  errors: { url: string; error: string; at: number }[];
}

/** Errors and hosts of one answer: what a screen has room for. */
const SHOWN = 50;

export function liveCrawl(active: ActiveCrawl): LiveCrawl {
  const { statuses, reasons } = active.progress();
  const hosts = active.site.hosts(Number.POSITIVE_INFINITY);
  return {
    progress: ownProgress(active),
    series: [...active.samples],
    statuses,
    reasons,
    hosts: hosts.slice(0, SHOWN).map(liveHost),
    hostsTotal: hosts.length,
    errors: active.site
      .recentErrors()
      .slice(0, SHOWN)
      .map(({ url, error, status, at }) => ({ url, error: error ?? `status ${status}`, at })),
  };
}

const liveHost = ({ lane, state, reason, inFlight, open, nextAt, spent, pace }: HostReport): LiveHost => ({
  host: lane,
  ...{ state, reason, inFlight, open, pace },
  // A rate of three a second has no whole number of ms between requests.
  nextAt: nextAt === null ? null : Math.ceil(nextAt),
  requests: spent,
});

/** Its speed over time and the state of its hosts are known to its own process only; `series` is what this one kept. */
export function storedLiveCrawl(record: CrawlRecord, series: readonly Sample[], read: () => SiteReader): LiveCrawl {
  return {
    progress: storedProgress(record),
    series: [...series],
    statuses: record.progress?.statuses ?? [],
    reasons: record.progress?.reasons ?? [],
    hosts: [],
    hostsTotal: 0,
    errors: storedErrors(read()),
  };
}

function storedErrors(reader: SiteReader): LiveCrawl["errors"] {
  try {
    return reader.db
      .prepare(
        `SELECT u.url AS url, coalesce(p.error, 'status ' || p.status) AS error, p.fetched_at AS at
         FROM pages p JOIN urls u USING (id) WHERE p.error IS NOT NULL OR p.status >= 400 ORDER BY p.fetched_at DESC LIMIT ?`,
      )
      .all(SHOWN) as unknown as LiveCrawl["errors"];
  } finally {
    reader.close();
  }
}
