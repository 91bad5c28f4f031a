/** How quick the server is. */
import { Card } from "../../components/card.tsx";
import { ExplorerLink } from "../../components/crawl-links.tsx";
import { Histogram } from "../../components/histogram.tsx";
import type { Overview } from "../../lib/contract.ts";
import { crawlFilters } from "../../lib/crawl-filters.ts";
import { timeBins, totalOf } from "./overview-counts.ts";

export function ResponseTimesCard({ times }: { times: Overview["responseTimes"] }) {
  return (
    <Card
      title="Response times"
      info="From the request to the last byte, without looking up the host and connecting. Amber is over a second. Answers out of a cache are left out."
      className="overview-third"
      actions={
        <ExplorerLink filter={crawlFilters.crawled} sort="-time_total">
          Slowest first
        </ExplorerLink>
      }
    >
      {totalOf(times) === 0 ? (
        <p className="overview-none">Nothing was timed: nothing answered, or all of it came out of a cache.</p>
      ) : (
        <Histogram label="Answers by response time" height={210} bins={timeBins(times)} />
      )}
    </Card>
  );
}
