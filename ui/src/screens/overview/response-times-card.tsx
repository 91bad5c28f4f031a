/** How quick the server is. */
import { Card } from "../../components/card.tsx";
import { ExplorerLink } from "../../components/crawl-links.tsx";
import { Histogram } from "../../components/histogram.tsx";
import type { Overview } from "../../lib/contract.ts";
import { crawlFilters } from "../../lib/crawl-filters.ts";
import { timeBins, totalOf } from "./overview-counts.ts";

const COLUMNS = ["url", "status", "time_server", "time_first_byte", "time_download", "size", "content_type", "title"];

export function ResponseTimesCard({ times }: { times: Overview["responseTimes"] }) {
  return (
    <Card
      title="Response times"
      info="From the request to the last byte, without looking up the host and connecting. Amber is over a second. Answers out of a cache are left out."
      className="overview-third"
      actions={
        <ExplorerLink filter={crawlFilters.crawled} sort="-time_server" fields={COLUMNS}>
          Slowest first
        </ExplorerLink>
      }
    >
      {totalOf(times) === 0 ? (
        <p className="overview-none">Nothing was timed: nothing answered, or all of it came out of a cache.</p>
      ) : (
        <Histogram
          label="Answers by response time"
          height={210}
          bins={timeBins(times).map(({ fromMs, toMs, ...bin }) => ({
            ...bin,
            name: (
              <ExplorerLink isPlain filter={crawlFilters.serverTime(fromMs, toMs)} sort="-time_server" fields={COLUMNS}>
                {bin.label}
              </ExplorerLink>
            ),
          }))}
        />
      )}
    </Card>
  );
}
