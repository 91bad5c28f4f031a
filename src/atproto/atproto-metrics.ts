/** The counts of a crawl for Prometheus, under the names and labels of the Go crawler, so that its dashboards keep working. */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { PreparedRepo } from "./repo/prepare-repo.ts";

/** Values that go up and down, read on demand. */
export interface CrawlLevels {
  pdsCount: () => number;
  activePds: () => number;
  remaining: () => number;
  /** How often hosts were blocked so far. */
  blocked: () => number;
}

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const powers = (base: number, first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => base ** (first + index));

export class CrawlMetrics {
  readonly #registry = new Registry();
  readonly #processed = this.#counter("crawler_repos_processed_total", "Repos by result category", "result");
  readonly #duration = this.#histogram("crawler_repo_duration_seconds", "Fetch and parse time per repo", SECONDS);
  readonly #records = this.#histogram("crawler_repo_records", "Records per repo", powers(10, 0, 7));
  readonly #collections = this.#histogram("crawler_repo_collections", "Collections per repo", powers(2, 0, 9));
  readonly #compressed = this.#histogram(
    "crawler_repo_compressed_bytes",
    "Compressed bytes per repo",
    powers(4, 4, 11),
  );
  readonly #requests = this.#counter("crawler_http_requests_total", "HTTP requests to PDSs", "status_code");
  readonly #latency = this.#histogram("crawler_http_request_duration_seconds", "HTTP latency", SECONDS);
  readonly #segments = this.#counter("crawler_segments_finalized_total", "Completed segment files");
  readonly #bytes = this.#counter("crawler_bytes_written_total", "Total bytes to disk");
  readonly #dids = this.#counter("crawler_dids_processed_total", "Running DID count");
  readonly #pages = this.#counter("crawler_pages_fetched_total", "Pages fetched from sources");
  readonly #pageDids = this.#histogram("crawler_page_dids", "DIDs per page (post-filter)", powers(10, 0, 6));
  readonly #dispatched = this.#counter("crawler_dispatched_total", "DIDs dispatched to workers");

  constructor(levels: CrawlLevels) {
    this.#gauge("crawler_pds_count", "Distinct PDSs tracked", levels.pdsCount);
    this.#gauge("crawler_dispatch_remaining", "Undispatched DIDs", levels.remaining);
    this.#gauge("crawler_active_pds", "PDSs with remaining work", levels.activePds);
    new Counter({
      name: "crawler_pds_blocked_total",
      help: "PDSs blocked",
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc(levels.blocked());
      },
    });
  }

  processed(result: string): void {
    this.#processed.inc({ result });
    this.#dids.inc();
  }

  repo({ recordCount, collections, block }: PreparedRepo, seconds: number): void {
    this.#duration.observe(seconds);
    this.#records.observe(recordCount);
    this.#collections.observe(collections.length);
    this.#compressed.observe(block.collections.reduce((sum, { frame }) => sum + frame.length, 0));
  }

  /** `status` is `error` when the host did not answer. */
  request(status: string, seconds: number): void {
    this.#requests.inc({ status_code: status });
    this.#latency.observe(seconds);
  }

  dispatched(): void {
    this.#dispatched.inc();
  }

  page(dids: number): void {
    this.#pages.inc();
    this.#pageDids.observe(dids);
  }

  written(bytes: number): void {
    this.#bytes.inc(bytes);
  }

  segmentFinished(): void {
    this.#segments.inc();
  }

  /** The text that a Prometheus server scrapes. */
  prometheus(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  #counter(name: string, help: string, label?: string): Counter {
    return new Counter({ name, help, labelNames: label === undefined ? [] : [label], registers: [this.#registry] });
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name, help, buckets, registers: [this.#registry] });
  }

  #gauge(name: string, help: string, level: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(level());
      },
    });
  }
}
