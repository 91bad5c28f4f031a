/** Which counts a visit belongs to. */
import type { Visit } from "../archive-visit.ts";
import type { Metrics } from "./archive-metrics.ts";

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
