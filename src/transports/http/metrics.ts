/** What a monitoring system reads at /metrics: the process, the crawls of this process, and the requests answered. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { AppEvent } from "../../app/events.ts";
import type { CrawlProgress } from "../../app/operations/shapes.ts";

/** Every metric that Trawl adds; docs/metrics.md lists the same. */
export const METRICS = {
  trawl_crawls_active: "Crawls running in this process",
  trawl_pages_total: "Pages (HTML, 2xx) fetched by crawls of this process since it started",
  trawl_urls_crawled_total: "URLs fetched by crawls of this process since it started",
  trawl_urls_discovered_total: "URLs found by crawls of this process since it started",
  trawl_errors_total: "Fetches by this process that got no answer",
  trawl_open_urls: "URLs waiting to be fetched by the running crawls",
  trawl_requests_in_flight: "Requests that crawls have in flight",
  trawl_http_request_duration_seconds: "Time until this server began its answers",
  trawl_event_readers: "Open connections that receive server-sent events",
} as const;

export interface MetricsSource {
  activeCrawls: {
    /** Crawls of this process and of other processes. */
    list(): CrawlProgress[];
    /** For a crawl that has ended: the stored numbers. */
    live(id: number): { progress: CrawlProgress };
  };
  events: { subscribe(listener: (event: AppEvent) => void): () => void };
}

/** The part of a crawl's numbers that is already in the counters. */
interface Counted {
  pagesCrawled: number;
  urlsCrawled: number;
  totalDiscovered: number;
  errors: number;
}

/** Most answers take a millisecond; queries on a large crawl's database take seconds. */
const SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];

export class Metrics {
  readonly #registry = new Registry();
  readonly #durations: Histogram<"method" | "route" | "status">;
  readonly #totals: Record<keyof Counted, Counter>;
  readonly #gauges: Record<"active" | "open" | "inFlight", Gauge>;
  readonly #counted = new Map<number, Counted>();
  readonly #source: MetricsSource;
  readonly #unsubscribe: () => void;

  constructor(source: MetricsSource, readers: () => number) {
    const registers = [this.#registry];
    const define = <Name extends keyof typeof METRICS>(name: Name) => ({ name, help: METRICS[name], registers });
    collectDefaultMetrics({ register: this.#registry });
    this.#totals = {
      pagesCrawled: new Counter(define("trawl_pages_total")),
      urlsCrawled: new Counter(define("trawl_urls_crawled_total")),
      totalDiscovered: new Counter(define("trawl_urls_discovered_total")),
      errors: new Counter(define("trawl_errors_total")),
    };
    this.#gauges = {
      active: new Gauge(define("trawl_crawls_active")),
      open: new Gauge(define("trawl_open_urls")),
      inFlight: new Gauge(define("trawl_requests_in_flight")),
    };
    this.#durations = new Histogram({
      ...define("trawl_http_request_duration_seconds"),
      labelNames: ["method", "route", "status"],
      buckets: SECONDS,
    });
    new Gauge({
      ...define("trawl_event_readers"),
      collect() {
        this.set(readers());
      },
    });
    this.#source = source;
    // A crawl is read when it starts, so that earlier pages of a resumed one are not counted again, and when it ends.
    this.#unsubscribe = source.events.subscribe((event) => this.#learn(event));
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  observe(request: { method: string; route: string; status: number }, seconds: number): void {
    const { method, route, status } = request;
    this.#durations.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, seconds);
  }

  async text(): Promise<string> {
    const own = this.#own();
    const sum = (name: "open" | "inFlight"): number => own.reduce((total, crawl) => total + crawl[name], 0);
    this.#gauges.active.set(own.length);
    this.#gauges.open.set(sum("open"));
    this.#gauges.inFlight.set(sum("inFlight"));
    for (const crawl of own) this.#countUp(crawl);
    return this.#registry.metrics();
  }

  close(): void {
    this.#unsubscribe();
    this.#registry.clear();
  }

  #own(): CrawlProgress[] {
    return this.#source.activeCrawls.list().filter(({ isOwn }) => isOwn);
  }

  #learn({ type, crawlId }: AppEvent): void {
    if (type === "crawl:progress") return;
    if (type === "crawl:started") {
      const crawl = this.#own().find((one) => one.crawlId === crawlId);
      if (crawl !== undefined) this.#counted.set(crawlId, counts(crawl));
      return;
    }
    try {
      this.#countUp(this.#source.activeCrawls.live(crawlId).progress);
    } catch {
      // It was deleted, or the registry is closing: keep the last numbers.
    }
    this.#counted.delete(crawlId);
  }

  #countUp(crawl: CrawlProgress): void {
    const now = counts(crawl);
    const before = this.#counted.get(crawl.crawlId) ?? {
      pagesCrawled: 0,
      urlsCrawled: 0,
      totalDiscovered: 0,
      errors: 0,
    };
    for (const [name, total] of Object.entries(this.#totals) as [keyof Counted, Counter][]) {
      total.inc(Math.max(0, now[name] - before[name]));
    }
    this.#counted.set(crawl.crawlId, now);
  }
}

const counts = ({ pagesCrawled, urlsCrawled, totalDiscovered, errors }: CrawlProgress): Counted => ({
  pagesCrawled,
  urlsCrawled,
  totalDiscovered,
  errors,
});
