/** The folders of a folder as a table: the same figures as the rectangles, each a link to its URLs. */
import { Link } from "@tanstack/react-router";
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { ExplorerLink } from "../../components/data/links.tsx";
import { EmptyState } from "../../components/feedback/states.tsx";
import type { Structure } from "../../lib/contract.ts";
import { formatNumber } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { density } from "./folder-look.ts";
import { entryName } from "./treemap-view.tsx";

type Row = Structure["children"][number];

export function FolderTable({ structure }: { structure: Structure }) {
  const crawlId = useCrawlId();
  const columns: Column<Row>[] = [
    {
      id: "folder",
      head: "Folder",
      isRest: true,
      sortBy: entryName,
      cell: (row) =>
        row.kind === "folder" ? (
          <Link
            to="/crawls/$crawlId/structure"
            params={{ crawlId: String(crawlId) }}
            search={(before) => ({ ...before, folder: row.folder })}
            className="cut"
            title={row.folder}
          >
            {entryName(row)}
          </Link>
        ) : (
          <span className="muted">{entryName(row)}</span>
        ),
    },
    {
      id: "urls",
      head: "URLs",
      isNumber: true,
      sortBy: ({ urls }) => urls,
      // Smaller folders have no filter of their own: a link would open more than it says.
      cell: (row) => (row.kind === "rest" ? formatNumber(row.urls) : <Figure row={row} value={row.urls} filter={[]} />),
    },
    {
      id: "ok",
      head: "2xx",
      isNumber: true,
      sortBy: ({ ok }) => ok,
      cell: ({ ok }) => formatNumber(ok),
    },
    {
      id: "redirects",
      head: "3xx",
      isNumber: true,
      sortBy: ({ redirect }) => redirect,
      cell: (row) => <Figure row={row} value={row.redirect} filter={["outcome=redirect"]} />,
    },
    {
      id: "broken",
      head: "Broken",
      info: "Answered 4xx or 5xx, or not at all",
      isNumber: true,
      sortBy: brokenOf,
      cell: (row) => <Figure row={row} value={brokenOf(row)} filter={["outcome=broken"]} />,
    },
    {
      id: "depth",
      head: "Depth",
      info: "Links from the start, on average",
      isNumber: true,
      sortBy: ({ depth }) => depth,
      cell: ({ depth }) => (depth === null ? "" : depth.toFixed(1)),
    },
    ...(structure.wasAudited
      ? [
          {
            id: "findings",
            head: "Findings per URL",
            isNumber: true,
            sortBy: density,
            cell: (row: Row) => density(row).toFixed(1),
          },
        ]
      : []),
  ];
  return (
    <DataTable
      caption="Figures by folder"
      columns={columns}
      rows={structure.children}
      rowKey={({ kind, folder }) => `${kind} ${folder}`}
      empty={<EmptyState title="Nothing was fetched here">No URL of this folder was crawled.</EmptyState>}
    />
  );
}

const brokenOf = ({ clientError, serverError, noAnswer }: Row): number => clientError + serverError + noAnswer;

function Figure({ row, value, filter }: { row: Row; value: number; filter: string[] }) {
  if (value === 0 || row.kind === "rest") return formatNumber(value);
  return (
    <ExplorerLink filter={[...row.filter, ...filter]} isPlain>
      {formatNumber(value)}
    </ExplorerLink>
  );
}
