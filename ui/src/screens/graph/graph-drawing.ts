/** The drawing of a link graph by sigma: what is shown, dimmed and highlighted. React uses only these few calls. */
import { DirectedGraph } from "graphology";
import Sigma from "sigma";
import type { EdgeDisplayData, NodeDisplayData } from "sigma/types";
import type { Graph } from "../../lib/contract.ts";
import { drawHover, drawLabel, type GraphColors, readColors } from "./drawing-look.ts";
import {
  type Box,
  type GraphNode,
  mostLinksIn,
  nodeLabel,
  nodeSize,
  type Sections,
  sectionName,
  sectionsOf,
  smaller,
} from "./graph-model.ts";
import { firstPositions } from "./layout-plan.ts";

export interface DrawingEvents {
  onHover: (node: GraphNode | null) => void;
  onOpen: (node: GraphNode) => void;
}

/** What is searched for, hidden and selected. */
export interface Looked {
  /** Null for all. */
  matches: Set<number> | null;
  hiddenSections: ReadonlySet<string>;
  selectedUrl: string | null;
}

/** Up to this many links can be told apart. */
const FEW_EDGES = 400;
/** Above this many links, they are hidden while the drawing is moved, so that it stays smooth. */
const MANY_EDGES = 3_000;

/** Pages from this size on have labels, where there is room. */
const LABELLED = 5;

export class GraphDrawing {
  readonly #graph = new DirectedGraph();
  readonly #nodes: ReadonlyMap<string, GraphNode>;
  readonly #sigma: Sigma;
  readonly #container: HTMLElement;
  /** Sigma itself only notices the window: a note above the drawing, or a drawer, changes its size too. */
  readonly #resized = new ResizeObserver(() => this.#sigma.resize().refresh({ skipIndexation: true }));
  #colors: GraphColors;
  #looked: Looked = { matches: null, hiddenSections: new Set(), selectedUrl: null };
  /** Where labels were drawn in this frame. */
  #labels: Box[] = [];
  readonly #sections: Sections;
  /** Few links are always drawn; of many, those of the hovered, open or searched page. */
  readonly #hasFewEdges: boolean;
  #hovered: string | null = null;
  /** The hovered or open page and its neighbours; null if there isn't one. */
  #near: Set<string> | null = null;

