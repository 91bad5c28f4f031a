/** Views to go to: those that everybody has, and those that were saved. */
import { useQuery } from "@tanstack/react-query";
import { Bookmark, Save, Trash2 } from "lucide-react";
import { useState } from "react";
import { Confirm } from "../../components/confirm.tsx";
import { Menu, type MenuItem } from "../../components/menu.tsx";
import { useDeleteView } from "../../lib/changes.ts";
import type { SavedView } from "../../lib/contract.ts";
import { queries } from "../../lib/queries.ts";
import { BUILT_IN_VIEWS, type NamedView } from "./built-in-views.ts";
import { SaveView } from "./save-view.tsx";
import { sameRows, sameView } from "./url-view.ts";
import type { ViewControl } from "./use-url-view.ts";

export function ViewsMenu({ control: { view, columns, change } }: { control: ViewControl }) {
  const saved = useQuery(queries.views()).data ?? [];
  const remove = useDeleteView();
  const [isSaving, setSaving] = useState(false);
  const [deleting, setDeleting] = useState<SavedView | null>(null);
  // "All URLs" has the columns that the person chose for themselves.
  const isCurrent = (one: NamedView): boolean =>
    one === BUILT_IN_VIEWS[0] ? sameView(view, { ...one, fields: columns.fields }) : sameView(view, one);
  const current = [...saved, ...BUILT_IN_VIEWS].find(isCurrent);
  const currentSaved = saved.find((one) => one === current);
  const open = (one: NamedView) => {
    const { fields, filter, search, sort } = one;
    change({ fields: one === BUILT_IN_VIEWS[0] ? columns.fields : fields, filter, search, sort });
  };
  const rowOf = (one: NamedView, id: string, isApart = false): MenuItem => ({
    id,
    label: one.name,
    isChosen: one === current,
    isApart,
    onSelect: () => open(one),
  });
  const items: MenuItem[] = [
    ...BUILT_IN_VIEWS.map((one) => rowOf(one, one.name)),
    ...saved.map((one, at) => rowOf(one, `saved-${one.id}`, at === 0)),
    { id: "save", label: "Save this view…", icon: Save, isApart: true, onSelect: () => setSaving(true) },
    ...(currentSaved === undefined
      ? []
      : [
          {
            id: "delete",
            label: `Delete “${currentSaved.name}”…`,
            icon: Trash2,
            isDanger: true,
            onSelect: () => setDeleting(currentSaved),
          },
        ]),
  ];
  const rowsOnly = current === undefined ? BUILT_IN_VIEWS.find((one) => sameRows(view, one))?.name : undefined;
  const name = current?.name ?? (rowsOnly === undefined ? "Own view" : `${rowsOnly}, other columns`);
  return (
    <>
      <Menu label="Views" icon={Bookmark} items={items} placement="below-end">
        <span className="cut views-name">{name}</span>
      </Menu>
      {isSaving && <SaveView view={view} taken={saved.map((one) => one.name)} onClose={() => setSaving(false)} />}
      {deleting !== null && (
        <Confirm
          title={`Delete the view “${deleting.name}”?`}
          action="Delete view"
          onConfirm={() => remove.mutateAsync(deleting.id)}
          onClose={() => setDeleting(null)}
        >
          <p>Only the view is deleted, for all projects. No data of a crawl is lost.</p>
        </Confirm>
      )}
    </>
  );
}
