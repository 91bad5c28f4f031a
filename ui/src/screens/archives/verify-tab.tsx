/** The verification of an archive: every line, stored page and WARC record, and what is wrong. */
import { useQuery } from "@tanstack/react-query";
import { ShieldCheck } from "lucide-react";
import { Button } from "../../components/controls/button.tsx";
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { Badge } from "../../components/data/labels.tsx";
import { Stat, StatRow } from "../../components/data/stat.tsx";
import { EmptyState, ErrorState, Note, Skeleton } from "../../components/feedback/states.tsx";
import { Card } from "../../components/layout/page.tsx";
import { formatBytes, formatDateTime, formatNumber, plural } from "../../lib/format.ts";
import { type Archive, archiveQueries, type Verification } from "./archive-queries.ts";
import { problemLabel } from "./archive-view.ts";

export function VerifyTab({ archive: { id, folder, isRunning } }: { archive: Archive }) {
  const check = useQuery(archiveQueries.verify(id));
  const button = (
    <Button icon={ShieldCheck} look="primary" isBusy={check.isFetching} onClick={() => void check.refetch()}>
      {check.data === undefined ? "Verify" : "Verify again"}
    </Button>
  );
  if (check.isFetching && check.data === undefined) return <Skeleton lines={6} />;
  if (check.error !== null) return <ErrorState error={check.error} onRetry={() => void check.refetch()} />;
  if (check.data === undefined) {
    return (
      <EmptyState icon={ShieldCheck} title="Check every line, page and WARC record" action={button}>
        Every byte of the archive is read, and nothing is changed. A large archive takes long.
        {isRunning && " During a run, what is being written may be counted as left by a crash."}
      </EmptyState>
    );
  }
  return (
    <div className="stack">
      <div className="row">
        {button}
        <span className="muted">{formatDateTime(check.dataUpdatedAt)}</span>
      </div>
      <Result verification={check.data} folder={folder} />
    </div>
  );
}

function Result({ verification, folder }: { verification: Verification; folder: string }) {
  const { isIntact, lines, pages, bytes, warcFiles, pagesNotInWarcs, counts, problems } = verification;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return (
    <>
      {isIntact ? (
        <Note tone="ok">
          The archive is intact.{total > 0 && " What is listed below a crash has left; it does no harm."}
        </Note>
      ) : (
        <Note tone="bad">
          The archive is damaged. This repairs what can be repaired, and keeps the damaged files:{" "}
          <code>trawl archive verify --repair --workspace {folder}</code>
        </Note>
      )}
      <StatRow>
        <Stat label="Lines" value={formatNumber(lines)} info="Lines of metadata: one per fetch." />
        <Stat label="Intact pages" value={formatNumber(pages)} note={formatBytes(bytes)} />
        <Stat
          label="WARC files"
          value={formatNumber(warcFiles)}
          note={pagesNotInWarcs ? `${plural(pagesNotInWarcs, "stored page")} in none of them` : undefined}
        />
        <Stat label="Problems" value={formatNumber(total)} />
      </StatRow>
      {total > 0 && (
        <Card
          isFlush
          title={problems.length < total ? `The first ${problems.length} of ${formatNumber(total)}` : "What was found"}
        >
          <DataTable
            caption="Problems of the archive"
            columns={COLUMNS}
            rows={problems.map((problem, at) => ({ ...problem, at }))}
            rowKey={({ at }) => at}
          />
        </Card>
      )}
    </>
  );
}

type ProblemRow = Verification["problems"][number] & { at: number };

const COLUMNS: readonly Column<ProblemRow>[] = [
  {
    id: "kind",
    head: "Problem",
    cell: ({ kind, isHarmless }) => (
      <Badge tone={isHarmless ? "quiet" : "bad"}>
        {problemLabel(kind)}
        {isHarmless && " (harmless)"}
      </Badge>
    ),
  },
  { id: "where", head: "Where", cell: ({ where }) => <code>{where}</code> },
  { id: "what", head: "What", isRest: true, cell: ({ what }) => <span title={what}>{what}</span> },
];
