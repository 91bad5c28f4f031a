/** What is broken, and the page that a link to it was found on first. */
import { StatusBadge } from "../../components/badge.tsx";
import { Card } from "../../components/card.tsx";
import { ExplorerLink, InspectLink } from "../../components/crawl-links.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { UrlText } from "../../components/url-text.tsx";
import type { Overview } from "../../lib/contract.ts";
import { crawlFilters } from "../../lib/crawl-filters.ts";
import { reasonLabel } from "../../lib/live-figures.ts";
import { totalOf } from "./overview-counts.ts";

type Broken = Overview["broken"][number];
const SHOWN = 8;

export function BrokenCard({ overview: { broken, brokenTotal, errors } }: { overview: Overview }) {
  const noAnswer = totalOf(errors);
  return (
    <Card
      title="Broken"
      isFlush
      className="overview-half"
      actions={
        brokenTotal > 0 && (
          <span className="row">
            <ExplorerLink filter={crawlFilters.badStatus}>All 4xx and 5xx</ExplorerLink>
            {noAnswer > 0 && <ExplorerLink filter={crawlFilters.noAnswer}>All without answer</ExplorerLink>}
          </span>
        )
      }
    >
      <DataTable
        caption="Broken URLs"
        columns={COLUMNS}
        rows={broken.slice(0, SHOWN)}
        rowKey={({ url }) => url}
        empty={<p className="overview-none card-none">Nothing is broken: everything that was asked answered well.</p>}
      />
    </Card>
  );
}

const link = (url: string) => (
  <InspectLink url={url}>
    <UrlText url={url} isPathOnly />
  </InspectLink>
);

const COLUMNS: Column<Broken>[] = [
  {
    id: "status",
    head: "Status",
    cell: ({ status, error }) => <StatusBadge status={status} error={error && reasonLabel(error)} />,
  },
  { id: "url", head: "URL", isRest: true, cell: ({ url }) => link(url) },
  { id: "foundOn", head: "Found on", isRest: true, cell: ({ foundOn }) => (foundOn === null ? "" : link(foundOn)) },
];
