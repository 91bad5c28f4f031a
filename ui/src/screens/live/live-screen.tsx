/** Live crawl: progress, speed, what each host is doing and why it waits, and what went wrong. */
import { useQuery } from "@tanstack/react-query";
import { BarList, ProgressBar, StackedBar } from "../../components/data/bars.tsx";
import { Loaded, Skeleton } from "../../components/feedback/states.tsx";
import { Card, Page } from "../../components/layout/page.tsx";
import type { CrawlInfo, CrawlProgress, LiveCrawl } from "../../lib/contract.ts";
import { crawlFilters } from "../../lib/crawl-filters.ts";
import { useCrawlId, usePlace } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { statusShares } from "../../lib/status.ts";
import { errorLabel, reasonLabel } from "../../lib/words.ts";
import { HostTable } from "./host-table.tsx";
import { timeLeft } from "./live-figures.ts";
import { SpeedChart } from "./speed-chart.tsx";
import { StateNote, SteerButtons } from "./steering.tsx";
import "./live-screen.css";
import { RelativeTime } from "../../components/data/labels.tsx";
import { ExplorerLink, InspectLink, OpenLink, UrlText } from "../../components/data/links.tsx";
import { Stat, StatRow } from "../../components/data/stat.tsx";
import { formatClock, formatDuration, formatNumber, formatRate, plural } from "../../lib/format.ts";
import { unicodeHost } from "../../lib/unicode-host.ts";

export function LiveScreen() {
  const crawlId = useCrawlId();
  const live = useQuery(queries.live(crawlId));
  const { crawl } = usePlace();
  const domain = unicodeHost(live.data?.progress.domain ?? crawl?.domain ?? "");
  return (
    <Page
      title={`Crawl of ${domain || "…"}`}
      tabTitle={`${live.data?.progress.state === "running" ? "▶ " : ""}${domain || "Live crawl"}`}
      subtitle={live.data && <CrawlSubtitle progress={live.data.progress} />}
      actions={live.data && <SteerButtons progress={live.data.progress} />}
    >
      <Loaded query={live} skeleton={<Skeleton lines={10} />}>
        {(data) => <LiveBody live={data} ending={crawl?.ending ?? null} />}
      </Loaded>
    </Page>
  );
}

function LiveBody({ live, ending }: { live: LiveCrawl; ending: CrawlInfo["ending"] }) {
  const { progress, series, statuses, reasons, traps, hosts, hostsTotal, lastErrors } = live;
  const isRunning = progress.state === "running";
  const hasHosts = isRunning || hosts.length > 0;
  const failures = <ErrorFeed errors={lastErrors} total={progress.broken} />;
  return (
    <>
      <StateNote progress={progress} ending={ending} />
      <LiveFigures progress={progress} />
      <div className="main-and-side">
        <div className="stack">
          {(isRunning || series.length > 1) && <SpeedChart series={series} />}
          <Card title="Statuses">
            {progress.crawled === 0 ? (
              <p className="muted">No answers yet.</p>
            ) : (
              <StackedBar label="Answers by status class" parts={statusShares(statuses, progress.errors)} />
            )}
          </Card>
          {hasHosts ? <HostTable hosts={hosts} total={hostsTotal} isOwn={progress.isOwn} /> : failures}
        </div>
        <div className="stack">
          <SkippedReasons reasons={reasons} notCrawled={progress.skipped + progress.recorded} />
          {traps.length > 0 && <StoppedTraps traps={traps} />}
          {hasHosts && failures}
        </div>
      </div>
    </>
  );
}

/** The line under the title: the start URL, when the crawl started, and for how long it has run. */
export function CrawlSubtitle({ progress: { url, startedAt, durationMs, state } }: { progress: CrawlProgress }) {
  return (
    <>
      <span className="row live-url">
        <span className="cut">{url}</span>
        <OpenLink url={url} />
      </span>
      <span>
        started <RelativeTime at={startedAt} />
      </span>
      <span>
        {state === "running"
          ? `running for ${formatDuration(Math.floor(durationMs / 1000) * 1000)}`
          : `ran for ${formatDuration(durationMs)}`}
      </span>
    </>
  );
}

