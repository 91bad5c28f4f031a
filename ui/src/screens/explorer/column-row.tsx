/** One column in the picker: shown or not; when shown, its place and whether it stays in sight. */
import { ArrowDown, ArrowUp, GripVertical, Pin } from "lucide-react";
import type { Field } from "../../lib/contract.ts";
import { fieldLabel } from "./field-labels.ts";

interface ShownColumn {
  onPin: () => void;
  onMove: (by: 1 | -1) => void;
  onDrag: (name: string | null) => void;
  onDragOver: () => void;
}

interface ColumnRowProps {
  field: Field;
  isPinned?: boolean;
  isDragged?: boolean;
  /** Null for the last one, which must stay. */
  onToggle: (() => void) | null;
  /** For a column that is shown. */
  shown?: ShownColumn;
}

export function ColumnRow({ field: { name, description }, isPinned, isDragged, onToggle, shown }: ColumnRowProps) {
  const label = fieldLabel(name);
  return (
    <li
      className={isDragged ? "column-row column-row-dragged" : "column-row"}
      draggable={shown !== undefined}
      onDragStart={() => shown?.onDrag(name)}
      onDragEnd={() => shown?.onDrag(null)}
      onDragOver={(event) => {
        event.preventDefault();
        shown?.onDragOver();
      }}
    >
      {shown && <GripVertical size={13} aria-hidden className="column-grip" />}
      <label className="check grow">
        <input
          type="checkbox"
          checked={shown !== undefined}
          disabled={onToggle === null}
          onChange={() => onToggle?.()}
        />
        <span className="grow">
          <span className="cut">{label}</span>
          <span className="cut muted column-note" title={description}>
            {description}
          </span>
        </span>
      </label>
      {shown && (
        <span className="column-tools">
          <button type="button" aria-label={`Move ${label} up`} onClick={() => shown.onMove(-1)}>
            <ArrowUp size={13} aria-hidden />
          </button>
          <button type="button" aria-label={`Move ${label} down`} onClick={() => shown.onMove(1)}>
            <ArrowDown size={13} aria-hidden />
          </button>
          <button
            type="button"
            aria-label={`Keep ${label} in sight`}
            title="Keep in sight"
            aria-pressed={isPinned}
            onClick={shown.onPin}
          >
            <Pin size={13} aria-hidden />
          </button>
        </span>
      )}
    </li>
  );
}
