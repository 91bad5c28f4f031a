/** The counts of one worker for Prometheus. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { WorkerProgress } from "./worker.ts";

/** docs/metrics.md lists the same counts. */
export const WORKER_METRICS = {
  trawl_fleet_urls_fetched_total: { kind: Counter, of: "pages", help: "URLs fetched by this worker" },
  trawl_fleet_errors_total: { kind: Counter, of: "errors", help: "Fetches by this worker that got no answer" },
  trawl_fleet_commits_total: { kind: Counter, of: "commits", help: "Transactions of this worker" },
  trawl_fleet_settled_total: { kind: Counter, of: "settled", help: "URLs settled in those transactions" },
  trawl_fleet_statements_total: { kind: Counter, of: "statements", help: "Statements sent to the database" },
  trawl_fleet_partitions: { kind: Gauge, of: "partitions", help: "Partitions that this worker holds" },
  trawl_fleet_partitions_running: { kind: Gauge, of: "running", help: "Those of them that have work" },
  trawl_fleet_requests_in_flight: { kind: Gauge, of: "inFlight", help: "Requests that this worker has in flight" },
} as const;

export class WorkerMetrics {
  readonly #registry = new Registry();

  constructor(progress: () => WorkerProgress) {
    collectDefaultMetrics({ register: this.#registry });
    for (const [name, { kind, of, help }] of Object.entries(WORKER_METRICS)) {
      const settings = { name, help, registers: [this.#registry] };
      if (kind === Gauge) {
        new Gauge({
          ...settings,
          collect() {
            this.set(progress()[of]);
          },
        });
        continue;
      }
      new Counter({
        ...settings,
        collect() {
          this.reset();
          this.inc(progress()[of]);
        },
      });
    }
  }

  /** The text that a Prometheus server scrapes. */
  prometheus(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }
}
