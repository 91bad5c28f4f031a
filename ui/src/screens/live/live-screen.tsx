/** Live crawl: how far it is, how fast, what each host is doing and why it waits, and what went wrong. */
import { useQuery } from "@tanstack/react-query";
import { Card } from "../../components/card.tsx";
import { Page } from "../../components/page.tsx";
import { StackedBar } from "../../components/stacked-bar.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import type { LiveCrawl } from "../../lib/contract.ts";
import { badAnswers, statusShares } from "../../lib/live-figures.ts";
import { useCrawlId, usePlace } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { CrawlSubtitle } from "./crawl-subtitle.tsx";
import { ErrorFeed } from "./error-feed.tsx";
import { HostTable } from "./host-table.tsx";
import { LiveFigures } from "./live-figures.tsx";
import { SkippedReasons } from "./skipped-reasons.tsx";
import { SpeedChart } from "./speed-chart.tsx";
import { StateNote } from "./state-note.tsx";
import { SteerButtons } from "./steer-buttons.tsx";
import "./live-screen.css";

export function LiveScreen() {
  const crawlId = useCrawlId();
  const live = useQuery(queries.live(crawlId));
  const { crawl } = usePlace();
  const domain = live.data?.progress.domain ?? crawl?.domain ?? "";
  return (
    <Page
      title={`Crawl of ${domain || "…"}`}
      tabTitle={`${live.data?.progress.state === "running" ? "▶ " : ""}${domain || "Live crawl"}`}
      subtitle={live.data && <CrawlSubtitle progress={live.data.progress} />}
      actions={live.data && <SteerButtons progress={live.data.progress} />}
    >
      <Loaded query={live} skeleton={<Skeleton lines={10} />}>
        {(data) => <LiveBody live={data} message={crawl?.message ?? null} />}
      </Loaded>
    </Page>
  );
}

function LiveBody({ live, message }: { live: LiveCrawl; message: string | null }) {
  const { progress, series, statuses, reasons, hosts, hostsTotal, errors } = live;
  const isRunning = progress.state === "running";
  return (
    <>
      <StateNote progress={progress} message={message} />
      <LiveFigures progress={progress} />
      <div className="main-and-side">
        <div className="stack">
          {(isRunning || series.length > 1) && <SpeedChart series={series} />}
          <Card title="Statuses">
            {progress.pagesCrawled === 0 ? (
              <p className="muted">Nothing has answered yet.</p>
            ) : (
              <StackedBar label="Answers by class of status" parts={statusShares(statuses, progress.errors)} />
            )}
          </Card>
          {(isRunning || hosts.length > 0) && <HostTable hosts={hosts} total={hostsTotal} isOwn={progress.isOwn} />}
        </div>
        <div className="stack">
          <SkippedReasons reasons={reasons} discovered={progress.totalDiscovered} />
          <ErrorFeed errors={errors} total={progress.errors + badAnswers(statuses)} />
        </div>
      </div>
    </>
  );
}
