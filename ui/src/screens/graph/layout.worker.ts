/** The layout, off the main thread: ForceAtlas2 in steps, each of which is posted. */
import { UndirectedGraph } from "graphology";
import forceAtlas2 from "graphology-layout-forceatlas2";
import { firstPositions, type LayoutInput, type LayoutStep, ROUNDS_A_STEP, roundsFor } from "./layout-plan.ts";

interface WorkerScope {
  onmessage: ((event: MessageEvent<LayoutInput>) => void) | null;
  postMessage(step: LayoutStep, moved: Transferable[]): void;
}
const scope = self as unknown as WorkerScope;

/** Above this, there are too many pairs of pages to compare each. */
const MANY_NODES = 400;

scope.onmessage = ({ data: { sizes, sections, edges } }) => {
  const graph = new UndirectedGraph();
  const first = firstPositions(sections);
  for (const [place, size] of sizes.entries()) graph.addNode(place, { ...first[place], size });
  for (const { source, target, weight } of edges) graph.mergeEdge(source, target, { weight });
  const settings = {
    ...forceAtlas2.inferSettings(sizes.length),
    barnesHutOptimize: sizes.length > MANY_NODES,
    // Pulls groups together more than plain distances: menus link everything to everything.
    linLogMode: true,
    // As a library, it would be more careful with many pages, and have moved them too little by the last round.
    slowDown: 2,
    gravity: 0.05,
    scalingRatio: 2,
  };
  const of = roundsFor(sizes.length);
  for (let done = ROUNDS_A_STEP; done <= of; done += ROUNDS_A_STEP) {
    forceAtlas2.assign(graph, { iterations: ROUNDS_A_STEP, settings });
    const positions = new Float32Array(2 * sizes.length);
    graph.forEachNode((place, { x, y }) => positions.set([x, y], 2 * Number(place)));
    scope.postMessage({ done, of, positions }, [positions.buffer]);
  }
};
