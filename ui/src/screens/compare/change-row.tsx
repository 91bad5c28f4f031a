/** One URL of a comparison: what became of it, and each field before and after. */
import { Link } from "@tanstack/react-router";
import { StatusBadge } from "../../components/badge.tsx";
import { InspectLink } from "../../components/crawl-links.tsx";
import { UrlText } from "../../components/url-text.tsx";
import type { Comparison } from "../../lib/contract.ts";
import { CHANGE_WORDS } from "./compare-words.ts";
import { FieldChange } from "./field-change.tsx";

type Row = Comparison["rows"][number];

interface ChangeRowProps {
  row: Row;
  otherId: number;
  /** The field that is looked at; the others are left out. */
  field: string | undefined;
}

export function ChangeRow({ row, otherId, field }: ChangeRowProps) {
  const { label, sign, tone } = CHANGE_WORDS[row.change];
  const shown = field === undefined ? row.fields : row.fields.filter((one) => one.field === field);
  return (
    <li className="change-row">
      <div className="change-head">
        <span className={`badge tone-${tone} change-kind`}>
          <span aria-hidden>{sign}</span>
          {label}
        </span>
        <StatusBadge status={row.change === "removed" ? row.statusBefore : row.statusAfter} />
        <RowLink row={row} otherId={otherId} />
      </div>
      {shown.length > 0 && (
        <dl className="change-fields">
          {shown.map((change) => (
            <FieldChange key={change.field} change={change} />
          ))}
        </dl>
      )}
    </li>
  );
}

/** What is gone is only known to the earlier crawl: its drawer opens there. */
function RowLink({ row: { url, change }, otherId }: Pick<ChangeRowProps, "row" | "otherId">) {
  if (change !== "removed") {
    return (
      <InspectLink url={url}>
        <UrlText url={url} />
      </InspectLink>
    );
  }
  return (
    <>
      <Link
        to="/crawls/$crawlId/explorer"
        params={{ crawlId: String(otherId) }}
        search={{ inspect: url }}
        className="plain-link cut"
      >
        <UrlText url={url} />
      </Link>
      <span className="muted change-where">in crawl #{otherId}</span>
    </>
  );
}
