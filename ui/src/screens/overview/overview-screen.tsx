/** Overview: a crawl at a glance. Every figure leads to the URLs that it counts. */
import { useQuery } from "@tanstack/react-query";
import { Page } from "../../components/page.tsx";
import { EmptyState, Loaded, Skeleton } from "../../components/states.tsx";
import type { Overview } from "../../lib/contract.ts";
import { useCrawlId, usePlace } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { BrokenCard } from "./broken-card.tsx";
import { ChangesCard } from "./changes-card.tsx";
import { ContentTypesCard } from "./content-types-card.tsx";
import { DepthCard } from "./depth-card.tsx";
import { DuplicatesCard } from "./duplicates-card.tsx";
import { HostsCard } from "./hosts-card.tsx";
import { IndexabilityCard } from "./indexability-card.tsx";
import { OverviewFigures } from "./overview-figures.tsx";
import { OverviewSubtitle } from "./overview-subtitle.tsx";
import { ResponseTimesCard } from "./response-times-card.tsx";
import { SlowestCard } from "./slowest-card.tsx";
import { StatusCard } from "./status-card.tsx";
import { TrapsCard } from "./traps-card.tsx";
import { UnfinishedNote } from "./unfinished-note.tsx";
import "./overview-screen.css";

export function OverviewScreen() {
  const overview = useQuery(queries.overview(useCrawlId()));
  const { crawl } = usePlace();
  const domain = crawl?.domain ?? "";
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
            ? "The first answers are on their way. Figures appear here as they come."
            : "This crawl ended before a URL answered. Decisions tell what was found and why it was left out."}
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <UnfinishedNote crawl={crawlInfo} />
      <OverviewFigures overview={overview} />
      {previousId !== null && <ChangesCard previousId={previousId} isFinished={crawlInfo.state === "completed"} />}
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
