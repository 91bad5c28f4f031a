/** One AT Protocol archive: how far its crawl is, its servers, what failed, and the records of a repo. */
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Loaded } from "../../components/feedback/states.tsx";
import { Page } from "../../components/layout/page.tsx";
import { type Tab, Tabs } from "../../components/layout/tabs.tsx";
import { formatNumber } from "../../lib/format.ts";
import type { ArchiveTab } from "./archive-view.ts";
import { type ArchiveStatus, atprotoQueries } from "./atproto-queries.ts";
import { ArchiveState } from "./atproto-screen.tsx";
import { FailuresTab } from "./failures-tab.tsx";
import { ProgressTab } from "./progress-tab.tsx";
import { ReposTab } from "./repos-tab.tsx";
import { ServersTab } from "./servers-tab.tsx";
import { FROM, useView } from "./use-view.ts";
import "./atproto.css";

export function ArchiveScreen() {
  const { archiveId } = useParams({ from: FROM });
  const id = Number(archiveId);
  const status = useQuery(atprotoQueries.status(id));
  const folder = status.data?.archive.folder;
  return (
    <Page
      title={folder?.split("/").findLast((part) => part !== "") ?? "AT Protocol archive"}
      tabTitle="AT Protocol archive"
      subtitle={
        <span className="atproto-subtitle">
          <Link to="/atproto">All archives</Link>
          <span className="cut" title={folder}>
            {folder}
          </span>
          {status.data !== undefined && <ArchiveState archive={status.data.archive} />}
        </span>
      }
    >
      <Loaded query={status}>{(data) => <ArchiveTabs id={id} status={data} at={status.dataUpdatedAt} />}</Loaded>
    </Page>
  );
}

function ArchiveTabs({ id, status, at }: { id: number; status: ArchiveStatus; at: number }) {
  const [view, choose] = useView();
  const failures = status.failed.reduce((sum, { count }) => sum + count, 0);
  const tabs: Tab<ArchiveTab>[] = [
    { id: "progress", label: "Progress", panel: () => <ProgressTab status={status} at={at} /> },
    {
      id: "servers",
      label: "Servers",
      ...(status.hosts !== null && { count: formatNumber(status.hosts.known) }),
      panel: () => <ServersTab id={id} />,
    },
    {
      id: "failures",
      label: "Failures",
      count: formatNumber(failures),
      panel: () => <FailuresTab id={id} status={status} />,
    },
    { id: "repos", label: "Repos", panel: () => <ReposTab id={id} /> },
  ];
  return (
    <Tabs
      label="Parts of the archive"
      tabs={tabs}
      chosen={view.tab ?? "progress"}
      onChoose={(tab) => choose({ tab })}
    />
  );
}
