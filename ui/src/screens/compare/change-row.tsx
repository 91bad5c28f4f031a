/** One URL of a comparison: what happened to it, and each field before and after. */
import { Link } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";
import { StatusBadge } from "../../components/data/labels.tsx";
import { InspectLink, UrlText } from "../../components/data/links.tsx";
import type { Comparison } from "../../lib/contract.ts";
import { isCoded, reasonLabel } from "../../lib/words.ts";
import { fieldLabel, useFields } from "../explorer/field-look.ts";
import { CHANGE_WORDS, difference, EFFECT_WORDS, shownCell } from "./compare-words.ts";
import { type DiffPart, diffWhole, diffWords } from "./text-diff.ts";

type Row = Comparison["rows"][number];

interface ChangeRowProps {
  row: Row;
  otherId: number;
  /** Only this field is shown, if given. */
  field: string | undefined;
}

export function ChangeRow({ row, otherId, field }: ChangeRowProps) {
  const { label, sign, tone } = row.effect === null ? CHANGE_WORDS[row.change] : EFFECT_WORDS[row.effect];
  const shown = field === undefined ? row.fields : row.fields.filter((one) => one.field === field);
  return (
    <li className="change-row" data-row>
      <div className="change-head">
        <span className={`badge tone-${tone} change-kind`}>
          <span aria-hidden>{sign}</span>
          {label}
        </span>
        <StatusBadge status={row.change === "not_crawled" ? row.statusBefore : row.statusAfter} />
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

/** Only the earlier crawl has facts of a URL that was not crawled this time: its drawer opens there. */
function RowLink({ row: { url, change, reason }, otherId }: Pick<ChangeRowProps, "row" | "otherId">) {
  if (change !== "not_crawled") {
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
      <span className="muted change-where">
        in crawl #{otherId}
        {reason !== null && ` · ${reasonLabel(reason)}`}
      </span>
    </>
  );
}

/** One field before and after. Removed text is struck through, added text underlined; colour is only a help. */
export function FieldChange({
  change: { field, before, after },
}: {
  change: Comparison["rows"][number]["fields"][number];
}) {
  const fields = useFields();
  const left = shownCell(field, before);
  const right = shownCell(field, after);
  const look = fields.get(field);
  const isText = look?.type === "text" && look.values.length === 0 && !isCoded(field) && field !== "contentHash";
  const parts = (isText ? diffWords : diffWhole)(left ?? "", right ?? "");
  const by = difference(field, before, after);
  return (
    <div className="field-change">
      <dt>{fieldLabel(fields, field)}</dt>
      <dd className="field-before">
        <Side parts={parts} kind="removed" />
      </dd>
      <dd className="field-arrow" aria-hidden>
        <ArrowRight size={13} />
      </dd>
      <dd className="field-after">
        <Side parts={parts} kind="added" />
        {by !== null && <span className="muted field-by">{by}</span>}
      </dd>
    </div>
  );
}

function Side({ parts, kind }: { parts: readonly DiffPart[]; kind: "removed" | "added" }) {
  const shown = parts.filter((part) => part.kind === "same" || part.kind === kind);
  const Mark = kind === "removed" ? "del" : "ins";
  return (
    <>
      <span className="visually-hidden">{kind === "removed" ? "before: " : "after: "}</span>
      {shown.length === 0 && <span className="field-nothing">empty</span>}
      {shown.map((part, at) =>
        part.kind === "same" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other name.
          <span key={at}>{part.text}</span>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other name.
          <Mark key={at}>{part.text}</Mark>
        ),
      )}
    </>
  );
}