/** The figures at the top of the live screen. */
export function LiveFigures({ progress }: { progress: CrawlProgress }) {
  const {
    crawled,
    open,
    discovered,
    skipped,
    recorded,
    pages,
    broken,
    errors,
    retries,
    inFlight,
    urlsPerSecond,
    durationMs,
    state,
    share,
  } = progress;
  const isRunning = state === "running";
  const left = isRunning ? timeLeft(open, urlsPerSecond) : null;
  const average = durationMs > 0 ? (crawled * 1_000) / durationMs : 0;
  return (
    <div className="stack-tight">
      <StatRow>
        <Stat label="Crawled" value={formatNumber(crawled)} note={plural(pages, "page")} />
        <Stat
          label="Queued"
          value={formatNumber(open)}
          note={left === null ? "" : `about ${formatDuration(Math.max(1_000, left))} left`}
          info="Found and allowed, but not fetched yet. The estimate covers only URLs found so far; new ones add to it."
        />
        {isRunning ? (
          <Stat label="Speed" value={formatRate(urlsPerSecond)} note="last 10 s" />
        ) : (
          <Stat label="Speed" value={formatRate(average)} note="on average" />
        )}
        <Stat label="In flight" value={formatNumber(inFlight)} note="requests now" />
        <Stat
          label="Broken"
          value={formatNumber(broken)}
          note={[
            errors > 0 && `${formatNumber(errors)} without an answer`,
            retries > 0 && plural(retries, "retry", "retries"),
          ]
            .filter(Boolean)
            .join(", ")}
          tone={broken > 0 ? "bad" : undefined}
          info="URLs that answered 4xx or 5xx, with a bot check instead of the page, or not at all."
        />
        <Stat
          label="Not crawled"
          value={formatNumber(skipped + recorded)}
          note={`of ${formatNumber(discovered)} found`}
          info="Found, but skipped or only recorded because of a rule. Each has its reason."
        />
      </StatRow>
      <ProgressBar value={share} max={1} label="Crawled, out of URLs to crawl" />
    </div>
  );
}

/** Endless parts of the site that the crawl no longer follows. */
function StoppedTraps({ traps }: { traps: LiveCrawl["traps"] }) {
  return (
    <Card
      title="Stopped traps"
      info="Endless parts of the site whose pages bring nothing new. Their URLs are not fetched."
    >
      <BarList
        bars={traps.slice(0, SHOWN).map(({ shape, refused, example }) => ({
          id: shape,
          label: shape,
          value: refused,
          tone: "quiet",
          title: `such as ${example}`,
        }))}
      />
    </Card>
  );
}

/** The rest is on the Decisions screen. */
const SHOWN = 10;

/** What was found but not crawled, by reason. */
export function SkippedReasons({ reasons, notCrawled }: { reasons: LiveCrawl["reasons"]; notCrawled: number }) {
  return (
    <Card title="Not crawled, by reason" info="URLs that Trawl found but did not crawl, each with its reason.">
      {reasons.length === 0 ? (
        <p className="muted">So far, every URL found is being crawled.</p>
      ) : (
        <BarList
          whole={notCrawled}
          bars={reasons.slice(0, SHOWN).map(({ value, count }) => ({
            id: value,
            label: (
              <ExplorerLink isPlain filter={crawlFilters.reason(value)}>
                {reasonLabel(value)}
              </ExplorerLink>
            ),
            value: count,
            tone: "quiet",
          }))}
        />
      )}
    </Card>
  );
}

/** The latest broken URLs, newest first. */
export function ErrorFeed({ errors, total }: { errors: LiveCrawl["lastErrors"]; total: number }) {
  return (
    <Card
      isFlush
      title="Broken"
      actions={
        total > errors.length && <span className="muted">{`latest ${errors.length} of ${formatNumber(total)}`}</span>
      }
    >
      {errors.length === 0 ? (
        <p className="muted feed-none">None.</p>
      ) : (
        <ol className="feed" aria-label="Latest broken URLs">
          {errors.map(({ url, error, at }) => (
            <li key={`${at} ${url}`} className="feed-row" data-row>
              <span className="row feed-url">
                <InspectLink url={url}>
                  <UrlText url={url} />
                </InspectLink>
                <OpenLink url={url} />
              </span>
              <span className="feed-error">{errorLabel(error)}</span>
              <span className="muted feed-time">{formatClock(at)}</span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
