/** The tree of discovery: under each page, those that were found on it first. Unfolded step by step, by mouse or keyboard. */
import { createContext, type KeyboardEvent, use, useMemo, useRef, useState } from "react";
import { Card } from "../../components/card.tsx";
import { useInspect } from "../url-drawer/use-inspect.ts";
import { treeMove } from "./tree-keys.ts";
import { TreeLevel } from "./tree-level.tsx";
import "./tree-view.css";

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
            aria-label="Pages by where they were found first"
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
