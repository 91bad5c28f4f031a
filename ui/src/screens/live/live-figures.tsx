/** The figures at the top of the live screen. */
import { ProgressBar } from "../../components/progress-bar.tsx";
import { Stat, StatRow } from "../../components/stat.tsx";
import type { CrawlProgress } from "../../lib/contract.ts";
import { formatDuration, formatNumber, formatRate, formatShare } from "../../lib/format.ts";
import { timeLeft } from "../../lib/live-figures.ts";

export function LiveFigures({ progress }: { progress: CrawlProgress }) {
  const { pagesCrawled, open, totalDiscovered, skipped, recorded, errors, retries, inFlight, pagesPerSecond, state } =
    progress;
  const left = state === "running" ? timeLeft(open, pagesPerSecond) : null;
  const known = pagesCrawled + open;
  return (
    <div className="stack-tight">
      <StatRow>
        <Stat
          label="Crawled"
          value={formatNumber(pagesCrawled)}
          note={`${formatShare(pagesCrawled, known)} of what is known`}
        />
        <Stat
          label="Queued"
          value={formatNumber(open)}
          note={left === null ? "" : `about ${formatDuration(Math.max(1_000, left))}`}
          info="Found and allowed, not fetched yet. The time counts only what is known by now; new pages add to it."
        />
        <Stat label="Speed" value={formatRate(pagesPerSecond)} note="last 10 s" />
        <Stat label="In flight" value={formatNumber(inFlight)} note="requests now" />
        <Stat
          label="Errors"
          value={formatNumber(errors)}
          note={retries > 0 ? `${formatNumber(retries)} tried again` : ""}
          tone={errors > 0 ? "bad" : undefined}
          info="URLs that gave no answer in the end. Pages that answered with 404 or 500 are not among them."
        />
        <Stat
          label="Not crawled"
          value={formatNumber(skipped + recorded)}
          note={`of ${formatNumber(totalDiscovered)} found`}
          info="Found, and skipped or only noted because a rule says so. Each has its reason."
        />
      </StatRow>
      <ProgressBar value={pagesCrawled} max={known} label="Crawled of what is known" />
    </div>
  );
}
