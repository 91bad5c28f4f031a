/** Which queries an event of the server makes old. */
import type { QueryKey } from "@tanstack/react-query";
import type { CrawlEvent } from "./news-stream.ts";
import { keys } from "./queries.ts";

/** While a crawl runs, its tables and charts are refetched this often; only its progress follows every event. */
export const RESULTS_MS = 5_000;

/** The queries that an event makes old. `resultsDue`: the results of a running crawl are old enough to refetch. */
export function staleAfter(event: CrawlEvent, resultsDue: boolean): QueryKey[] {
  if (event.type === "crawl:progress" && !resultsDue) return [keys.active, keys.live(event.crawlId)];
  const changed: QueryKey[] = [keys.active, keys.crawl(event.crawlId)];
  if (event.type === "crawl:progress") return changed;
  return [...changed, keys.projects, keys.project(event.projectId), keys.schedules];
}
