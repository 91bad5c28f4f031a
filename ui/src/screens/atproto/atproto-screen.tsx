/** The AT Protocol archives of this machine. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { AtSign } from "lucide-react";
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { Badge } from "../../components/data/labels.tsx";
import { EmptyState, Loaded } from "../../components/feedback/states.tsx";
import { Card, Page } from "../../components/layout/page.tsx";
import { atprotoQueries, type RepoArchive } from "./atproto-queries.ts";
import "./atproto.css";

export function AtprotoScreen() {
  const archives = useQuery(atprotoQueries.list());
  return (
    <Page title="AT Protocol" subtitle={<span>Archives of repos that were crawled or followed on this machine.</span>}>
      <Loaded query={archives}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={AtSign} title="No archives yet">
              Crawl a server on the command line, and its archive is listed here:{" "}
              <code>trawl atproto crawl --source pds:https://…</code>
            </EmptyState>
          ) : (
            <Card isFlush>
              <DataTable caption="AT Protocol archives" columns={COLUMNS} rows={rows} rowKey={({ id }) => id} />
            </Card>
          )
        }
      </Loaded>
    </Page>
  );
}

const COLUMNS: readonly Column<RepoArchive>[] = [
  {
    id: "folder",
    head: "Folder",
    isRest: true,
    cell: ({ id, folder }) => (
      <Link to="/atproto/$archiveId" params={{ archiveId: String(id) }} title={folder}>
        {folder}
      </Link>
    ),
    sortBy: ({ folder }) => folder,
  },
  { id: "state", head: "State", cell: (archive) => <ArchiveState archive={archive} /> },
  { id: "kept", head: "State kept in", cell: ({ stateIn }) => (stateIn === "redis" ? "Redis" : "A file") },
];

/** What is being done with an archive. */
export function ArchiveState({ archive }: { archive: RepoArchive }) {
  const { isRunning, isFollowing, problem } = archive;
  return (
    <span className="atproto-badges">
      {problem !== null && (
        <Badge tone="bad" title={problem}>
          Folder missing
        </Badge>
      )}
      {isRunning === true && <Badge tone="accent">Crawling</Badge>}
      {isFollowing && <Badge tone="accent">Following</Badge>}
      {isRunning !== true && !isFollowing && problem === null && <Badge>{isRunning === null ? "Known" : "Idle"}</Badge>}
    </span>
  );
}
