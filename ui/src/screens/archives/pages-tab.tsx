/** Every fetch of an archive, the newest first, with filters; a row opens the page as it was stored. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { Button } from "../../components/controls/button.tsx";
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { RelativeTime, StatusBadge } from "../../components/data/labels.tsx";
import { OwnOriginProvider, UrlText } from "../../components/data/links.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../components/feedback/states.tsx";
import { Card } from "../../components/layout/page.tsx";
import { formatBytes, formatNumber, plural } from "../../lib/format.ts";
import { type Archive, archiveQueries, type FetchRow } from "./archive-queries.ts";
import { commonOrigin } from "./archive-view.ts";
import { ChoiceFilters, useChoice } from "./choice-filters.tsx";
import { useView } from "./use-view.ts";

export function PagesTab({ archive }: { archive: Archive }) {
  return (
    <div className="stack">
      <search className="row">
        <ChoiceFilters archive={archive} />
      </search>
      <Fetches archive={archive} />
    </div>
  );
}

function Fetches({ archive }: { archive: Archive }) {
  const [, choose] = useView();
  const pages = useInfiniteQuery(archiveQueries.pages(archive.id, useChoice()));
  if (pages.error !== null && !pages.isFetching) {
    return <ErrorState error={pages.error} onRetry={() => void pages.refetch()} />;
  }
  if (pages.data === undefined) return <Skeleton lines={8} />;
  const rows = pages.data.pages.flatMap((page) => page.rows);
  const title = pages.hasNextPage
    ? `The newest ${formatNumber(rows.length)} fetches`
    : plural(rows.length, "fetch", "fetches");
  return (
    <Card isFlush title={title} info="One row for each fetch, so a page that was refreshed has several.">
      <OwnOriginProvider value={commonOrigin(rows.map(({ url }) => url))}>
        <DataTable
          caption="Fetches of the archive"
          columns={columns((page, sha) => choose({ page, sha }))}
          rows={rows}
          rowKey={({ url, fetchedAt }) => `${fetchedAt} ${url}`}
          empty={<EmptyState title="No fetches match" />}
        />
      </OwnOriginProvider>
      {pages.hasNextPage && (
        <div className="show-more">
          <Button isBusy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </Card>
  );
}

const columns = (onOpen: (url: string, sha: string) => void): readonly Column<FetchRow>[] => [
  {
    id: "url",
    head: "URL",
    isRest: true,
    cell: ({ url, sha256 }) =>
      sha256 === null ? (
        <UrlText url={url} />
      ) : (
        <button type="button" className="archive-link" onClick={() => onOpen(url, sha256)}>
          <UrlText url={url} />
        </button>
      ),
  },
  { id: "status", head: "Status", cell: ({ status }) => <StatusBadge status={status} error="No answer" /> },
  { id: "type", head: "Type", cell: ({ pageType }) => pageType },
  { id: "depth", head: "Depth", isNumber: true, cell: ({ depth }) => formatNumber(depth) },
  {
    id: "size",
    head: "Size",
    isNumber: true,
    cell: ({ sha256, bytes }) => (sha256 === null ? <span className="muted">Not stored</span> : formatBytes(bytes)),
  },
  { id: "fetched", head: "Fetched", cell: ({ fetchedAt }) => <RelativeTime at={fetchedAt} /> },
];
