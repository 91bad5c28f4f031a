/** Rows that the user has ticked, kept by their number in the crawl, and what can be done with them together. */
import { Braces, Copy, Link2, Sheet, X } from "lucide-react";
import { type MouseEvent, useCallback, useMemo, useRef, useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { Menu } from "../../components/controls/menu.tsx";
import type { GridColumn } from "../../components/data/grid/grid-columns.ts";
import { useToast } from "../../components/feedback/toast.tsx";
import type { UrlRow } from "../../lib/contract.ts";
import { download } from "../../lib/download.ts";
import { plural } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";

/** They are named in the address of the export, which servers and browsers limit. */
const MOST = 500;
const SELECT_COLUMN = "select";

interface RowSource {
  rowAt: (index: number) => UrlRow | undefined;
  fetchRow: (index: number) => Promise<UrlRow | undefined>;
}

export interface RowSelection {
  /** URLs by number. */
  chosen: ReadonlyMap<number, string>;
  toggle: (index: number, isRange: boolean) => void;
  clear: () => void;
}

const NONE: ReadonlyMap<number, string> = new Map();

/** `key`: when it changes, the rows are others, and nothing is chosen any more. */
export function useRowSelection({ rowAt, fetchRow }: RowSource, key: string): RowSelection {
  const [state, setState] = useState({ key, chosen: NONE });
  const toast = useToast();
  const last = useRef<number | null>(null);
  const chosen = state.key === key ? state.chosen : NONE;
  const toggle = async (index: number, isRange: boolean) => {
    const from = isRange && last.current !== null && state.key === key ? last.current : index;
    last.current = index;
    const [first, end] = [Math.min(from, index), Math.max(from, index)];
    const indexes = Array.from({ length: Math.min(end - first + 1, MOST) }, (_, at) => first + at);
    try {
      const rows = await Promise.all(indexes.map((at) => rowAt(at) ?? fetchRow(at)));
      const next = new Map(chosen);
      const isRemoved = from === index && next.has(Number(rows[0]?.["number"]));
      for (const row of rows) {
        const number = Number(row?.["number"]);
        if (isRemoved) next.delete(number);
        else if (row !== undefined && next.size < MOST) next.set(number, String(row["url"]));
      }
      setState({ key, chosen: next });
      if (next.size === MOST)
        toast.show({
          tone: "info",
          title: `You can select at most ${MOST} rows`,
          detail: "For more, use a filter and export the view.",
        });
    } catch (error) {
      toast.fail(error);
    }
  };
  return {
    chosen,
    toggle: (index, isRange) => void toggle(index, isRange),
    clear: () => setState({ key, chosen: NONE }),
  };
}

/** A box in each row; with Shift, all rows from the one before. */
function useSelectColumn({ chosen, toggle }: RowSelection, indexOf: (row: UrlRow) => number): GridColumn<UrlRow> {
  const act = useRef({ toggle, indexOf });
  act.current = { toggle, indexOf };
  const onClick = useCallback((event: MouseEvent, row: UrlRow) => {
    event.stopPropagation();
    act.current.toggle(act.current.indexOf(row), event.shiftKey);
  }, []);
  return useMemo(
    () => ({
      id: SELECT_COLUMN,
      label: "Chosen",
      isLabelHidden: true,
      info: "Select rows. Shift selects a range; X selects the active row.",
      width: 40,
      cell: (row) => (
        <input
          type="checkbox"
          className="row-choice"
          tabIndex={-1}
          aria-label="Choose this row"
          checked={chosen.has(Number(row["number"]))}
          onClick={(event) => onClick(event, row)}
          readOnly
        />
      ),
    }),
    [chosen, onClick],
  );
}

/** The columns of a grid, with the box before them. */
export function useSelectable(
  selection: RowSelection,
  indexOf: (row: UrlRow) => number,
  { columns, pinned }: { columns: readonly GridColumn<UrlRow>[]; pinned: readonly string[] },
) {
  const box = useSelectColumn(selection, indexOf);
  return useMemo(() => ({ columns: [box, ...columns], pinned: [SELECT_COLUMN, ...pinned] }), [box, columns, pinned]);
}

export function SelectionBar({
  selection: { chosen, clear },
  fields,
}: {
  selection: RowSelection;
  fields: readonly string[];
}) {
  const crawlId = useCrawlId();
  const toast = useToast();
  if (chosen.size === 0) return null;
  const filter = [`number=${[...chosen.keys()].join(",")}`];
  const one = chosen.size === 1;
  const links = () => download(crawlId, { what: "links", format: "csv", filter, name: "chosen inlinks", labels: true });
  const rows = (format: "csv" | "jsonl") =>
    download(crawlId, { format, filter, fields: fields.join(","), name: "chosen", labels: format === "csv" });
  const copy = () =>
    navigator.clipboard.writeText([...chosen.values()].join("\n")).then(
      () => toast.show({ tone: "ok", title: `${plural(chosen.size, "URL")} copied` }),
      () => toast.show({ tone: "bad", title: "The browser did not allow copying" }),
    );
  return (
    <section className="row selection-bar" aria-label="Chosen rows">
      <span role="status">{plural(chosen.size, "row")} chosen</span>
      <Button icon={Link2} onClick={links}>
        Export inlinks
      </Button>
      <Button icon={Copy} onClick={() => void copy()}>
        {one ? "Copy URL" : "Copy URLs"}
      </Button>
      <Menu
        label={one ? "Export row" : "Export rows"}
        icon={Sheet}
        items={[
          { id: "csv", label: "As CSV", icon: Sheet, onSelect: () => rows("csv") },
          { id: "jsonl", label: "As JSON lines", icon: Braces, onSelect: () => rows("jsonl") },
        ]}
      />
      <Button look="quiet" icon={X} onClick={clear}>
        Clear
      </Button>
    </section>
  );
}
