/** The table of the Explorer: rows by number, the active row, and opening the drawer. */
import { CircleAlert, SearchX } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { Grid } from "../../components/data/grid/grid.tsx";
import { Kbd } from "../../components/data/labels.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../components/feedback/states.tsx";
import { useToast } from "../../components/feedback/toast.tsx";
import { problemFrom } from "../../lib/api.ts";
import type { Field } from "../../lib/contract.ts";
import { formatNumber, plural } from "../../lib/format.ts";
import { useCrawlId, usePlace } from "../../lib/place.ts";
import { useThrottled } from "../../lib/timing.ts";
import { urlParts } from "../../lib/web-link.ts";
import { ROWS_GROUP, useShortcuts } from "../../shell/shortcuts.tsx";
import { useInspect, useOfferRowSteps } from "../url-drawer/inspect.tsx";
import { BUILT_IN_VIEWS } from "./built-in-views.ts";
import { SelectionBar, useRowSelection, useSelectable } from "./row-selection.tsx";
import { urlColumns } from "./url-columns.tsx";
import { type RowWindow, useUrlRows } from "./url-rows.ts";
import { nextSort } from "./url-view.ts";
import type { ViewControl } from "./view-control.ts";

/** While the scroll bar is dragged, rows are fetched at most this often. */
const WINDOW_MS = 80;

interface RowKeys {
  step: (by: 1 | -1) => void;
  open: () => void;
  copy: () => void;
  choose: () => void;
}

function useRowKeys(hasRows: boolean, { step, open, copy, choose }: RowKeys): void {
  const keysFor = (keys: string, label: string, run: () => void) => ({
    keys,
    label,
    group: ROWS_GROUP,
    run,
    when: () => hasRows,
  });
  useShortcuts([
    keysFor("j", "Next row", () => step(1)),
    keysFor("ArrowDown", "Next row", () => step(1)),
    keysFor("k", "Previous row", () => step(-1)),
    keysFor("ArrowUp", "Previous row", () => step(-1)),
    keysFor("Enter", "Open the row", open),
    keysFor("c", "Copy the URL of the row", copy),
    keysFor("x", "Choose the row", choose),
  ]);
}

