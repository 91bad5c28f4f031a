/** What answers are: pages, images, scripts. */
import { BarList } from "../../components/bar-list.tsx";
import { Card } from "../../components/card.tsx";
import { ExplorerLink } from "../../components/crawl-links.tsx";
import type { Overview } from "../../lib/contract.ts";
import { crawlFilters } from "../../lib/crawl-filters.ts";
import { totalOf } from "./overview-counts.ts";

const SHOWN = 9;

export function ContentTypesCard({ types }: { types: Overview["contentTypes"] }) {
  return (
    <Card title="Content types" className="overview-third">
      {types.length === 0 && <p className="overview-none">Nothing answered.</p>}
      <BarList
        whole={totalOf(types)}
        bars={types.slice(0, SHOWN).map(({ value, count }) => ({
          id: String(value),
          label: (
            <ExplorerLink isPlain filter={crawlFilters.contentType(value === null ? null : String(value))}>
              {value ?? "No type given"}
            </ExplorerLink>
          ),
          value: count,
        }))}
      />
    </Card>
  );
}
