/** Fields of URLs as columns of the grid. */

import { useQuery } from "@tanstack/react-query";
import type { GridColumn } from "../../components/data/grid/grid-columns.ts";
import { Badge, StatusBadge } from "../../components/data/labels.tsx";
import { UrlText } from "../../components/data/links.tsx";
import type { Field, UrlRow } from "../../lib/contract.ts";
import { queries } from "../../lib/queries.ts";
import { urlParts } from "../../lib/web-link.ts";
import { errorLabel, fieldWords, ruleText, truthWords, verdictWords } from "../../lib/words.ts";
import { cellText, type FieldLook, fieldLook, fieldWidth } from "./field-look.ts";

/** `ownOrigin` is the crawled site's: narrow screens leave it out. */
export function urlColumns(
  names: readonly string[],
  fields: readonly Field[],
  ownOrigin: string | null,
): GridColumn<UrlRow>[] {
  const byName = new Map(fields.map((field) => [field.name, field]));
  return names.flatMap((name): GridColumn<UrlRow>[] => {
    const field = byName.get(name);
    if (field === undefined) return [];
    const look = fieldLook(field);
    return [
      {
        id: name,
        label: field.label,
        info: field.description,
        width: fieldWidth(field),
        isNumber: field.type === "number" && look !== "status",
        canSort: true,
        cell: (row) => <UrlCell row={row} name={name} look={look} ownOrigin={ownOrigin} />,
      },
    ];
  });
}

interface UrlCellProps {
  row: UrlRow;
  name: string;
  look: FieldLook;
  ownOrigin: string | null;
}

function UrlCell({ row, name, look, ownOrigin }: UrlCellProps) {
  const value = row[name];
  if (look === "status") return <UrlStatus row={row} />;
  if (value === null || value === undefined) return null;
  if (look === "url") {
    const isOwn = urlParts(String(value)).origin === ownOrigin;
    return (
      <span className={isOwn ? "cut own-url" : "cut"}>
        <UrlText url={String(value)} />
      </span>
    );
  }
  if (name === "rule") return <RuleCell rule={String(value)} />;
  if (typeof value === "boolean") return <Badge tone={value ? "ok" : "warn"}>{truthWords(value)}</Badge>;
  const text = cellText(name, value, look);
  return (
    <span className="cut" title={typeof value === "string" ? text : undefined}>
      {text}
    </span>
  );
}

function RuleCell({ rule }: { rule: string }) {
  const text = ruleText(rule, useQuery(queries.settings()).data ?? []);
  return (
    <span className="cut" title={text}>
      {text}
    </span>
  );
}

/** The status, or what replaces it: a URL without an answer was not crawled, is waiting, or failed. */
export function UrlStatus({ row }: { row: UrlRow }) {
  const { status, error, verdict, state } = row;
  // A page that answered but cannot be read is also broken.
  if (typeof status === "number" && (status >= 300 || !error)) return <StatusBadge status={status} />;
  if (error) return <StatusBadge status={null} error={errorLabel(String(error))} />;
  if (verdict === "skip" || verdict === "record") {
    const { label, text } = verdictWords(verdict);
    return <Badge title={text}>{label}</Badge>;
  }
  const words = state === null || state === undefined ? ["verdict", verdict] : ["state", state];
  return <Badge tone={state === "open" ? "accent" : "quiet"}>{fieldWords(String(words[0]), String(words[1]))}</Badge>;
}
