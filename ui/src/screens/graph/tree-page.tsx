/** One page of the tree, with what was found on it once it is opened. */
import { ChevronRight } from "lucide-react";
import { type CSSProperties, useState } from "react";
import { StatusBadge } from "../../components/badge.tsx";
import { InspectLink } from "../../components/crawl-links.tsx";
import { UrlText } from "../../components/url-text.tsx";
import type { Tree } from "../../lib/contract.ts";
import { formatNumber, plural } from "../../lib/format.ts";
import { urlParts } from "../../lib/web-link.ts";
import { TreeLevel } from "./tree-level.tsx";
import { useTreeFocus } from "./tree-view.tsx";

interface TreePageProps {
  page: Tree["rows"][number];
  level: number;
  place: number;
  of: number;
  /** The one that Tab reaches before any other was chosen. */
  isFirst: boolean;
}

export function TreePage({
  page: { id, url, title, status, children, linksIn },
  level,
  place,
  of,
  isFirst,
}: TreePageProps) {
  // The start is open at once: a tree of one line says nothing.
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
      aria-label={`${urlParts(url).path}, ${status ?? "no answer"}${hasChildren ? `, ${plural(children, "page")} found here` : ""}`}
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
        {hasChildren && <span className="tree-count">{plural(children, "page")}</span>}
        <span className="muted tree-links" title="Links that lead here">
          {formatNumber(linksIn)} in
        </span>
      </div>
      {isOpen && (
        // biome-ignore lint/a11y/useSemanticElements: a group of a tree is no set of form fields.
        <div role="group">
          <TreeLevel url={url} level={level + 1} />
        </div>
      )}
    </div>
  );
}
