/** One step of the tree: the pages found on one page, as many as were asked for. */
import { useInfiniteQuery } from "@tanstack/react-query";
import type { CSSProperties } from "react";
import { EmptyState, ErrorState, Skeleton } from "../../components/states.tsx";
import { formatNumber } from "../../lib/format.ts";
import { useCrawlId } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { TreePage } from "./tree-page.tsx";
import { useTreeFocus } from "./tree-view.tsx";

const PART = 50;

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
        // biome-ignore lint/a11y/useKeyWithClickEvents: the tree hears its keys.
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
