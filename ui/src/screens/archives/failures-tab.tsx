/** The URLs that could not be fetched; a selection can be requested again. */
import { useQuery } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { RelativeTime, StatusBadge } from "../../components/data/labels.tsx";
import { OpenLink, OwnOriginProvider, UrlText } from "../../components/data/links.tsx";
import { EmptyState, Loaded, ShowMore } from "../../components/feedback/states.tsx";
import { useToast } from "../../components/feedback/toast.tsx";
import { Card } from "../../components/layout/page.tsx";
import { formatNumber, plural } from "../../lib/format.ts";
import { statusText } from "../../lib/status.ts";
import { type Archive, archiveQueries, type FailureRow, FEW, MOST, useStartArchive } from "./archive-queries.ts";
import { commonOrigin } from "./archive-view.ts";
import { ChoiceFilters, useChoice } from "./choice-filters.tsx";

export function FailuresTab({ archive }: { archive: Archive }) {
  const [limit, setLimit] = useState(FEW);
  const choice = useChoice();
  const failures = useQuery(archiveQueries.failures(archive.id, choice, limit));
  return (
    <div className="stack">
      <search className="row">
        <ChoiceFilters archive={archive} isFailures />
        <RetryButton archive={archive} count={failures.data?.total ?? 0} />
      </search>
      <Loaded query={failures}>
        {({ rows, total }) => (
          <Card
            isFlush
            title={plural(total, "failure")}
            info="Pages that are gone (404, 410) are listed when the status 4xx is chosen."
          >
            <OwnOriginProvider value={commonOrigin(rows.map(({ url }) => url))}>
              <DataTable
                caption="URLs that could not be fetched"
                columns={COLUMNS}
                rows={rows}
                rowKey={({ url }) => url}
                empty={<EmptyState title="No failures match" />}
              />
            </OwnOriginProvider>
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

function RetryButton({ archive: { id, isRunning, isPauseAsked }, count }: { archive: Archive; count: number }) {
  const start = useStartArchive(id);
  const choice = useChoice();
  const { show, fail } = useToast();
  const send = () =>
    start.mutate(
      { retryFailed: true, choice },
      {
        onSuccess: () => show({ tone: "ok", title: `${plural(count, "failed URL")} will be requested again.` }),
        onError: fail,
      },
    );
  const why = isRunning ? "A run is in progress." : isPauseAsked ? "A pause was requested." : undefined;
  return (
    <Button
      icon={RotateCcw}
      isBusy={start.isPending}
      disabled={count === 0 || why !== undefined}
      title={why}
      onClick={send}
    >
      Request these again
    </Button>
  );
}

const COLUMNS: readonly Column<FailureRow>[] = [
  {
    id: "url",
    head: "URL",
    isRest: true,
    cell: ({ url }) => (
      <span className="archive-url">
        <UrlText url={url} />
        <OpenLink url={url} />
      </span>
    ),
  },
  { id: "status", head: "Status", cell: ({ status }) => <StatusBadge status={status} error="No answer" /> },
  {
    id: "why",
    head: "Why",
    cell: ({ error, status }) => <span className="archive-why">{error ?? (status > 0 ? statusText(status) : "")}</span>,
  },
  { id: "retries", head: "Retries", isNumber: true, cell: ({ retries }) => formatNumber(retries) },
  { id: "failed", head: "Failed", cell: ({ failedAt }) => <RelativeTime at={failedAt} /> },
];
