/** The slowest answers. */
import { Card } from "../../components/card.tsx";
import { InspectLink } from "../../components/crawl-links.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { UrlText } from "../../components/url-text.tsx";
import type { Overview } from "../../lib/contract.ts";
import { formatDuration } from "../../lib/format.ts";

type Slow = Overview["slowest"][number];
const SHOWN = 8;

export function SlowestCard({ pages }: { pages: Overview["slowest"] }) {
  return (
    <Card title="Slowest" isFlush className="overview-half">
      <DataTable
        caption="The slowest answers"
        columns={COLUMNS}
        rows={pages.slice(0, SHOWN)}
        rowKey={({ url }) => url}
        empty={<p className="overview-none card-none">Nothing was timed.</p>}
      />
    </Card>
  );
}

const COLUMNS: Column<Slow>[] = [
  {
    id: "url",
    head: "URL",
    isRest: true,
    cell: ({ url }) => (
      <InspectLink url={url}>
        <UrlText url={url} isPathOnly />
      </InspectLink>
    ),
  },
  { id: "ms", head: "Took", isNumber: true, cell: ({ ms }) => formatDuration(ms) },
];
