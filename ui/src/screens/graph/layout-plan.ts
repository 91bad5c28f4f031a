/** How the layout of a graph is computed: initial positions, and the number of steps. */

export interface LayoutInput {
  /** In the order of the graph: the size of each page, and the name of its section. */
  sizes: readonly number[];
  sections: readonly string[];
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

/** How far apart pages start. */
const APART = 10;

/**
 * Each section on a spiral of its own, around the middle, in the order in which they are first met: the forces then only have
 * to move a page within its surroundings, and thousands of pages show the sections of the site instead of a mixture.
 */
export function firstPositions(sections: readonly string[]): { x: number; y: number }[] {
  const sizes = new Map<string, number>();
  for (const name of sections) sizes.set(name, (sizes.get(name) ?? 0) + 1);
  const radius = sizes.size === 1 ? 0 : APART * Math.sqrt(sections.length);
  let turned = 0;
  const centres = new Map<string, { x: number; y: number; placed: number }>();
  for (const [name, size] of sizes) {
    const angle = (2 * Math.PI * (turned + size / 2)) / sections.length;
    turned += size;
    centres.set(name, { x: radius * Math.cos(angle), y: radius * Math.sin(angle), placed: 0 });
  }
  return sections.map((name) => {
    const centre = centres.get(name)!;
    const place = centre.placed++;
    const far = APART * Math.sqrt(place);
    return { x: centre.x + far * Math.cos(place * TURN), y: centre.y + far * Math.sin(place * TURN) };
  });
}

/**
 * How strongly a link pulls its ends together. Ten links on one page pull more than one, but not ten times as much; a
 * link to what everything links to, such as the start, says little about where a page belongs.
 */
export const edgeWeight = (count: number, linksToTarget: number): number =>
  (1 + Math.log2(Math.max(1, count))) / Math.sqrt(Math.max(1, linksToTarget));
