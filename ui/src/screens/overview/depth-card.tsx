/** How far from the start pages are, and how they answer there. */
import { Card } from "../../components/card.tsx";
import { ExplorerLink } from "../../components/crawl-links.tsx";
import { Histogram } from "../../components/histogram.tsx";
import type { Overview } from "../../lib/contract.ts";
import { crawlFilters } from "../../lib/crawl-filters.ts";
import { depthBins, depthTitle } from "./overview-counts.ts";

/** What a phone has room for. */
const MOST = 12;

export function DepthCard({ depths }: { depths: Overview["depths"] }) {
  return (
    <Card
      title="Depth"
      info="Links away from the start when a URL was found first, by class of status. What is deep is found late, by visitors too."
      className="overview-half"
    >
      <Histogram
        label="Crawled URLs by depth"
        height={210}
        bins={depthBins(depths, MOST).map((bin) => ({
          label: `${bin.from}${bin.isOpenEnded ? "+" : ""}`,
          value: bin.total,
          parts: bin.parts,
          title: depthTitle(bin),
          name: (
            <ExplorerLink isPlain filter={crawlFilters.depth(bin.from, bin.isOpenEnded)}>
              {`${bin.from}${bin.isOpenEnded ? "+" : ""}`}
            </ExplorerLink>
          ),
        }))}
      />
    </Card>
  );
}
