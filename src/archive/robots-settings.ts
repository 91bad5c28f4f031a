/** How an archive treats robots.txt: always obeyed, by the name that the config gives us. */
import type { RobotsSettings } from "../politeness/robots-keeper.ts";
import type { ArchiveSettings } from "./config/parse-archive-config.ts";

export const robotsSettings = ({ config, robotsAgent }: ArchiveSettings): RobotsSettings => ({
  robots: "respect",
  robotsAgent,
  retries: config.limits.max_retries,
  // A host that asks for hours between two requests gets them.
  maxCrawlDelay: Number.POSITIVE_INFINITY,
  // A host that refuses for a moment must not be free of its rules for a minute.
  denyUnanswered: true,
  robotsMaxAgeMs: config.robots.cache_ttl_sec * 1000,
});
