/** Which columns are shown, in which order, and which are pinned. */
import { ArrowDown, ArrowUp, Columns3, GripVertical, Pin } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { TextInput } from "../../components/controls/input.tsx";
import { PopoverButton } from "../../components/controls/popover-button.tsx";
import type { Field } from "../../lib/contract.ts";
import { moved, movedTo, type ViewControl } from "./view-control.ts";

export function ColumnPicker({ control, fields }: { control: ViewControl; fields: readonly Field[] }) {
  return (
    <PopoverButton label="Columns" icon={Columns3} placement="below-end">
      {() => <ColumnList control={control} fields={fields} />}
    </PopoverButton>
  );
}

function ColumnList({ control, fields }: { control: ViewControl; fields: readonly Field[] }) {
  const { view, columns, keepColumns, resetColumns } = control;
  const [search, setSearch] = useState("");
  const [dragged, setDragged] = useState<string | null>(null);
  const typed = search.trim().toLowerCase();
  const byName = new Map(fields.map((field) => [field.name, field]));
  const fits = ({ name, label, description }: Field): boolean =>
    `${label} ${name} ${description}`.toLowerCase().includes(typed);
  const shown = view.fields.flatMap((name) => byName.get(name) ?? []).filter(fits);
  const hidden = fields
    .filter((field) => !view.fields.includes(field.name) && fits(field))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const keepFields = (next: string[]) => keepColumns({ fields: next });
  const pin = (name: string) =>
    keepColumns({
      pinned: columns.pinned.includes(name) ? columns.pinned.filter((one) => one !== name) : [...columns.pinned, name],
    });
  return (
    <div className="column-picker">
      <TextInput
        type="search"
        aria-label="Search columns"
        placeholder="Search columns"
        value={search}
        onValue={setSearch}
      />
      <div className="column-lists">
        <h3>Shown</h3>
        <ul>
          {shown.map((field) => (
            <ColumnRow
              key={field.name}
              field={field}
              isPinned={columns.pinned.includes(field.name)}
              isDragged={dragged === field.name}
              // The last column must stay, or there would be nothing left to see.
              onToggle={
                view.fields.length > 1 ? () => keepFields(view.fields.filter((one) => one !== field.name)) : null
              }
              shown={{
                onPin: () => pin(field.name),
                onMove: (by) => keepFields(moved(view.fields, field.name, by)),
                onDrag: setDragged,
                onDragOver: () => {
                  if (dragged !== null && dragged !== field.name) keepFields(movedTo(view.fields, dragged, field.name));
                },
              }}
            />
          ))}
        </ul>
        {hidden.length > 0 && <h3>Not shown</h3>}
        <ul>
          {hidden.map((field) => (
            <ColumnRow key={field.name} field={field} onToggle={() => keepFields([...view.fields, field.name])} />
          ))}
        </ul>
        {shown.length + hidden.length === 0 && <p className="muted">No column has that name.</p>}
      </div>
      <Button look="quiet" onClick={resetColumns}>
        Reset columns
      </Button>
    </div>
  );
}

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

/** One column in the picker: shown or not, its place, and whether it is pinned. */
export function ColumnRow({
  field: { name, label, description },
  isPinned,
  isDragged,
  onToggle,
  shown,
}: ColumnRowProps) {
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
          <button type="button" aria-label={`Pin ${label}`} title="Pin" aria-pressed={isPinned} onClick={shown.onPin}>
            <Pin size={13} aria-hidden />
          </button>
        </span>
      )}
    </li>
  );
}
