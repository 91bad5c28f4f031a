/** The repos that failed, by class and server; a selection can be tried again. */
import { useQuery } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { Select } from "../../components/controls/input.tsx";
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { Badge, RelativeTime } from "../../components/data/labels.tsx";
import { EmptyState, Loaded, Note, ShowMore } from "../../components/feedback/states.tsx";
import { useToast } from "../../components/feedback/toast.tsx";
import { Card } from "../../components/layout/page.tsx";
import { plural } from "../../lib/format.ts";
import { failureLabel } from "./archive-view.ts";
import { type ArchiveStatus, atprotoQueries, type FailureRow, useRetryFailures } from "./atproto-queries.ts";
import { HostSearch } from "./host-search.tsx";
import { useView } from "./use-view.ts";

/** What the server gives at once. */
const MOST = 1_000;

export function FailuresTab({ id, status }: { id: number; status: ArchiveStatus }) {
  const [view, choose] = useView();
  const [limit, setLimit] = useState(100);
  const choice = { class: view.class, host: view.host };
  const failures = useQuery(atprotoQueries.failures(id, choice, limit));
  return (
    <div className="stack">
      <search className="row">
        <HostSearch text={view.host ?? ""} onSearch={(host) => choose({ host })} />
        <Select
          aria-label="Class"
          className="atproto-class"
          value={view.class ?? ""}
          onValue={(name) => choose({ class: name === "" ? undefined : name })}
          options={[
            { value: "", label: "Class: any" },
            ...status.failed.map(({ class: name }) => ({ value: name, label: failureLabel(name) })),
          ]}
        />
        <RetryButton id={id} choice={choice} isRunning={status.archive.isRunning === true} />
      </search>
      {status.archive.isRunning === true && (
        <Note>A crawl is running. Failures can be chosen to be tried again when it has ended.</Note>
      )}
      <Loaded query={failures}>
        {({ rows, total }) => (
          <Card isFlush title={plural(total, "failure")}>
            <DataTable
              caption="Repos that failed"
              columns={COLUMNS}
              rows={rows}
              rowKey={({ did, host }) => `${did} ${host}`}
              empty={<EmptyState title="No failures match" />}
            />
            <ShowMore
              shown={rows.length}
              total={total}
              of="failures"
              hasMore={rows.length < total && limit < MOST}
              isBusy={failures.isFetching}
              onMore={() => setLimit(MOST)}
            />
          </Card>
        )}
      </Loaded>
    </div>
  );
}

function RetryButton({
  id,
  choice,
  isRunning,
}: {
  id: number;
  choice: { class?: string | undefined; host?: string | undefined };
  isRunning: boolean;
}) {
  const retry = useRetryFailures(id);
  const { show, fail } = useToast();
  const send = () =>
    retry.mutate(choice, {
      onSuccess: ({ count }) =>
        show({ tone: "ok", title: `The next crawl tries ${plural(count, "failed repo")} again.` }),
      onError: fail,
    });
  return (
    <Button icon={RotateCcw} isBusy={retry.isPending} disabled={isRunning} onClick={send}>
      Try these again
    </Button>
  );
}

const COLUMNS: readonly Column<FailureRow>[] = [
  { id: "did", head: "Account", cell: ({ did }) => <code>{did}</code> },
  { id: "class", head: "Class", cell: ({ class: name }) => <Badge tone="warn">{failureLabel(name)}</Badge> },
  { id: "host", head: "Server", cell: ({ host }) => host ?? <span className="muted">None was asked</span> },
  {
    id: "reason",
    head: "Reason",
    isRest: true,
    cell: ({ detail }) => <span title={detail ?? undefined}>{detail}</span>,
  },
  { id: "failed", head: "Failed", cell: ({ failedAt }) => <RelativeTime at={failedAt} /> },
  {
    id: "again",
    head: "Asked again",
    cell: ({ retryAt }) => (retryAt === null ? "By the next crawl" : <RelativeTime at={retryAt} />),
  },
];
