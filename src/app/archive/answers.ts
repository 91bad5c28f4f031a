/** What an archive answers, in the names of docs/vocabulary.md. Its files keep the names of their own format. */
import type { ArchiveStatus } from "../../archive/archive-status.ts";
import type { Failure } from "../../archive/failed-urls.ts";
import type { Match } from "../../archive/search/text-index.ts";
import { isoTime } from "../operations/time.ts";

const timeOfSeconds = (seconds: number | null): string | null => (seconds === null ? null : isoTime(seconds * 1_000));

export const statusFacts = (status: ArchiveStatus) => ({
  waiting: status.frontier,
  waitingByDepth: status.frontierByDepth,
  fetched: status.fetched,
  refused: status.refused,
  refusedByReason: status.refusedByReason,
  fetches: status.records,
  byStatus: status.byStatus,
  byPageType: status.byPageType,
  damagedLines: status.damaged,
  storedPages: status.blobs,
  lastFetchAt: timeOfSeconds(status.lastFetchAt),
  requisites: status.requisites,
  spool: status.spool,
  resting: status.resting.map(({ host, until, why }) => ({ host, until: timeOfSeconds(until), why })),
});

export const failureRow = ({ url, http_status, error, page_type, depth, retries, timestamp }: Failure) => ({
  url,
  status: http_status,
  error,
  pageType: page_type,
  depth,
  retries,
  failedAt: isoTime(timestamp * 1_000),
});

export const matchRow = ({ url, title, page_type, sha256, timestamp, snippet }: Match) => ({
  url,
  title,
  pageType: page_type,
  sha256,
  fetchedAt: isoTime(timestamp * 1_000),
  snippet,
});
