/** What changed since the crawl before, and the way to every change. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Card } from "../../components/card.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import type { Comparison } from "../../lib/contract.ts";
import { formatNumber } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import type { Tone } from "../../lib/status.ts";

const KINDS = [
  { change: "added", label: "new", sign: "+", tone: "ok" },
  { change: "removed", label: "gone", sign: "−", tone: "bad" },
  { change: "changed", label: "changed", sign: "~", tone: "redirect" },
] as const satisfies { change: string; label: string; sign: string; tone: Tone }[];

export function ChangesCard({ previousId, isFinished }: { previousId: number; isFinished: boolean }) {
  const crawlId = useCrawlId();
  const comparison = useQuery(queries.compare(crawlId, previousId, { limit: 1 }));
  const params = { crawlId: String(crawlId) };
  return (
    <Card
      title={`Since crawl #${previousId}`}
      info="URLs that were fetched in either crawl, compared by what they answered and what their pages say."
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
              <strong>{formatNumber(counts.unchanged)}</strong> <span className="muted">{unchangedWords(counts)}</span>
            </span>
            {!isFinished && <span className="muted">What is gone can only be told of a crawl that completed.</span>}
          </div>
        )}
      </Loaded>
    </Card>
  );
}

const unchangedWords = ({ added, removed, changed }: Comparison["counts"]): string =>
  added + removed + changed === 0 ? "as they were: nothing changed" : "as they were";
