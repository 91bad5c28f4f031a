/** Contents that several pages share. */
import { BarList } from "../../components/bar-list.tsx";
import { Card } from "../../components/card.tsx";
import { ExplorerLink } from "../../components/crawl-links.tsx";
import type { Overview } from "../../lib/contract.ts";
import { crawlFilters } from "../../lib/crawl-filters.ts";
import { plural } from "../../lib/format.ts";
import { urlParts } from "../../lib/web-link.ts";

const SHOWN = 6;

export function DuplicatesCard({ duplicates: { groups, pages, largest } }: { duplicates: Overview["duplicates"] }) {
  return (
    <Card
      title="Duplicates"
      info="Pages whose visible text is the same. Bars count the pages of one text, named by the first of them."
      className="overview-half"
    >
      {groups === 0 ? (
        <p className="overview-none">No two pages have the same text.</p>
      ) : (
        <div className="stack-tight">
          <p>
            {plural(pages, "page")} share {plural(groups, "text")}.
          </p>
          <BarList
            bars={largest.slice(0, SHOWN).map(({ contentHash, count, example }) => ({
              id: contentHash,
              label: (
                <ExplorerLink isPlain filter={crawlFilters.sameContent(contentHash)}>
                  {urlParts(example).path}
                </ExplorerLink>
              ),
              value: count,
              tone: "warn",
              title: example,
            }))}
          />
        </div>
      )}
    </Card>
  );
}