  constructor(container: HTMLElement, { nodes, edges }: Graph, events: DrawingEvents) {
    this.#container = container;
    this.#colors = readColors(container);
    this.#nodes = new Map(nodes.map((node) => [String(node.id), node]));
    this.#sections = sectionsOf(nodes);
    this.#hasFewEdges = edges.length <= FEW_EDGES;
    const most = mostLinksIn(nodes);
    const first = firstPositions(nodes.map(({ url }) => sectionName(url)));
    for (const [place, node] of nodes.entries()) {
      this.#graph.addNode(node.id, {
        ...first[place],
        size: nodeSize(node.inlinks, most, nodes.length),
        label: nodeLabel(node),
      });
    }
    for (const { source, target, count } of edges) this.#graph.addEdge(source, target, { size: count > 3 ? 0.9 : 0.5 });
    this.#sigma = new Sigma(this.#graph, container, {
      nodeReducer: (id, data) => this.#nodeLook(id, data as NodeDisplayData),
      edgeReducer: (id, data) => this.#edgeLook(id, data as EdgeDisplayData),
      defaultDrawNodeHover: (context, data, settings) => drawHover(context, data, settings, this.#colors),
      defaultDrawNodeLabel: (context, data, settings) => drawLabel(context, data, settings, this.#colors, this.#labels),
      labelFont: getComputedStyle(container).fontFamily,
      labelSize: 11,
      labelRenderedSizeThreshold: LABELLED * smaller(nodes.length),
      labelDensity: 1,
      hideEdgesOnMove: edges.length > MANY_EDGES,
      zIndex: true,
      minCameraRatio: 0.03,
      maxCameraRatio: 2.5,
      // A tab that has not been shown yet has no size.
      allowInvalidContainer: true,
    });
    this.#sigma.on("beforeRender", () => {
      this.#labels = [];
    });
    this.#sigma.on("enterNode", ({ node }) => this.#hover(node, events));
    this.#sigma.on("leaveNode", () => this.#hover(null, events));
    this.#sigma.on("clickNode", ({ node }) => events.onOpen(this.#nodes.get(node)!));
    this.#resized.observe(container);
    this.recolor();
  }

  setPositions(positions: Float32Array): void {
    let at = 0;
    this.#graph.updateEachNodeAttributes((_id, data) => ({ ...data, x: positions[at++], y: positions[at++] }), {
      attributes: ["x", "y"],
    });
  }

  look(looked: Looked): void {
    this.#looked = looked;
    this.#findNear();
  }

  /** Call it after the theme changed. */
  recolor(): void {
    this.#colors = readColors(this.#container);
    this.#sigma.setSetting("labelColor", { color: this.#colors.ink });
    this.#sigma.refresh();
  }

  /** Moves a page to the centre. */
  goTo(id: number, isStill: boolean): void {
    const place = this.#sigma.getNodeDisplayData(String(id));
    if (place === undefined) return;
    void this.#sigma.getCamera().animate({ x: place.x, y: place.y, ratio: 0.3 }, { duration: isStill ? 0 : 400 });
  }

  zoom(by: "in" | "out" | "whole", isStill: boolean): void {
    const camera = this.#sigma.getCamera();
    const options = { duration: isStill ? 0 : 200 };
    if (by === "whole") void camera.animatedReset(options);
    else if (by === "in") void camera.animatedZoom(options);
    else void camera.animatedUnzoom(options);
  }

  destroy(): void {
    this.#resized.disconnect();
    this.#sigma.kill();
  }

  #hover(id: string | null, { onHover }: DrawingEvents): void {
    this.#hovered = id;
    this.#container.style.cursor = id === null ? "" : "pointer";
    this.#findNear();
    onHover(id === null ? null : this.#nodes.get(id)!);
  }

  #findNear(): void {
    const { selectedUrl } = this.#looked;
    const selected =
      selectedUrl === null ? undefined : this.#graph.findNode((id) => this.#nodes.get(id)?.url === selectedUrl);
    const middle = this.#hovered ?? selected;
    this.#near = middle === undefined ? null : new Set([middle, ...this.#graph.neighbors(middle)]);
    this.#sigma.refresh({ skipIndexation: true });
  }

  #isHidden(id: string): boolean {
    return this.#looked.hiddenSections.has(this.#sections.of(this.#nodes.get(id)!).name);
  }

  #isLookedFor(...ids: string[]): boolean {
    const { matches } = this.#looked;
    return matches === null || ids.some((id) => matches.has(Number(id)));
  }

  #nodeLook(id: string, data: NodeDisplayData): Partial<NodeDisplayData> {
    const node = this.#nodes.get(id)!;
    const { matches, selectedUrl } = this.#looked;
    const isOut = (this.#near !== null && !this.#near.has(id)) || !this.#isLookedFor(id);
    if (this.#isHidden(id)) return { ...data, hidden: true };
    if (isOut) return { ...data, color: this.#colors.dimmed, label: "", zIndex: 0 };
    return {
      ...data,
      color: this.#colors.section(this.#sections.of(node).color),
      zIndex: 1,
      highlighted: node.url === selectedUrl,
      forceLabel: matches !== null && matches.size <= 30,
    };
  }

  #edgeLook(id: string, data: EdgeDisplayData): Partial<EdgeDisplayData> {
    const [source, target] = this.#graph.extremities(id);
    if (this.#isHidden(source) || this.#isHidden(target)) return { ...data, hidden: true };
    if (this.#near === null) {
      const isFound = this.#looked.matches !== null && this.#isLookedFor(source, target);
      if (!isFound && !this.#hasFewEdges) return { ...data, hidden: true };
      return { ...data, color: this.#isLookedFor(source, target) ? this.#colors.edge : this.#colors.faintEdge };
    }
    const isNear = this.#near.has(source) && this.#near.has(target);
    const middle = this.#near.values().next().value;
    if (!isNear || (source !== middle && target !== middle)) return { ...data, hidden: true };
    return { ...data, color: this.#colors.accent, size: 1.2, zIndex: 1 };
  }
}
