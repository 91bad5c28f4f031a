/** The figures at the top of the overview. */
import { ExplorerLink } from "../../components/crawl-links.tsx";
import { Stat, StatRow } from "../../components/stat.tsx";
import type { Overview } from "../../lib/contract.ts";
import { crawlFilters } from "../../lib/crawl-filters.ts";
import { formatBytes, formatCompact, formatNumber, formatShare } from "../../lib/format.ts";
import { countOf, hasBadStatus } from "./overview-counts.ts";

export function OverviewFigures({ overview }: { overview: Overview }) {
  const { discovered, crawled, open, pages, recorded, skipped, brokenTotal, links, bytes, indexable, statuses } =
    overview;
  const isIndexable = countOf(indexable, "Yes");
  const figure = (value: number, filter: readonly string[]) => (
    <ExplorerLink isPlain filter={filter} title={`${formatNumber(value)}: show them`}>
      {formatCompact(value)}
    </ExplorerLink>
  );
  return (
    <StatRow>
      <Stat
        label="Crawled"
        value={figure(crawled, crawlFilters.crawled)}
        note={open > 0 ? `${formatNumber(open)} still open` : `of ${formatCompact(discovered)} found`}
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
        info="Pages that a search engine may list: they answer, are no copies by their own word, and nothing forbids it."
      />
      <Stat
        label="Broken"
        value={figure(brokenTotal, hasBadStatus(statuses) ? crawlFilters.badStatus : crawlFilters.noAnswer)}
        note={`${formatShare(brokenTotal, crawled)} of crawled`}
        tone={brokenTotal > 0 ? "bad" : undefined}
        info="Answered with 4xx or 5xx, or not at all. A sitemap that was only guessed at is not counted."
      />
      <Stat
        label="Not crawled"
        value={figure(skipped + recorded, crawlFilters.notCrawled)}
        note={`${formatShare(skipped + recorded, discovered)} of found`}
        info="Found, and left out by a rule. Decisions tell which."
      />
      <Stat
        label="Links"
        value={formatCompact(links)}
        note={`${formatCompact(Math.round(links / Math.max(1, pages)))} a page`}
      />
      <Stat
        label="Transferred"
        value={formatBytes(bytes)}
        note={`${formatBytes(bytes / Math.max(1, crawled))} an answer`}
      />
    </StatRow>
  );
}
