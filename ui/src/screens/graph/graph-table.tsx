/** The pages of the graph as a table: for screen readers, for the keyboard, and for browsers that cannot draw it. */
import { useState } from "react";
import { TextInput } from "../../components/controls/input.tsx";
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { StatusBadge } from "../../components/data/labels.tsx";
import { InspectLink, UrlText } from "../../components/data/links.tsx";
import { EmptyState, ShowMore } from "../../components/feedback/states.tsx";
import { Card } from "../../components/layout/page.tsx";
import type { Graph } from "../../lib/contract.ts";
import { formatNumber } from "../../lib/format.ts";
import { type GraphNode, matchingNodes } from "./graph-model.ts";

const PART = 200;

export function GraphTable({ graph }: { graph: Graph }) {
  const [typed, setTyped] = useState("");
  const [limit, setLimit] = useState(PART);
  const matches = matchingNodes(graph.nodes, typed);
  const found = graph.nodes.filter(({ id }) => matches === null || matches.has(id));
  return (
    <div className="stack graph-scroll">
      <TextInput
        type="search"
        data-search
        className="graph-search"
        aria-label="Search URLs"
        placeholder="Text in URL or title"
        value={typed}
        onValue={setTyped}
      />
      <Card isFlush>
        <DataTable
          caption="Pages of the link graph"
          columns={COLUMNS}
          rows={found.slice(0, limit)}
          rowKey={({ id }) => id}
          empty={<EmptyState title="No page matches">Try a shorter text.</EmptyState>}
        />
        <ShowMore
          shown={Math.min(limit, found.length)}
          total={found.length}
          of="URLs"
          hasMore={limit < found.length}
          isBusy={false}
          onMore={() => setLimit(limit + PART)}
        />
      </Card>
    </div>
  );
}

const COLUMNS: Column<GraphNode>[] = [
  {
    id: "status",
    head: "Status",
    cell: ({ status }) => <StatusBadge status={status} />,
    sortBy: ({ status }) => status,
  },
  {
    id: "url",
    head: "URL",
    isRest: true,
    cell: ({ url }) => (
      <InspectLink url={url}>
        <UrlText url={url} isPathOnly />
      </InspectLink>
    ),
    sortBy: ({ url }) => url,
  },
  {
    id: "title",
    head: "Title",
    isRest: true,
    cell: ({ title }) => <span title={title ?? undefined}>{title}</span>,
    sortBy: ({ title }) => title,
  },
  {
    id: "inlinks",
    head: "Links in",
    isNumber: true,
    cell: ({ inlinks }) => formatNumber(inlinks),
    sortBy: ({ inlinks }) => inlinks,
  },
  {
    id: "outlinks",
    head: "Links out",
    isNumber: true,
    cell: ({ outlinks }) => formatNumber(outlinks),
    sortBy: ({ outlinks }) => outlinks,
  },
  { id: "depth", head: "Depth", isNumber: true, cell: ({ depth }) => depth, sortBy: ({ depth }) => depth },
];
