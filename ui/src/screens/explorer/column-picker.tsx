/** Which columns, in which order, and which stay in sight. */
import { Columns3 } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { TextInput } from "../../components/input.tsx";
import { PopoverButton } from "../../components/popover-button.tsx";
import type { Field } from "../../lib/contract.ts";
import { ColumnRow } from "./column-row.tsx";
import { moved, movedTo } from "./columns.ts";
import { fieldLabel } from "./field-labels.ts";
import type { ViewControl } from "./use-url-view.ts";

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
  const fits = ({ name, description }: Field): boolean =>
    `${fieldLabel(name)} ${name} ${description}`.toLowerCase().includes(typed);
  const shown = view.fields.flatMap((name) => byName.get(name) ?? []).filter(fits);
  const hidden = fields
    .filter((field) => !view.fields.includes(field.name) && fits(field))
    .toSorted((a, b) => fieldLabel(a.name).localeCompare(fieldLabel(b.name)));
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
              // A table without columns shows nothing to bring one back from.
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
        {shown.length + hidden.length === 0 && <p className="muted">No column is called so.</p>}
      </div>
      <Button look="quiet" onClick={resetColumns}>
        Back to the usual columns
      </Button>
    </div>
  );
}
