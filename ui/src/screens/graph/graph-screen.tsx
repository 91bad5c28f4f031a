/** Graph: how pages are linked, as a drawing, as the tree of discovery, or as a table. */

import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Segmented, Select } from "../../components/controls/input.tsx";
import { EmptyState, Loaded, Note, Skeleton } from "../../components/feedback/states.tsx";
import { Page } from "../../components/layout/page.tsx";
import type { Graph } from "../../lib/contract.ts";
import { plural } from "../../lib/format.ts";
import { useCrawlId, usePlace } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { unicodeHost } from "../../lib/unicode-host.ts";
import { ForceView } from "./force-view.tsx";
import { noticeOf } from "./graph-model.ts";
import { DEFAULT_NODES, type GraphSearch, type GraphView, NODE_COUNTS } from "./graph-search.ts";
import { GraphTable } from "./graph-table.tsx";
import { TreeView } from "./tree-view.tsx";
import "./graph-screen.css";

export function GraphScreen() {
  const { crawl } = usePlace();
  const search = useSearch({ from: "/crawls/$crawlId/graph" });
  const navigate = useNavigate({ from: "/crawls/$crawlId/graph" });
  const show = (part: GraphSearch) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const view = search.view ?? "force";
  const nodes = search.nodes ?? DEFAULT_NODES;
  return (
    <Page
      title="Graph"
      tabTitle={crawl === null ? "Graph" : `Graph · ${unicodeHost(crawl.domain)}`}
      width="full"
      subtitle={
        view === "tree" ? (
          <span>Where each page was first found, beginning at the start.</span>
        ) : (
          <Notice nodes={nodes} />
        )
      }
      actions={
        <>
          {view !== "tree" && (
            <Select
              aria-label="How many URLs"
              value={String(nodes)}
              onValue={(value) => show({ nodes: Number(value) })}
              options={NODE_COUNTS.map((count) => ({ value: String(count), label: plural(count, "URL") }))}
            />
          )}
          <Segmented<GraphView>
            label="View"
            value={view}
            onValue={(value) => show({ view: value })}
            options={[
              { value: "force", label: "Graph" },
              { value: "tree", label: "Tree" },
              { value: "table", label: "Table" },
            ]}
          />
        </>
      }
    >
      {view === "tree" ? <TreeView /> : <Pages nodes={nodes} view={view} />}
    </Page>
  );
}

function Notice({ nodes }: { nodes: number }) {
  const { data } = useQuery(queries.graph(useCrawlId(), nodes));
  if (data === undefined) return <span>Pages and the links among them.</span>;
  return (
    <span>
      {noticeOf(data) ??
        `${data.totalNodes === 1 ? "The only page" : `All ${plural(data.totalNodes, "page")}`}, with the links among them.`}
    </span>
  );
}

function Pages({ nodes, view }: { nodes: number; view: "force" | "table" }) {
  const crawlId = useCrawlId();
  return (
    <Loaded query={useQuery(queries.graph(crawlId, nodes))} skeleton={<Skeleton lines={8} />}>
      {(graph) => {
        if (graph.nodes.length === 0) {
          return <EmptyState title="No pages to draw">Pages appear here once they have been crawled.</EmptyState>;
        }
        return view === "force" ? (
          <HeldGraph key={`${crawlId} ${nodes}`} latest={graph} />
        ) : (
          <GraphTable graph={graph} />
        );
      }}
    </Loaded>
  );
}

/** A drawing that rearranges itself cannot be read: for a running crawl, it is redrawn only on request. */
function HeldGraph({ latest }: { latest: Graph }) {
  const [shown, setShown] = useState(latest);
  return (
    <>
      {shown !== latest && (
        <Note>
          {`The crawl has continued since these ${plural(shown.nodes.length, "page")} were drawn. `}
          <button type="button" className="link-button" onClick={() => setShown(latest)}>
            Redraw
          </button>
        </Note>
      )}
      <ForceView graph={shown} />
    </>
  );
}
