/** Views to open, save and delete, and the one that is shown as a file. */
import { useQuery } from "@tanstack/react-query";
import { Bookmark, Braces, Download, Link2, Save, Sheet, TableProperties, Trash2 } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { Field } from "../../components/controls/field.tsx";
import { TextInput } from "../../components/controls/input.tsx";
import { Menu, type MenuItem } from "../../components/controls/menu.tsx";
import { Confirm, Dialog } from "../../components/feedback/dialog.tsx";
import { useToast } from "../../components/feedback/toast.tsx";
import { ApiError } from "../../lib/api.ts";
import { useDeleteView, useSaveView } from "../../lib/changes.ts";
import type { SavedView } from "../../lib/contract.ts";
import { download } from "../../lib/download.ts";
import { formatNumber, plural } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { BUILT_IN_VIEWS, type NamedView } from "./built-in-views.ts";
import { BULK_EXPORTS } from "./bulk-exports.ts";
import { quickFiltersOf } from "./quick-filters.ts";
import { sameRows, sameView, type UrlView } from "./url-view.ts";
import type { ViewControl } from "./view-control.ts";

/** The most views that the server counts in one request. */
const MAX_COUNTED = 50;

/** The built-in views and the saved ones. */
export function ViewsMenu({ control: { view, columns, change } }: { control: ViewControl }) {
  const saved = useQuery(queries.views()).data ?? [];
  const remove = useDeleteView();
  const [isSaving, setSaving] = useState(false);
  const [deleting, setDeleting] = useState<SavedView | null>(null);
  const [isOpen, setOpen] = useState(false);
  const counts = useViewCounts([...BUILT_IN_VIEWS, ...saved], isOpen);
  const { current, name } = viewName(view, columns.fields, saved);
  const currentSaved = saved.find((one) => one === current);
  const open = (one: NamedView) => {
    const { fields, filter, search, sort } = one;
    change({ fields: one === BUILT_IN_VIEWS[0] ? columns.fields : fields, filter, search, sort });
  };
  const rowOf = (one: NamedView, id: string, isApart = false): MenuItem => ({
    id,
    label: one.name,
    hint: counts.get(one),
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
  return (
    <>
      <Menu label="Views" icon={Bookmark} items={items} placement="below-end" onOpenChange={setOpen}>
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
          <p>This deletes the view in all projects. No crawl data is lost.</p>
        </Confirm>
      )}
    </>
  );
}

/** How many rows each view has, once the menu is open: counting all of a large crawl takes a moment. */
function useViewCounts(views: readonly NamedView[], isOpen: boolean): ReadonlyMap<NamedView, string> {
  const counted = views.slice(0, MAX_COUNTED);
  const asked = counted.map(({ filter, search }) => ({ filter, search }));
  const totals = useQuery({ ...queries.counts(useCrawlId(), asked), enabled: isOpen }).data?.totals;
  return new Map(counted.flatMap((one, at) => (totals?.[at] === undefined ? [] : [[one, formatNumber(totals[at])]])));
}

/** The view that is shown, if it has a name, and what to call it otherwise. */
function viewName(view: UrlView, ownFields: readonly string[], saved: readonly SavedView[]) {
  // "All URLs" has the columns that the user chose.
  const isCurrent = (one: NamedView): boolean =>
    sameView(view, one === BUILT_IN_VIEWS[0] ? { ...one, fields: [...ownFields] } : one);
  const current = [...saved, ...BUILT_IN_VIEWS].find(isCurrent);
  const rowsOnly = BUILT_IN_VIEWS.find((one) => sameRows(view, one))?.name;
  const name = current?.name ?? (rowsOnly === undefined ? "Custom view" : `${rowsOnly} (custom columns)`);
  return { current, name, rowsName: current?.name ?? rowsOnly ?? null };
}

/** What the rows are, for the name of a file: the view's name, or those of its quick filters and its search. */
function rowsName(view: UrlView, ownFields: readonly string[], saved: readonly SavedView[]): string {
  const { rowsName } = viewName(view, ownFields, saved);
  if (rowsName !== null) return rowsName === BUILT_IN_VIEWS[0]!.name ? "urls" : rowsName;
  const quick = quickFiltersOf(view.filter).map(({ label }) => label);
  return [...quick, view.search ?? ""].join(" ").trim() || "filtered";
}

/** Saves the current columns, filters and order under a name. */
export function SaveView({ view, taken, onClose }: { view: UrlView; taken: readonly string[]; onClose: () => void }) {
  const [name, setName] = useState("");
  const save = useSaveView();
  const toast = useToast();
  const formId = useId();
  const typed = name.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed === "") return;
    save.mutate(
      { ...view, name: typed },
      {
        onSuccess: () => {
          toast.show({ tone: "ok", title: `Saved as “${typed}”` });
          onClose();
        },
      },
    );
  };
  return (
    <Dialog
      title="Save this view"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} look="primary" disabled={typed === ""} isBusy={save.isPending}>
            {taken.includes(typed) ? "Replace view" : "Save view"}
          </Button>
        </>
      }
    >
      <form id={formId} className="stack" onSubmit={submit}>
        <Field
          label="Name"
          help={
            taken.includes(typed)
              ? "A view with this name exists and will be replaced."
              : `${plural(view.fields.length, "column")}, ${plural(view.filter.length, "filter")}. It works in every project.`
          }
          error={save.error === null ? null : save.error instanceof ApiError ? save.error.message : String(save.error)}
        >
          {(control) => (
            <TextInput
              {...control}
              data-autofocus
              maxLength={100}
              autoComplete="off"
              placeholder="For example: Broken product pages"
              value={name}
              onValue={setName}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}

/** Exports the shown rows and columns. The browser downloads the file itself, however large it is. */
export function ExportMenu({ crawlId, control: { view, columns } }: { crawlId: number; control: ViewControl }) {
  const saved = useQuery(queries.views()).data ?? [];
  const name = rowsName(view, columns.fields, saved);
  const save = (format: "csv" | "jsonl", fields: readonly string[] | undefined) => {
    const { filter, search, sort } = view;
    download(crawlId, {
      ...{ format, fields: fields?.join(","), filter, search, sort },
      ...{ name, labels: format === "csv" },
    });
  };
  return (
    <Menu
      label="Export"
      icon={Download}
      placement="below-end"
      items={[
        { id: "csv", label: "This view as CSV", icon: Sheet, onSelect: () => save("csv", view.fields) },
        { id: "jsonl", label: "This view as JSON lines", icon: Braces, onSelect: () => save("jsonl", view.fields) },
        {
          id: "all",
          label: "These rows, all columns, as CSV",
          icon: TableProperties,
          isApart: true,
          onSelect: () => save("csv", undefined),
        },
        {
          id: "inlinks",
          label: "All links to these URLs, as CSV",
          icon: Link2,
          onSelect: () =>
            download(crawlId, {
              ...{ what: "links", format: "csv", filter: view.filter, search: view.search },
              ...{ name: `${name} inlinks`, labels: true },
            }),
        },
        ...BULK_EXPORTS.map(({ id, label, query }, at) => ({
          id,
          label,
          isApart: at === 0,
          onSelect: () => download(crawlId, query),
        })),
      ]}
    />
  );
}
