/** The same URL in all crawls of the project. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { Badge, StatusBadge } from "../../components/data/labels.tsx";
import { Loaded } from "../../components/feedback/states.tsx";
import type { UrlHistory } from "../../lib/contract.ts";
import { formatDateTime, formatDuration, formatNumber } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { reasonLabel } from "../../lib/words.ts";

type Visit = UrlHistory[number];

export function HistoryTab({ url }: { url: string }) {
  const crawlId = useCrawlId();
  const history = useQuery(queries.history(crawlId, url));
  return (
    <Loaded query={history}>
      {(visits) => (
        <>
          <DataTable
            caption="This URL in the crawls of the project"
            columns={columns(url, crawlId)}
            rows={visits}
            rowKey={(visit) => visit.crawlId}
          />
          {visits.length === 1 && <p className="muted history-note">Crawl the site again to see what changes.</p>}
        </>
      )}
    </Loaded>
  );
}

const columns = (url: string, current: number): Column<Visit>[] => [
  {
    id: "crawl",
    head: "Crawl",
    cell: ({ crawlId, startedAt }) =>
      crawlId === current ? (
        `${formatDateTime(startedAt)} (this)`
      ) : (
        <Link to="/crawls/$crawlId/explorer" params={{ crawlId: String(crawlId) }} search={{ inspect: url }}>
          {formatDateTime(startedAt)}
        </Link>
      ),
    sortBy: ({ startedAt }) => startedAt,
  },
  {
    id: "status",
    head: "Status",
    cell: ({ wasMet, wasFetched, status, reason }) =>
      !wasMet ? (
        <Badge>not seen</Badge>
      ) : status !== null ? (
        <StatusBadge status={status} />
      ) : wasFetched ? (
        <Badge tone="error">no answer</Badge>
      ) : (
        <Badge title={reason === null ? undefined : reasonLabel(reason)}>not crawled</Badge>
      ),
  },
  {
    id: "changed",
    head: "Changed",
    info: "Status or visible text differs from the last earlier crawl that fetched it.",
    cell: ({ hasChanged }) => (hasChanged ? <Badge tone="accent">changed</Badge> : null),
  },
  { id: "words", head: "Words", isNumber: true, cell: ({ wordCount }) => formatNumber(wordCount) },
  { id: "time", head: "Time", isNumber: true, cell: ({ timeTotal }) => formatDuration(timeTotal) },
  { id: "title", head: "Title", cell: ({ title }) => <span title={title ?? undefined}>{title}</span> },
];
