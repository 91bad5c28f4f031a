/** How the layout of a graph is computed: initial positions, and the number of steps. */

export interface LayoutInput {
  /** In the order of the graph: the size of each page. */
  sizes: readonly number[];
  /** Indexes in that order, and how strongly the two attract each other. */
  edges: readonly { source: number; target: number; weight: number }[];
}

export interface LayoutStep {
  done: number;
  of: number;
  /** x and y of each page, in the order of the graph. */
  positions: Float32Array;
}

/** Rounds between two updates of the drawing. */
export const ROUNDS_A_STEP = 10;

/** A few pages take many cheap rounds; with many pages each round is expensive, and the shape shows early. */
export const roundsFor = (nodes: number): number => (nodes <= 250 ? 500 : nodes <= 1_000 ? 300 : 180);

/** The golden angle: neighbours on the spiral never line up, and the same graph always starts the same way. */
const TURN = Math.PI * (3 - Math.sqrt(5));

/** On a spiral, the most linked page in the middle. */
export function firstPosition(place: number): { x: number; y: number } {
  const far = 10 * Math.sqrt(place);
  return { x: far * Math.cos(place * TURN), y: far * Math.sin(place * TURN) };
}

/**
 * How strongly a link pulls its ends together. Ten links on one page pull more than one, but not ten times as much; a
 * link to what everything links to, such as the start, says little about where a page belongs.
 */
export const edgeWeight = (count: number, linksToTarget: number): number =>
  (1 + Math.log2(Math.max(1, count))) / Math.sqrt(Math.max(1, linksToTarget));
