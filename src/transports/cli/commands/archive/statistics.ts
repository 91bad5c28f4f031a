/** What a run did, in tables: pages, responses, and what was not archived. */

import { REASONS } from "../../../../app/archive/control.ts";
import type { Metrics } from "../../../../app/archive/run.ts";
import { clean, count } from "../../../texts.ts";
import { bytes } from "../../output/numbers.ts";
import { table } from "../../output/table.ts";
import type { Terminal } from "../../output/terminal.ts";

export type Counts = Record<string, number>;

export const metricCounts = (metrics: Metrics): Counts => Object.fromEntries(metrics.entries());

export function statisticsLines({ style, proseWidth }: Terminal, counts: Counts, reasons: Counts): string[] {
  const at = (name: string): number => counts[name] ?? 0;
  const pages = [
    ["stored", at("pages_saved"), bytes(at("bytes_saved"))],
    ["not changed", at("not_modified_304"), "a 304: the stored page is still current"],
    ["not HTML", at("fetch_not_html"), "responses that are not HTML"],
    ["failed", at("fetch_fail_err"), "no response, or an error, after all retries"],
    ["retried", at("retries"), "failures that may be temporary"],
  ] as const;
  const answers = ["2xx", "3xx", "4xx", "5xx"].map((name) => [name, at(`status_${name}`), ""] as const);
  return [
    ...section("This run", pages),
    ...section("Responses", answers),
    ...section(
      "Not archived",
      Object.entries(reasons)
        .sort(([, one], [, other]) => other - one)
        .map(([reason, number]) => [reason, number, meaning(reason)] as const),
    ),
  ];

  function section(title: string, rows: readonly (readonly [string, number, string])[]): string[] {
    const shown = rows.filter(([, number]) => number > 0).map(([name, number, note]) => [name, count(number), note]);
    if (shown.length === 0) return [];
    const columns = [{ title: "" }, { title: "", align: "right" as const }, { title: "", wrapped: true, least: 20 }];
    return ["", style.bold(title), ...table({ columns, rows: shown, width: proseWidth, indent: 2 })];
  }
}

/** Reasons are our own words; a reason from a newer version is shown without its meaning. */
export const meaning = (reason: string): string =>
  Object.hasOwn(REASONS, reason) ? REASONS[reason as keyof typeof REASONS] : clean(reason);
