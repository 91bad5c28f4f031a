/** The counts as they are now, and as Prometheus reads them. One definition feeds both, so they cannot differ. */
import { Counter, Gauge, Registry } from "prom-client";
import { COUNTERS, type Definition, METRIC_NAMES, type MetricName } from "./definitions.ts";

const PREFIX = "trawl_archive_";

/** What goes up and down: asked when somebody looks. */
export interface Levels {
  frontier_size: () => number;
  in_flight: () => number;
  paused: () => number;
}

const LEVEL_HELP: Record<keyof Levels, string> = {
  frontier_size: "URLs queued and not fetched",
  in_flight: "Requests under way",
  paused: "1 while the archive rests",
};

export class Metrics {
  readonly #values = new Map<MetricName, number>(METRIC_NAMES.map((name) => [name, 0]));
  readonly #registry = new Registry();

  constructor(levels: Levels) {
    for (const definition of COUNTERS as readonly Definition[]) this.#register(definition);
    for (const name of Object.keys(levels) as (keyof Levels)[]) {
      new Gauge({
        name: PREFIX + name,
        help: LEVEL_HELP[name],
        registers: [this.#registry],
        collect() {
          this.set(levels[name]());
        },
      });
    }
  }

  increment(name: MetricName, by = 1): void {
    this.#values.set(name, this.#values.get(name)! + by);
  }

  get(name: MetricName): number {
    return this.#values.get(name)!;
  }

  /** All counts, in the order of their definitions. */
  entries(): [name: MetricName, value: number][] {
    return [...this.#values];
  }

  /** The text that a Prometheus server reads. */
  prometheus(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  #register({ name, help, label }: Definition): void {
    const value = (csvName: string) => this.#values.get(csvName as MetricName)!;
    new Counter({
      name: `${PREFIX}${name}_total`,
      help,
      labelNames: label === undefined ? [] : [label.name],
      registers: [this.#registry],
      collect() {
        this.reset();
        if (label === undefined) this.inc(value(name));
        else for (const one of label.values) this.inc({ [label.name]: one }, value(`${name}_${one}`));
      },
    });
  }
}
