/** The URLs of an issue: what was found there, how they answer, and who links to them. */
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { StatusBadge } from "../../components/data/labels.tsx";
import { InspectLink, UrlText } from "../../components/data/links.tsx";
import type { Finding } from "../../lib/contract.ts";
import { formatNumber } from "../../lib/format.ts";

export function FindingTable({ rows }: { rows: readonly Finding[] }) {
  return <DataTable caption="URLs of this issue" columns={COLUMNS} rows={rows} rowKey={({ key }) => key} />;
}

const COLUMNS: readonly Column<Finding>[] = [
  {
    id: "url",
    head: "URL",
    isRest: true,
    cell: ({ url, title }) => (
      <span className="finding-url">
        <InspectLink url={url}>
          <UrlText url={url} />
        </InspectLink>
        {title !== null && title !== "" && <span className="muted cut">{title}</span>}
      </span>
    ),
    sortBy: ({ url }) => url,
  },
  {
    id: "evidence",
    head: "Evidence",
    isRest: true,
    cell: ({ evidence }) => <Evidence text={evidence} />,
    sortBy: ({ evidence }) => evidence,
  },
  {
    id: "status",
    head: "Status",
    cell: ({ status }) => (status === null ? <span className="muted">–</span> : <StatusBadge status={status} />),
    sortBy: ({ status }) => status,
  },
  {
    id: "inlinks",
    head: "Inlinks",
    isNumber: true,
    cell: ({ inlinks }) => formatNumber(inlinks),
    sortBy: ({ inlinks }) => inlinks,
  },
  { id: "from", head: "Linked from", cell: ({ linkedFrom }) => <LinkedFrom pages={linkedFrom} /> },
];

/** Several things are on lines of their own; the text is a page's, so it is only ever text. */
function Evidence({ text }: { text: string | null }) {
  if (text === null || text === "") return <span className="muted">–</span>;
  return (
    <span className="finding-evidence" title={text}>
      {text.split("\n").map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines never change places, and may be equal.
        <span key={at} className="cut">
          {line}
        </span>
      ))}
    </span>
  );
}

function LinkedFrom({ pages }: { pages: Finding["linkedFrom"] }) {
  if (pages.length === 0) return <span className="muted">–</span>;
  return (
    <span className="finding-from">
      {pages.map(({ url, text }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a page can link twice, with two texts.
        <span key={at} className="cut" title={text === "" ? url : `${url}: “${text}”`}>
          <InspectLink url={url}>
            <UrlText url={url} isPathOnly />
          </InspectLink>
        </span>
      ))}
    </span>
  );
}
