/** The figures at the top of the overview, and what changed since the previous crawl. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ExplorerLink } from "../../components/data/links.tsx";
import { Stat, StatRow } from "../../components/data/stat.tsx";
import { Loaded, Skeleton } from "../../components/feedback/states.tsx";
import { Card } from "../../components/layout/page.tsx";
import type { Overview } from "../../lib/contract.ts";
import { formatBytes, formatNumber, formatShare } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import type { Tone } from "../../lib/status.ts";
import { countOf, EFFECTS } from "../compare/compare-search.ts";
import { EFFECT_WORDS } from "../compare/compare-words.ts";

type Numbers = Overview["numbers"];

/** The figures at the top of the overview. Each opens the URLs that it counts. */
export function OverviewFigures({ overview }: { overview: Overview }) {
  const { numbers, links, bytes } = overview;
  const { crawled, queued, pages } = numbers;
  const stat = (name: keyof Numbers, tone?: Tone) => {
    const { label, meaning, count, filter } = numbers[name];
    return (
      <Stat
        label={label}
        value={
          <ExplorerLink isPlain filter={filter}>
            {formatNumber(count)}
          </ExplorerLink>
        }
        note={
          name === "crawled" && queued.count > 0 ? `${formatNumber(queued.count)} still queued` : shareOf(numbers, name)
        }
        info={meaning}
        tone={tone}
      />
    );
  };
  return (
    <StatRow>
      {stat("crawled")}
      {stat("pages")}
      {stat("indexable")}
      {stat("broken", numbers.broken.count > 0 ? "bad" : undefined)}
      {stat("notCrawled")}
      <Stat
        label="Links"
        value={formatNumber(links)}
        note={`${formatNumber(Math.round(links / Math.max(1, pages.count)))} per page`}
      />
      <Stat
        label="Transferred"
        value={formatBytes(bytes)}
        note={`${formatBytes(bytes / Math.max(1, crawled.count))} average`}
      />
    </StatRow>
  );
}

/** `72% of pages`. */
function shareOf(numbers: Numbers, name: keyof Numbers): string {
  const { count, of } = numbers[name];
  if (of === null) return "";
  return `${formatShare(count, numbers[of].count)} of ${numbers[of].label.toLowerCase().replace("urls", "URLs")}`;
}

const KINDS = [
  { change: "added", label: "new", sign: "+" },
  { change: "gone", label: "gone", sign: "−" },
  { change: "not_crawled", label: "not crawled", sign: "·" },
  { change: "changed", label: "changed", sign: "~" },
] as const;

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
        {({ counts, effects }) => (
          <div className="change-figures">
            {EFFECTS.filter((effect) => effects[effect] > 0).map((effect) => (
              <Link
                key={effect}
                to="/crawls/$crawlId/compare"
                params={params}
                search={{ with: previousId, effect }}
                className={`change-figure plain-link tone-${EFFECT_WORDS[effect].tone}`}
              >
                <span className="change-sign" aria-hidden>
                  {EFFECT_WORDS[effect].sign}
                </span>
                <strong>{formatNumber(effects[effect])}</strong> {EFFECT_WORDS[effect].label.toLowerCase()}
              </Link>
            ))}
            {KINDS.filter(({ change }) => isFinished || change !== "not_crawled").map(({ change, label, sign }) => (
              <Link
                key={change}
                to="/crawls/$crawlId/compare"
                params={params}
                search={{ with: previousId, change }}
                className="change-figure plain-link tone-quiet"
              >
                <span className="change-sign" aria-hidden>
                  {sign}
                </span>
                <strong>{formatNumber(countOf(counts, change))}</strong> {label}
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
