/** How many URLs each of the last crawls fetched. */
import { Link } from "@tanstack/react-router";
import { Card } from "../../components/card.tsx";
import { Histogram } from "../../components/histogram.tsx";
import type { CrawlInfo } from "../../lib/contract.ts";
import { formatDateTime, plural } from "../../lib/format.ts";

/** What a phone has room for. */
const SHOWN = 14;

export function PagesPerCrawl({ crawls }: { crawls: readonly CrawlInfo[] }) {
  const shown = crawls.slice(0, SHOWN).toReversed();
  return (
    <Card title="URLs per crawl" info="Crawls that did not finish are grey.">
      <Histogram
        label="URLs crawled, by crawl, oldest first"
        height={140}
        bins={shown.map(({ id, pagesCrawled, crawlDateTime, state }) => ({
          label: `#${id}`,
          value: pagesCrawled,
          tone: state === "completed" ? "accent" : "quiet",
          title: `#${id}, ${formatDateTime(crawlDateTime)}: ${plural(pagesCrawled, "URL")}${state === "completed" ? "" : `, ${state}`}`,
          name: (
            <Link to="/crawls/$crawlId/overview" params={{ crawlId: String(id) }} className="plain-link">
              #{id}
            </Link>
          ),
        }))}
      />
    </Card>
  );
}
