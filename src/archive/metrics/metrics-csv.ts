/** `logs/crawler_metrics.csv`: every count, every few seconds and at the end. */
import type { Clock } from "../../kernel/clock.ts";
import type { CsvLog } from "../csv-log.ts";
import type { Metrics } from "./archive-metrics.ts";

export const METRICS_HEADER = "timestamp,metric,value";

export class MetricsCsv {
  readonly #log: CsvLog;
  readonly #metrics: Metrics;
  readonly #clock: Clock;
  #cancel: (() => void) | null = null;

  constructor(log: CsvLog, metrics: Metrics, clock: Clock) {
    this.#log = log;
    this.#metrics = metrics;
    this.#clock = clock;
  }

  /** Begins, or goes on with another interval. */
  start(intervalSeconds: number): void {
    this.#cancel?.();
    this.#cancel = this.#clock.after(intervalSeconds * 1000, () => {
      this.write();
      this.start(intervalSeconds);
    });
  }

  write(): void {
    const timestamp = Math.floor(this.#clock.now() / 1000);
    for (const [name, value] of this.#metrics.entries()) this.#log.add([timestamp, name, value]);
    this.#log.flush();
  }

  /** The last counts, durable. */
  async close(): Promise<void> {
    this.#cancel?.();
    this.write();
    await this.#log.close();
  }
}
