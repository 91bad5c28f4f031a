/** The tree of discovery: under each page, those first found on it. Expanded step by step, by mouse or keyboard. */
import { type CSSProperties, createContext, type KeyboardEvent, use, useMemo, useRef, useState } from "react";
import { Card } from "../../components/layout/page.tsx";
import { useInspect } from "../url-drawer/inspect.tsx";
import { treeMove } from "./tree-keys.ts";
import "./tree-view.css";
import { useInfiniteQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { StatusBadge } from "../../components/data/labels.tsx";
import { InspectLink, UrlText } from "../../components/data/links.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../components/feedback/states.tsx";
import type { Tree } from "../../lib/contract.ts";
import { formatNumber, NOTHING, plural } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { urlParts } from "../../lib/web-link.ts";

export interface TreeFocus {
  /** The item that Tab reaches; null for the first. */
  current: string | null;
  setCurrent: (key: string) => void;
}

const Context = createContext<TreeFocus>({ current: null, setCurrent: () => undefined });
export const useTreeFocus = (): TreeFocus => use(Context);

const ITEMS = '[role="treeitem"]';

export function TreeView() {
  const tree = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState<string | null>(null);
  const focus = useMemo(() => ({ current, setCurrent }), [current]);
  const inspect = useInspect();
  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...tree.current!.querySelectorAll<HTMLElement>(ITEMS)];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const item = items[at];
    if (item === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const url = item.dataset["url"];
    const move = treeMove(items.map(stateOf), at, event.key);
    if (event.key === "Enter") {
      if (url === undefined) item.click();
      else inspect.open(url);
    } else if (move?.kind === "focus") {
      items[move.at]!.focus();
    } else if (move?.kind === "toggle") {
      items[move.at]!.querySelector<HTMLElement>("[data-toggle]")!.click();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="graph-scroll">
      <Card isFlush>
        <Context value={focus}>
          <div
            className="tree"
            role="tree"
            aria-label="Pages by where they were first found"
            ref={tree}
            onKeyDown={onKeyDown}
          >
            <TreeLevel url={null} level={1} />
          </div>
        </Context>
      </Card>
    </div>
  );
}

const stateOf = (item: HTMLElement) => ({
  level: Number(item.getAttribute("aria-level")),
  isExpanded: item.hasAttribute("aria-expanded") ? item.getAttribute("aria-expanded") === "true" : null,
});

const PART = 50;

/** One level of the tree: the pages found on one page, as many as were loaded. */
export function TreeLevel({ url, level }: { url: string | null; level: number }) {
  const parts = useInfiniteQuery(queries.tree(useCrawlId(), { url, limit: PART }));
  const { current, setCurrent } = useTreeFocus();
  if (parts.error !== null && parts.data === undefined) {
    return (
      <div role="none">
        <ErrorState error={parts.error} onRetry={() => void parts.refetch()} />
      </div>
    );
  }
  if (parts.data === undefined) {
    return (
      <div role="none" className="tree-wait">
        <Skeleton lines={2} />
      </div>
    );
  }
  const rows = parts.data.pages.flatMap((page) => page.rows);
  const total = parts.data.pages.at(-1)!.total;
  const moreKey = `more ${url}`;
  if (rows.length === 0 && url === null) {
    return (
      <div role="none">
        <EmptyState title="No pages yet">The tree begins with the first page that answers.</EmptyState>
      </div>
    );
  }
  return (
    <>
      {rows.map((row, at) => (
        <TreePage key={row.id} page={row} level={level} place={at + 1} of={total} isFirst={level === 1 && at === 0} />
      ))}
      {parts.hasNextPage && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys.
        <div
          role="treeitem"
          className="tree-item tree-more"
          aria-level={level}
          aria-setsize={total}
          aria-posinset={rows.length + 1}
          tabIndex={current === moreKey ? 0 : -1}
          style={{ "--level": level } as CSSProperties}
          onFocus={(event) => event.target === event.currentTarget && setCurrent(moreKey)}
          onClick={() => !parts.isFetchingNextPage && void parts.fetchNextPage()}
        >
          <span className="tree-row">
            {parts.isFetchingNextPage
              ? "Loading…"
              : `Show more: ${formatNumber(rows.length)} of ${formatNumber(total)}`}
          </span>
        </div>
      )}
    </>
  );
}

interface TreePageProps {
  page: Tree["rows"][number];
  level: number;
  place: number;
  of: number;
  /** The one that Tab reaches before another has been focused. */
  isFirst: boolean;
}

/** One page of the tree, and, once expanded, what was found on it. */
export function TreePage({
  page: { id, url, title, status, children, inlinks },
  level,
  place,
  of,
  isFirst,
}: TreePageProps) {
  // The start is expanded at once: a tree of one line says nothing.
  const [isOpen, setOpen] = useState(isFirst && of === 1);
  const { current, setCurrent } = useTreeFocus();
  const key = String(id);
  const hasChildren = children > 0;
  return (
    <div
      role="treeitem"
      className="tree-item"
      aria-level={level}
      aria-posinset={place}
      aria-setsize={of}
      aria-expanded={hasChildren ? isOpen : undefined}
      aria-label={`${urlParts(url).path}, ${status ?? "no answer"}${hasChildren ? `, ${plural(children, "URL")} found here` : ""}`}
      tabIndex={current === key || (current === null && isFirst) ? 0 : -1}
      data-url={url}
      style={{ "--level": level } as CSSProperties}
      onFocus={(event) => event.target === event.currentTarget && setCurrent(key)}
    >
      <div className="tree-row">
        <button
          type="button"
          data-toggle
          className="tree-toggle"
          tabIndex={-1}
          aria-hidden
          disabled={!hasChildren}
          onClick={() => setOpen(!isOpen)}
        >
          {hasChildren && (
            <ChevronRight size={15} className={isOpen ? "tree-arrow tree-arrow-open" : "tree-arrow"} aria-hidden />
          )}
        </button>
        <StatusBadge status={status} />
        <InspectLink url={url} isOutOfTab>
          <UrlText url={url} isPathOnly={level > 1} />
        </InspectLink>
        <span className="cut muted grow tree-title">{title}</span>
        {hasChildren && <span className="tree-count">{`${formatNumber(children)} found here`}</span>}
        <span className="muted tree-links" title="Links to this page">
          {inlinks === null ? NOTHING : `${plural(inlinks, "link")} in`}
        </span>
      </div>
      {isOpen && (
        // biome-ignore lint/a11y/useSemanticElements: a group in a tree is not a set of form fields.
        <div role="group">
          <TreeLevel url={url} level={level + 1} />
        </div>
      )}
    </div>
  );
}
