/** One archive: what it is doing, its pages, what failed, a search in its text, and its verification. */
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { EmptyState, Loaded, Note } from "../../components/feedback/states.tsx";
import { Page } from "../../components/layout/page.tsx";
import { type Tab, Tabs } from "../../components/layout/tabs.tsx";
import { type Archive, archiveQueries, useRefreshArchive } from "./archive-queries.ts";
import type { ArchiveTab } from "./archive-view.ts";
import { ArchiveState } from "./archives-screen.tsx";
import { FailuresTab } from "./failures-tab.tsx";
import { PagesTab } from "./pages-tab.tsx";
import { RunActions } from "./run-actions.tsx";
import { SearchTab } from "./search-tab.tsx";
import { StatusTab } from "./status-tab.tsx";
import { StoredPageDrawer } from "./stored-page.tsx";
import { FROM, useView } from "./use-view.ts";
import { VerifyTab } from "./verify-tab.tsx";
import "./archives.css";

export function OneArchiveScreen() {
  const { archiveId } = useParams({ from: FROM });
  const archives = useQuery(archiveQueries.list());
  const archive = archives.data?.find(({ id }) => String(id) === archiveId);
  const folder = archive?.folder;
  return (
    <Page
      title={folder?.split("/").findLast((part) => part !== "") ?? "Archive"}
      tabTitle="Archive"
      subtitle={
        <span className="archive-subtitle">
          <Link to="/archives">All archives</Link>
          <span className="cut" title={folder}>
            {folder}
          </span>
          {archive !== undefined && <ArchiveState archive={archive} />}
        </span>
      }
      actions={archive !== undefined && archive.problem === null && <RunActions archive={archive} />}
    >
      <Loaded query={archives}>
        {() =>
          archive === undefined ? (
            <EmptyState title="This archive is not on the list">
              Using it on the command line of this machine lists it again.
            </EmptyState>
          ) : archive.problem !== null ? (
            <Note tone="bad">{archive.problem}</Note>
          ) : (
            <ArchiveTabs archive={archive} />
          )
        }
      </Loaded>
    </Page>
  );
}

function ArchiveTabs({ archive }: { archive: Archive }) {
  const [view, choose] = useView();
  useRefreshAtEnd(archive);
  const tabs: Tab<ArchiveTab>[] = [
    { id: "status", label: "Status", panel: () => <StatusTab archive={archive} /> },
    { id: "pages", label: "Pages", panel: () => <PagesTab archive={archive} /> },
    { id: "failures", label: "Failures", panel: () => <FailuresTab archive={archive} /> },
    { id: "search", label: "Search", panel: () => <SearchTab id={archive.id} /> },
    { id: "verify", label: "Verify", panel: () => <VerifyTab archive={archive} /> },
  ];
  return (
    <>
      <Tabs
        label="Parts of the archive"
        tabs={tabs}
        chosen={view.tab ?? "status"}
        onChoose={(tab) => choose({ tab, page: undefined, sha: undefined })}
      />
      {view.page !== undefined && <StoredPageDrawer key={view.page} id={archive.id} page={view.page} sha={view.sha} />}
    </>
  );
}

/** When a run has begun or ended, lists and counts are read again. */
function useRefreshAtEnd({ id, isRunning }: Archive): void {
  const refresh = useRefreshArchive(id);
  const before = useRef(isRunning);
  useEffect(() => {
    if (before.current === isRunning) return;
    before.current = isRunning;
    refresh();
  });
}
