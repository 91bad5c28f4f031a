/** What a key does in a tree, by the usual rules: up and down, expand and collapse, first and last. */

export interface TreeItem {
  level: number;
  /** Null for an item without children. */
  isExpanded: boolean | null;
}

export type TreeMove = { kind: "focus"; at: number } | { kind: "toggle"; at: number };

/** `items` are the visible ones, from top to bottom. Null when the key does nothing here. */
export function treeMove(items: readonly TreeItem[], at: number, key: string): TreeMove | null {
  const item = items[at];
  if (item === undefined) return null;
  const focus = (to: number): TreeMove | null =>
    to >= 0 && to < items.length && to !== at ? { kind: "focus", at: to } : null;
  switch (key) {
    case "ArrowDown":
      return focus(at + 1);
    case "ArrowUp":
      return focus(at - 1);
    case "Home":
      return focus(0);
    case "End":
      return focus(items.length - 1);
    case "ArrowRight":
      if (item.isExpanded === null) return null;
      return item.isExpanded ? focus(at + 1) : { kind: "toggle", at };
    case "ArrowLeft":
      if (item.isExpanded === true) return { kind: "toggle", at };
      return focus(items.findLastIndex(({ level }, place) => place < at && level < item.level));
    case " ":
      return item.isExpanded === null ? null : { kind: "toggle", at };
    default:
      return null;
  }
}
