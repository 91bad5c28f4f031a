/** The counts of an archive: their definitions, their values, and their text for Prometheus. */
import { Counter, Gauge, Registry } from "prom-client";
import type { Visit } from "./archive-visit.ts";
import { POLICY_REASONS } from "./policy/policy.ts";

export interface Definition {
  name: string;
  help: string;
  /** `<name>_<value>` in CSV, a label in Prometheus. */
  label?: { name: string; values: readonly string[] };
}

/** The CSV and the Prometheus text are both made from these, so they cannot differ. */
export const COUNTERS = [
  { name: "frontier_push", help: "URLs queued" },
  { name: "duplicates", help: "Links to URLs already known" },
  { name: "policy_reject", help: "URLs that the policy rejected", label: { name: "reason", values: POLICY_REASONS } },
  { name: "skip_depth", help: "URLs too far from the seeds" },
  { name: "cap_exceeded", help: "URLs beyond a cap of their repo" },
  { name: "fetch_ok", help: "Fetches that returned a page, or confirmed a stored one" },
  { name: "fetch_not_html", help: "Responses that are not pages" },
  { name: "fetch_fail_err", help: "Fetches that failed for good" },
  { name: "status", help: "Responses by class", label: { name: "class", values: ["2xx", "3xx", "4xx", "5xx"] } },
  { name: "not_modified_304", help: "Pages that have not changed" },
  { name: "retries", help: "Fetches that will be retried" },
  { name: "pages_saved", help: "Pages stored" },
  { name: "bytes_saved", help: "Bytes of pages stored" },
  { name: "bytes_in", help: "Bytes of pages read" },
  { name: "links_extracted", help: "Links found in pages" },
  { name: "discoveries_written", help: "Discoveries written to the spool" },
] as const satisfies readonly Definition[];

type Labelled = Extract<(typeof COUNTERS)[number], { label: unknown }>;
type Plain = Exclude<(typeof COUNTERS)[number], Labelled>;

/** The name of a count in the CSV. */
export type MetricName =
  | Plain["name"]
  | `policy_reject_${(typeof POLICY_REASONS)[number]}`
  | `status_${"2xx" | "3xx" | "4xx" | "5xx"}`;

/** Every count by its name in the CSV, in order. */
export const METRIC_NAMES: readonly MetricName[] = (COUNTERS as readonly Definition[]).flatMap(({ name, label }) =>
  label === undefined ? [name] : label.values.map((value) => `${name}_${value}`),
) as MetricName[];

/**
 * The counts in the CSV of `scrape`, and their names there: those of the scraper that it replaces. Counts that only a
 * crawl has are left out.
 */
export const SCRAPER_NAMES: ReadonlyMap<MetricName, string> = new Map<MetricName, string>([
  ["fetch_ok", "pages_fetched"],
  ["pages_saved", "pages_saved"],
  ["bytes_saved", "bytes_saved"],
  ["bytes_in", "bytes_in"],
  ["status_2xx", "status_2xx"],
  ["status_3xx", "status_3xx"],
  ["status_4xx", "status_4xx"],
  ["status_5xx", "status_5xx"],
  ["not_modified_304", "not_modified_304"],
  ["fetch_not_html", "not_html"],
  ["fetch_fail_err", "fetch_fail"],
  ["retries", "retries"],
  ...POLICY_REASONS.map((reason): [MetricName, string] => [`policy_reject_${reason}`, `policy_reject_${reason}`]),
]);

const PREFIX = "trawl_archive_";

/** Values that go up and down, read on demand. */
export interface Levels {
  frontier_size: () => number;
  in_flight: () => number;
  paused: () => number;
}

const LEVEL_HELP: Record<keyof Levels, string> = {
  frontier_size: "URLs queued and not fetched",
  in_flight: "Requests in flight",
  paused: "1 while the archive is paused",
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

  /** The text that a Prometheus server scrapes. */
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

/** Adds a visit to the counts that include it. */
export function countVisit(metrics: Metrics, { kind, response, stored }: Visit): void {
  const group = Math.floor(response.status / 100);
  if (group >= 2 && group <= 5) metrics.increment(`status_${group as 2 | 3 | 4 | 5}xx`);
  if (kind === "page" || kind === "not_modified") metrics.increment("fetch_ok");
  if (kind === "not_modified") metrics.increment("not_modified_304");
  if (kind === "not_html") metrics.increment("fetch_not_html");
  if (kind === "error" || kind === "cut") metrics.increment("fetch_fail_err");
  if (kind !== "page") return;
  metrics.increment("bytes_in", response.body.length);
  if (stored === null) return;
  metrics.increment("pages_saved");
  metrics.increment("bytes_saved", response.body.length);
}
