/** What the address of the graph holds: which view, and how many pages. */

export const GRAPH_VIEWS = ["force", "tree", "table"] as const;
export type GraphView = (typeof GRAPH_VIEWS)[number];

/** More than the last cannot be distinguished on a screen; the server returns no more either. */
export const NODE_COUNTS = [100, 250, 500, 1_000, 2_000] as const;
export const DEFAULT_NODES = 500;

export interface GraphSearch {
  view?: GraphView;
  nodes?: number;
}

export const graphSearch = (search: Record<string, unknown>): GraphSearch => ({
  view: GRAPH_VIEWS.find((view) => view === search["view"]),
  nodes: NODE_COUNTS.find((count) => count === Number(search["nodes"])),
});
