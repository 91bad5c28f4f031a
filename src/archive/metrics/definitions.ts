/** The counts of an archive: the seeds' names, what each means, and for some a label that is part of the name in CSV. */
import { POLICY_REASONS } from "../policy/archive-reasons.ts";

export interface Definition {
  name: string;
  help: string;
  /** In CSV `<name>_<value>`; in Prometheus a label. */
  label?: { name: string; values: readonly string[] };
}

export const COUNTERS = [
  { name: "frontier_push", help: "URLs queued" },
  { name: "duplicates", help: "Links to URLs that were known already" },
  { name: "policy_reject", help: "URLs the policy kept out", label: { name: "reason", values: POLICY_REASONS } },
  { name: "skip_depth", help: "URLs too far from the seeds" },
  { name: "cap_exceeded", help: "URLs over a cap of their repo" },
  { name: "fetch_ok", help: "Fetches that gave a page, or that it has not changed" },
  { name: "fetch_not_html", help: "Answers that are no pages" },
  { name: "fetch_fail_err", help: "Fetches that failed for good" },
  { name: "status", help: "Answers by class", label: { name: "class", values: ["2xx", "3xx", "4xx", "5xx"] } },
  { name: "not_modified_304", help: "Pages that have not changed" },
  { name: "retries", help: "Fetches that will be tried again" },
  { name: "pages_saved", help: "Pages stored" },
  { name: "bytes_saved", help: "Bytes of pages stored" },
  { name: "bytes_in", help: "Bytes of pages read" },
  { name: "links_extracted", help: "Links found in pages" },
  { name: "discoveries_written", help: "Discoveries written to the spool" },
  { name: "discoveries_dropped", help: "Discoveries not written, the spool being over its budget" },
] as const satisfies readonly Definition[];

type Labelled = Extract<(typeof COUNTERS)[number], { label: unknown }>;
type Plain = Exclude<(typeof COUNTERS)[number], Labelled>;

/** The name of a count as the CSV has it. */
export type MetricName =
  | Plain["name"]
  | `policy_reject_${(typeof POLICY_REASONS)[number]}`
  | `status_${"2xx" | "3xx" | "4xx" | "5xx"}`;

/** Every count as the CSV names it, in order. */
export const METRIC_NAMES: readonly MetricName[] = (COUNTERS as readonly Definition[]).flatMap(({ name, label }) =>
  label === undefined ? [name] : label.values.map((value) => `${name}_${value}`),
) as MetricName[];
