/** The line under the title: where the crawl began, when, and how long it took. */
import { RelativeTime } from "../../components/time.tsx";
import type { CrawlInfo } from "../../lib/contract.ts";
import { formatDuration } from "../../lib/format.ts";

export function OverviewSubtitle({
  crawl: { state, url, crawlDateTime, crawlDuration, baselineId, mode },
}: {
  crawl: CrawlInfo;
}) {
  return (
    <>
      <span className="cut">{url}</span>
      <span>
        began <RelativeTime at={crawlDateTime} />
      </span>
      <span>
        {state === "running"
          ? `running for ${formatDuration(Math.floor(crawlDuration / 1000) * 1000)}`
          : `took ${formatDuration(crawlDuration)}`}
      </span>
      {mode === "list" && <span>a list of URLs</span>}
      {baselineId !== null && <span>only what changed since #{baselineId} was asked for</span>}
    </>
  );
}