export function UrlGrid({ control, fields }: { control: ViewControl; fields: readonly Field[] }) {
  const { view, columns, change, keepColumns } = control;
  const [window, setWindow] = useState<RowWindow>({ first: 0, last: 0 });
  const [active, setActive] = useState(-1);
  const rows = useUrlRows(useCrawlId(), view, useThrottled(window, WINDOW_MS));
  const inspect = useInspect();
  const toast = useToast();
  const total = rows.total ?? 0;
  const resetKey = JSON.stringify([view.filter, view.search, view.sort]);
  const selection = useRowSelection(rows, resetKey);
  const [shownKey, setShownKey] = useState(resetKey);
  if (shownKey !== resetKey) {
    // Different rows: the number of the old one means nothing now.
    setShownKey(resetKey);
    setActive(-1);
  }

  const open = async (index: number, isStep: boolean) => {
    setActive(index);
    try {
      const url = (rows.rowAt(index) ?? (await rows.fetchRow(index)))?.["url"];
      if (typeof url === "string") inspect.open(url, isStep);
    } catch (error) {
      toast.fail(error);
    }
  };
  const activeUrl = rows.rowAt(active)?.["url"];
  const isInspected = inspect.url !== null && inspect.url === activeUrl;
  useOfferRowSteps(
    isInspected
      ? { place: active + 1, total, step: (by) => void open(Math.max(0, Math.min(active + by, total - 1)), true) }
      : null,
  );
  const copy = async () => {
    const text = inspect.url ?? activeUrl;
    if (typeof text !== "string") return;
    await navigator.clipboard.writeText(text).then(
      () => toast.show({ tone: "ok", title: "URL copied", detail: text }),
      () => toast.show({ tone: "bad", title: "The browser did not allow copying" }),
    );
  };
  const step = (by: 1 | -1) => {
    const next = Math.max(0, Math.min(active + by, total - 1));
    if (isInspected) void open(next, true);
    else setActive(next);
  };
  useRowKeys(total > 0, {
    step,
    open: () => void open(Math.max(0, active), inspect.url !== null),
    copy: () => void copy(),
    choose: () => active >= 0 && selection.toggle(active, false),
  });

  const { crawl } = usePlace();
  const ownOrigin = crawl === null ? null : urlParts(crawl.url).origin;
  const factColumns = useMemo(() => urlColumns(view.fields, fields, ownOrigin), [view.fields, fields, ownOrigin]);
  const selectable = useSelectable(selection, rows.indexOf, { columns: factColumns, pinned: columns.pinned });
  const onWindow = useCallback((first: number, last: number) => setWindow({ first, last }), []);
  const sortName = view.sort?.replace(/^-/, "") ?? null;
  if (rows.error !== null) return <Failed error={rows.error} control={control} onRetry={rows.retry} />;
  if (rows.total === null || fields.length === 0) return <Skeleton lines={12} />;
  return (
    <section className="explorer-table" aria-label="URLs">
      {total === 0 ? (
        <NoRows control={control} />
      ) : (
        <Grid
          label="URLs of the crawl"
          {...selectable}
          widths={columns.widths}
          onWidths={(widths) => keepColumns({ widths })}
          sort={sortName === null ? null : { id: sortName, isDescending: view.sort !== sortName }}
          onSort={(id) => change({ sort: nextSort(view.sort, id, isNumber(fields, id)) })}
          total={total}
          rowAt={rows.rowAt}
          onWindow={onWindow}
          active={active}
          onActive={(index) => (isInspected ? void open(index, true) : setActive(index))}
          onOpen={(index) => void open(index, inspect.url !== null)}
          isStale={rows.isStale}
          resetKey={resetKey}
          isFirst={inspect.url === null}
        />
      )}
      <SelectionBar selection={selection} fields={view.fields} />
      <GridFoot active={active} total={total} />
    </section>
  );
}

const GridFoot = ({ active, total }: { active: number; total: number }) => (
  <footer className="explorer-foot">
    <span role="status">
      {active >= 0 ? `Row ${formatNumber(active + 1)} of ${plural(total, "URL")}` : plural(total, "URL")}
    </span>
    <span className="explorer-keys">
      <Kbd keys="j" />
      <Kbd keys="k" /> move <Kbd keys="Enter" /> open <Kbd keys="c" /> copy <Kbd keys="x" /> choose <Kbd keys="/" />{" "}
      search
    </span>
  </footer>
);

const isNumber = (fields: readonly Field[], name: string): boolean =>
  fields.find((field) => field.name === name)?.type === "number";

/** The server cannot read the view in the address: an old link, or a typing mistake. */
function Failed({ error, control, onRetry }: { error: unknown; control: ViewControl; onRetry: () => void }) {
  const { code, detail = "" } = problemFrom(error);
  if (code !== "BAD_USAGE") return <ErrorState error={error} onRetry={onRetry} />;
  return (
    <EmptyState
      icon={CircleAlert}
      title="This view cannot be shown"
      action={<Button onClick={() => control.change(BUILT_IN_VIEWS[0]!)}>Show all URLs</Button>}
    >
      {/* The sentence that says what is wrong; the list of all fields after it is what the menus are for. */}
      {detail.replace(/ Fields: .*$/s, "")}
    </EmptyState>
  );
}

function NoRows({ control: { view, columns, change } }: { control: ViewControl }) {
  const isFiltered = view.filter.length > 0 || view.search !== null;
  return isFiltered ? (
    <EmptyState
      icon={SearchX}
      title="No URLs match"
      action={
        <Button onClick={() => change({ filter: [], search: null, fields: columns.fields })}>
          Clear search and filters
        </Button>
      }
    >
      A URL must match every filter. Remove one, or shorten the search.
    </EmptyState>
  ) : (
    <EmptyState icon={SearchX} title="No URLs yet">
      The crawl has not found any. They appear here as it does.
    </EmptyState>
  );
}
