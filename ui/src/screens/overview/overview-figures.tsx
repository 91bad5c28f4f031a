/** The figures at the top of the overview, and what changed since the previous crawl. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ExplorerLink } from "../../components/data/links.tsx";
import { Stat, StatRow } from "../../components/data/stat.tsx";
import { Loaded, Skeleton } from "../../components/feedback/states.tsx";
import { Card } from "../../components/layout/page.tsx";
import type { Overview } from "../../lib/contract.ts";
import { crawlFilters } from "../../lib/crawl-filters.ts";
import { formatBytes, formatCompact, formatNumber, formatShare } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import type { Tone } from "../../lib/status.ts";
import { countOf, hasBadStatus } from "./overview-counts.ts";

/** The figures at the top of the overview. */
export function OverviewFigures({ overview }: { overview: Overview }) {
  const { discovered, crawled, open, pages, recorded, skipped, brokenTotal, links, bytes, indexable, statuses } =
    overview;
  const isIndexable = countOf(indexable, "Yes");
  const figure = (value: number, filter: readonly string[]) => (
    <ExplorerLink isPlain filter={filter} title={`Show all ${formatNumber(value)}`}>
      {formatCompact(value)}
    </ExplorerLink>
  );
  return (
    <StatRow>
      <Stat
        label="Crawled"
        value={figure(crawled, crawlFilters.crawled)}
        note={open > 0 ? `${formatNumber(open)} still queued` : `of ${formatCompact(discovered)} found`}
      />
      <Stat
        label="HTML pages"
        value={figure(pages, crawlFilters.htmlPages)}
        note={`${formatShare(pages, crawled)} of crawled`}
      />
      <Stat
        label="Indexable"
        value={figure(isIndexable, crawlFilters.indexable("Yes"))}
        note={`${formatShare(isIndexable, pages)} of pages`}
        info="Pages that search engines may index: they answer, name no other page as canonical, and nothing disallows it."
      />
      <Stat
        label="Broken"
        value={figure(brokenTotal, hasBadStatus(statuses) ? crawlFilters.badStatus : crawlFilters.noAnswer)}
        note={`${formatShare(brokenTotal, crawled)} of crawled`}
        tone={brokenTotal > 0 ? "bad" : undefined}
        info="Answered with 4xx or 5xx, or not at all. A sitemap that Trawl only guessed is not counted."
      />
      <Stat
        label="Not crawled"
        value={figure(skipped + recorded, crawlFilters.notCrawled)}
        note={`${formatShare(skipped + recorded, discovered)} of found`}
        info="URLs Trawl found but didn't crawl. Decisions shows why."
      />
      <Stat
        label="Links"
        value={formatCompact(links)}
        note={`${formatCompact(Math.round(links / Math.max(1, pages)))} per page`}
      />
      <Stat
        label="Transferred"
        value={formatBytes(bytes)}
        note={`${formatBytes(bytes / Math.max(1, crawled))} average`}
      />
    </StatRow>
  );
}

const KINDS = [
  { change: "added", label: "new", sign: "+", tone: "ok" },
  { change: "removed", label: "gone", sign: "−", tone: "bad" },
  { change: "changed", label: "changed", sign: "~", tone: "redirect" },
] as const satisfies { change: string; label: string; sign: string; tone: Tone }[];

/** What changed since the previous crawl, with links to the changes. */
export function ChangesCard({ previousId, isFinished }: { previousId: number; isFinished: boolean }) {
  const crawlId = useCrawlId();
  const comparison = useQuery(queries.compare(crawlId, previousId, { limit: 1 }));
  const params = { crawlId: String(crawlId) };
  return (
    <Card
      title={`Since crawl #${previousId}`}
      info="URLs fetched in either crawl, compared by their answers and the content of their pages."
      actions={
        <Link to="/crawls/$crawlId/compare" params={params} search={{ with: previousId }}>
          Compare
        </Link>
      }
    >
      <Loaded query={comparison} skeleton={<Skeleton lines={1} />}>
        {({ counts }) => (
          <div className="change-figures">
            {KINDS.filter(({ change }) => isFinished || change !== "removed").map(({ change, label, sign, tone }) => (
              <Link
                key={change}
                to="/crawls/$crawlId/compare"
                params={params}
                search={{ with: previousId, change }}
                className={`change-figure plain-link tone-${tone}`}
              >
                <span className="change-sign" aria-hidden>
                  {sign}
                </span>
                <strong>{formatNumber(counts[change])}</strong> {label}
              </Link>
            ))}
            <span className="change-figure tone-quiet">
              <strong>{formatNumber(counts.unchanged)}</strong> <span className="muted">unchanged</span>
            </span>
            {!isFinished && <span className="muted">What is gone is known only once the crawl has completed.</span>}
          </div>
        )}
      </Loaded>
    </Card>
  );
}
