/** Overview: a crawl at a glance. Every figure links to the URLs it counts. */
import { useQuery } from "@tanstack/react-query";
import { EmptyState, Loaded, Note, Skeleton } from "../../components/feedback/states.tsx";
import { Page } from "../../components/layout/page.tsx";
import type { CrawlInfo, Overview } from "../../lib/contract.ts";
import { useCrawlId, usePlace } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import {
  BrokenCard,
  ContentTypesCard,
  HostsCard,
  ResponseTimesCard,
  SlowestCard,
  StatusCard,
} from "./answer-cards.tsx";
import { IssuesCard } from "./issues-card.tsx";
import { ChangesCard, OverviewFigures } from "./overview-figures.tsx";
import { DepthCard, DuplicatesCard, IndexabilityCard, TrapsCard } from "./page-cards.tsx";
import "./overview-screen.css";
import { Link } from "@tanstack/react-router";
import { Prose, RelativeTime } from "../../components/data/labels.tsx";
import { RaiseLimit } from "../../components/data/raise-limit.tsx";
import { formatDuration } from "../../lib/format.ts";
import { crawlStateWords, isFinished, isResumable } from "../../lib/status.ts";
import { unicodeHost } from "../../lib/unicode-host.ts";

export function OverviewScreen() {
  const overview = useQuery(queries.overview(useCrawlId()));
  const { crawl } = usePlace();
  const domain = unicodeHost(crawl?.domain ?? "");
  return (
    <Page
      title={domain === "" ? "Overview" : `Overview of ${domain}`}
      tabTitle={domain === "" ? "Overview" : `Overview · ${domain}`}
      subtitle={crawl && <OverviewSubtitle crawl={crawl} />}
    >
      <Loaded query={overview} skeleton={<Skeleton lines={12} />}>
        {(data) => <OverviewBody overview={data} />}
      </Loaded>
    </Page>
  );
}

function OverviewBody({ overview }: { overview: Overview }) {
  const { crawlInfo, previousId } = overview;
  if (overview.crawled === 0) {
    return (
      <>
        <UnfinishedNote crawl={crawlInfo} />
        <EmptyState title="Nothing has been crawled yet">
          {crawlInfo.state === "running"
            ? "Figures appear here as answers arrive."
            : "This crawl ended before any URL answered. Decisions shows what was found and why it was not crawled."}
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <UnfinishedNote crawl={crawlInfo} />
      <OverviewFigures overview={overview} />
      <IssuesCard />
      {previousId !== null && <ChangesCard previousId={previousId} isFinished={isFinished(crawlInfo.state)} />}
      <div className="overview-grid">
        <StatusCard overview={overview} />
        <DepthCard depths={overview.depths} />
        <IndexabilityCard overview={overview} />
        <ContentTypesCard types={overview.contentTypes} />
        <ResponseTimesCard times={overview.responseTimes} />
        <BrokenCard overview={overview} />
        <SlowestCard pages={overview.slowest} />
        <DuplicatesCard duplicates={overview.duplicates} />
        <TrapsCard traps={overview.traps} />
        <HostsCard hosts={overview.hosts} />
      </div>
    </>
  );
}

/** The line under the title: the start URL, when the crawl started, and how long it took. */
export function OverviewSubtitle({
  crawl: { state, url, startedAt, durationMs, baselineId, mode },
}: {
  crawl: CrawlInfo;
}) {
  return (
    <>
      <span className="cut">{url}</span>
      <span>
        started <RelativeTime at={startedAt} />
      </span>
      <span>
        {state === "running"
          ? `running for ${formatDuration(Math.floor(durationMs / 1000) * 1000)}`
          : `took ${formatDuration(durationMs)}`}
      </span>
      {mode === "list" && <span>a list of URLs</span>}
      {baselineId !== null && <span>only changes since #{baselineId} were fetched</span>}
    </>
  );
}

/** Says that the figures are not final while a crawl is running or paused. */
export function UnfinishedNote({ crawl: { id, state, message, ending } }: { crawl: CrawlInfo }) {
  if (state === "limit_reached" && ending) {
    return (
      <Note tone="warn">
        {ending.message} <RaiseLimit crawlId={id} cause={ending.cause} />
      </Note>
    );
  }
  if (isFinished(state)) {
    return message === null ? null : (
      <Note tone="warn">
        <Prose text={message} />
      </Note>
    );
  }
  const live = (
    <Link to="/crawls/$crawlId/live" params={{ crawlId: String(id) }}>
      {isResumable(state) ? "Resume it on the live screen" : "Watch it live"}
    </Link>
  );
  if (state === "failed" || state === "blocked") {
    return (
      <Note tone="bad">
        <Prose text={`${crawlStateWords(state).label}. ${message ?? ""}`} />
      </Note>
    );
  }
  return (
    <Note tone={isResumable(state) ? "warn" : "accent"}>
      {isResumable(state)
        ? `${message ?? "This crawl is paused."} The figures cover what was crawled so far. `
        : "This crawl is running. The figures update every few seconds. "}
      {live}
    </Note>
  );
}
