/** The URLs of an issue: what was found there, how they answer, and who links to them. */
import { CircleCheck, Undo2 } from "lucide-react";
import { IconButton } from "../../components/controls/button.tsx";
import { type Column, DataTable } from "../../components/data/data-table.tsx";
import { Badge, StatusBadge } from "../../components/data/labels.tsx";
import { InspectLink, UrlText, useOwnOrigin } from "../../components/data/links.tsx";
import { useToast } from "../../components/feedback/toast.tsx";
import { useRemoveAcceptance } from "../../lib/changes.ts";
import type { Finding } from "../../lib/contract.ts";
import { formatNumber } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { changeWords } from "../../lib/words.ts";

interface FindingTableProps {
  rows: readonly Finding[];
  onAccept: (finding: Finding) => void;
}

export function FindingTable({ rows, onAccept }: FindingTableProps) {
  const state: Column<Finding> = {
    id: "state",
    head: "State",
    cell: (finding) => <FindingMarks finding={finding} onAccept={onAccept} />,
    sortBy: ({ change }) => change,
  };
  return (
    <DataTable
      caption="URLs of this issue"
      columns={[...COLUMNS, state]}
      rows={rows}
      rowKey={({ key, url }) => `${key} ${url}`}
    />
  );
}

/** Whether it is new, and whether it counts, with the way to change that. */
function FindingMarks({ finding, onAccept }: { finding: Finding; onAccept: (finding: Finding) => void }) {
  const remove = useRemoveAcceptance(useCrawlId());
  const toast = useToast();
  const { change, acceptance, url } = finding;
  return (
    <span className="finding-state">
      {change !== null && <Badge tone={changeWords(change).tone}>{changeWords(change).label}</Badge>}
      {acceptance !== null && (
        <>
          <Badge tone="accent" title={acceptance.reason}>
            {acceptance.action === "accept" ? "Accepted" : "Ignored"}
          </Badge>
          <IconButton
            label={`No longer ${acceptance.action} this: ${acceptance.reason}`}
            icon={Undo2}
            disabled={remove.isPending}
            onClick={() => remove.mutate(acceptance.key, { onError: (error) => toast.fail(error) })}
          />
        </>
      )}
      {acceptance === null && change !== "fixed" && (
        <IconButton label={`Accept or ignore ${url}`} icon={CircleCheck} onClick={() => onAccept(finding)} />
      )}
    </span>
  );
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
  const ownOrigin = useOwnOrigin();
  if (text === null || text === "") return <span className="muted">–</span>;
  return (
    <span className="finding-evidence" title={text}>
      {text.split("\n").map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines never change places, and may be equal.
        <span key={at} className="cut">
          {withoutOrigin(line, ownOrigin)}
        </span>
      ))}
    </span>
  );
}

/** URLs of the site as paths: the part that tells them apart would be cut off. */
const withoutOrigin = (text: string, origin: string | null): string =>
  origin === null ? text : ` ${text}`.replaceAll(` ${origin}/`, " /").slice(1);

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
