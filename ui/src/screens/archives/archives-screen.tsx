/** The archives of this machine. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Archive as ArchiveIcon, X } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../../components/controls/button.tsx";
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { Badge } from "../../components/data/labels.tsx";
import { Confirm } from "../../components/feedback/dialog.tsx";
import { EmptyState, Loaded } from "../../components/feedback/states.tsx";
import { Card, Page } from "../../components/layout/page.tsx";
import { formatNumber, NOTHING } from "../../lib/format.ts";
import { type Archive, archiveQueries, useForgetArchive } from "./archive-queries.ts";
import { archiveState } from "./archive-view.ts";
import "./archives.css";

export function ArchivesScreen() {
  const archives = useQuery(archiveQueries.list());
  const [forgotten, setForgotten] = useState<Archive | null>(null);
  return (
    <Page title="Archives" subtitle={<span>Workspaces of trawl archive that were used on this machine.</span>}>
      <Loaded query={archives}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={ArchiveIcon} title="No archives yet">
              Set one up on the command line, and it is listed here:{" "}
              <code>trawl archive configure FOLDER --user-agent "you/1.0 (+https://…)"</code>
            </EmptyState>
          ) : (
            <Card isFlush>
              <DataTable caption="Archives" columns={columns(setForgotten)} rows={rows} rowKey={({ id }) => id} />
            </Card>
          )
        }
      </Loaded>
      {forgotten !== null && <Forget archive={forgotten} onClose={() => setForgotten(null)} />}
    </Page>
  );
}

const columns = (onForget: (archive: Archive) => void): readonly Column<Archive>[] => [
  {
    id: "folder",
    head: "Folder",
    isRest: true,
    cell: ({ id, folder }) => (
      <Link to="/archives/$archiveId" params={{ archiveId: String(id) }} title={folder}>
        {folder}
      </Link>
    ),
    sortBy: ({ folder }) => folder,
  },
  { id: "state", head: "State", cell: (archive) => <ArchiveState archive={archive} /> },
  { id: "profile", head: "Profile", cell: ({ profile }) => profile ?? NOTHING, sortBy: ({ profile }) => profile },
  { id: "hosts", head: "Hosts", cell: ({ hosts }) => hosts.join(", ") || NOTHING },
  {
    id: "fetched",
    head: "Fetched",
    isNumber: true,
    info: "By the current or last run that was started here.",
    cell: ({ run }) => (run === null ? NOTHING : formatNumber(run.fetched)),
    sortBy: ({ run }) => run?.fetched ?? null,
  },
  {
    id: "waiting",
    head: "Waiting",
    isNumber: true,
    cell: ({ run }) => (run === null ? NOTHING : formatNumber(run.open)),
    sortBy: ({ run }) => run?.open ?? null,
  },
  {
    id: "forget",
    head: "Remove from the list",
    isHeadHidden: true,
    cell: (archive) => (
      <IconButton label={`Remove ${archive.folder} from the list`} icon={X} onClick={() => onForget(archive)} />
    ),
  },
];

/** What is being done with an archive. */
export function ArchiveState({ archive }: { archive: Archive }) {
  const { label, tone } = archiveState(archive);
  return (
    <Badge tone={tone} title={archive.problem ?? archive.run?.outcome?.message ?? undefined}>
      {label}
    </Badge>
  );
}

function Forget({ archive: { id, folder }, onClose }: { archive: Archive; onClose: () => void }) {
  const forget = useForgetArchive(id);
  return (
    <Confirm
      title="Remove this archive from the list?"
      action="Remove from the list"
      isDanger={false}
      onConfirm={() => forget.mutateAsync()}
      onClose={onClose}
    >
      <p>
        The files in <code>{folder}</code> stay as they are. Using the archive on the command line lists it again.
      </p>
    </Confirm>
  );
}
