/** The limits of the kernel for a crawl of the network. */
import { type CrawlLimits, DEFAULT_CRAWL_LIMITS } from "../../kernel/crawl.ts";
import { type AtprotoConfig, workersOf } from "../atproto-config.ts";

export const crawlLimits = (config: AtprotoConfig): CrawlLimits => ({
  ...DEFAULT_CRAWL_LIMITS,
  parallelism: workersOf(config),
  // The backlog passes on what each host has room for.
  highWater: Number.POSITIVE_INFINITY,
  // Compressed repos that wait to be written to the segment.
  maxAheadBytes: 64_000_000,
  // Admitting writes nothing; settling waits for a sync of the segment, which many may share.
  commit: { settled: 500, admitted: 50_000, ms: 100, pending: 2 },
});
