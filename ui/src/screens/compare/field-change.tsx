/** One field before and after. What went is struck through, what came is underlined; colour only helps. */
import { ArrowRight } from "lucide-react";
import type { Comparison } from "../../lib/contract.ts";
import { type DiffPart, diffWords } from "../../lib/text-diff.ts";
import { fieldLabel } from "../explorer/field-labels.ts";
import { difference, shownCell } from "./compare-words.ts";

export function FieldChange({
  change: { field, before, after },
}: {
  change: Comparison["rows"][number]["fields"][number];
}) {
  const left = shownCell(field, before);
  const right = shownCell(field, after);
  const parts = diffWords(left ?? "", right ?? "");
  const by = difference(field, before, after);
  return (
    <div className="field-change">
      <dt>{fieldLabel(field)}</dt>
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
      {shown.length === 0 && <span className="field-nothing">nothing</span>}
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
