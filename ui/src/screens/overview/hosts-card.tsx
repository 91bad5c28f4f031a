/** Hosts that were met, and what was fetched from them. */
import { Card } from "../../components/card.tsx";
import { ExplorerLink } from "../../components/crawl-links.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import type { Overview } from "../../lib/contract.ts";
import { crawlFilters } from "../../lib/crawl-filters.ts";
import { formatBytes, formatNumber } from "../../lib/format.ts";

type Host = Overview["hosts"][number];

export function HostsCard({ hosts }: { hosts: readonly Host[] }) {
  return (
    <Card title="Hosts" isFlush className="overview-whole">
      <DataTable caption="Every host" columns={COLUMNS} rows={hosts} rowKey={({ host }) => host} maxHeight="290px" />
    </Card>
  );
}

const COLUMNS: Column<Host>[] = [
  {
    id: "host",
    head: "Host",
    isRest: true,
    cell: ({ host }) => (
      <ExplorerLink isPlain filter={crawlFilters.host(host)} title={host}>
        {host}
      </ExplorerLink>
    ),
    sortBy: ({ host }) => host,
  },
  { id: "urls", head: "URLs", isNumber: true, cell: ({ urls }) => formatNumber(urls), sortBy: ({ urls }) => urls },
  {
    id: "crawled",
    head: "Crawled",
    isNumber: true,
    cell: ({ crawled }) => formatNumber(crawled),
    sortBy: ({ crawled }) => crawled,
  },
  {
    id: "errors",
    head: "Errors",
    isNumber: true,
    cell: ({ errors }) => formatNumber(errors),
    sortBy: ({ errors }) => errors,
  },
  { id: "bytes", head: "Size", isNumber: true, cell: ({ bytes }) => formatBytes(bytes), sortBy: ({ bytes }) => bytes },
];
