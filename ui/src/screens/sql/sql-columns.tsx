/** Columns of an answer, as wide as what stands in them. A cell that is a URL opens its drawer. */
import type { GridColumn } from "../../components/grid/grid-types.ts";
import { webLink } from "../../lib/web-link.ts";
import { UrlLink } from "../url-drawer/url-link.tsx";
import type { SqlCell } from "./csv.ts";

type SqlRow = readonly SqlCell[];

/** Rows that are looked at for the width. */
const SAMPLE = 50;
const CHARACTER_PX = 7.2;
const MIN_PX = 72;
const MAX_PX = 420;

export function sqlColumns(names: readonly string[], rows: readonly SqlRow[]): GridColumn<SqlRow>[] {
  return names.map((name, at) => {
    const sample = rows.slice(0, SAMPLE).map((row) => row[at] ?? null);
    const longest = sample.reduce((most: number, value) => Math.max(most, String(value ?? "").length), name.length + 1);
    return {
      // Two columns may have the same name.
      id: `${at}`,
      label: name,
      width: Math.round(Math.max(MIN_PX, Math.min(longest * CHARACTER_PX + 24, MAX_PX))),
      isNumber: sample.some((value) => typeof value === "number") && !sample.some((value) => typeof value === "string"),
      cell: (row) => <SqlCellText value={row[at] ?? null} />,
    };
  });
}

function SqlCellText({ value }: { value: SqlCell }) {
  if (value === null) return <span className="muted">null</span>;
  if (typeof value === "string" && /^https?:\/\//.test(value) && webLink(value) !== null && !value.includes(" ")) {
    return <UrlLink url={value} />;
  }
  return (
    <span className="cut" title={String(value)}>
      {String(value)}
    </span>
  );
}
