/** The element in which the graph is drawn. Creates the drawing, and passes on what is selected. */
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from "react";
import { EmptyState } from "../../components/feedback/states.tsx";
import type { Graph } from "../../lib/contract.ts";
import { onThemeChange } from "../../lib/theme.ts";
import { type DrawingEvents, GraphDrawing, type Looked } from "./graph-drawing.ts";
import { mostLinksIn, nodeSize, sectionName } from "./graph-model.ts";
import { edgeWeight, type LayoutInput, type LayoutStep } from "./layout-plan.ts";

export interface CanvasHandle {
  goTo: (id: number) => void;
  zoom: (by: "in" | "out" | "whole") => void;
}

export interface GraphCanvasProps extends DrawingEvents {
  graph: Graph;
  /** x and y of each page; null while none is known. */
  positions: Float32Array | null;
  looked: Looked;
  isShown: boolean;
  isStill: boolean;
  ref: Ref<CanvasHandle>;
}

export function GraphCanvas({ graph, positions, looked, isShown, isStill, onHover, onOpen, ref }: GraphCanvasProps) {
  const box = useRef<HTMLDivElement>(null);
  const [drawing, setDrawing] = useState<GraphDrawing | null>(null);
  const [isImpossible, setImpossible] = useState(false);
  const events = useRef<DrawingEvents>({ onHover, onOpen });
  events.current = { onHover, onOpen };

  useEffect(() => {
    let made: GraphDrawing;
    try {
      made = new GraphDrawing(box.current!, graph, {
        onHover: (node) => events.current.onHover(node),
        onOpen: (node) => events.current.onOpen(node),
      });
    } catch {
      // Without WebGL there is no drawing; the tree and the table show the same.
      setImpossible(true);
      return;
    }
    setDrawing(made);
    const unfollow = onThemeChange(() => made.recolor());
    return () => {
      unfollow();
      setDrawing(null);
      made.destroy();
    };
  }, [graph]);

  useEffect(() => {
    if (positions !== null) drawing?.setPositions(positions);
  }, [drawing, positions]);
  useEffect(() => drawing?.look(looked), [drawing, looked]);
  useImperativeHandle(
    ref,
    () => ({ goTo: (id) => drawing?.goTo(id, isStill), zoom: (by) => drawing?.zoom(by, isStill) }),
    [drawing, isStill],
  );

  if (isImpossible) {
    return (
      <EmptyState title="This browser cannot draw the graph">
        WebGL is switched off here. The tree and the table show the same pages.
      </EmptyState>
    );
  }
  return <div ref={box} className="graph-canvas" style={{ visibility: isShown ? undefined : "hidden" }} />;
}

export interface Layout {
  /** Null until the first. */
  step: LayoutStep | null;
  /** The worker could not run: pages stay in their initial positions. */
  hasFailed: boolean;
}

/** Runs the layout of a graph in a worker, step by step. Unmounting ends it. */
export function useLayout(graph: Graph): Layout {
  const [step, setStep] = useState<LayoutStep | null>(null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    setStep(null);
    setFailed(false);
    const worker = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<LayoutStep>) => {
      setStep(data);
      if (data.done >= data.of) worker.terminate();
    };
    worker.onerror = () => setFailed(true);
    worker.postMessage(inputOf(graph));
    return () => worker.terminate();
  }, [graph]);
  return { step, hasFailed };
}

function inputOf({ nodes, edges }: Graph): LayoutInput {
  const places = new Map(nodes.map(({ id }, place) => [id, place]));
  const most = mostLinksIn(nodes);
  const linksTo = Map.groupBy(edges, ({ target }) => target);
  return {
    sizes: nodes.map(({ inlinks }) => nodeSize(inlinks, most)),
    sections: nodes.map(({ url }) => sectionName(url)),
    edges: edges.map(({ source, target, count }) => ({
      source: places.get(source)!,
      target: places.get(target)!,
      weight: edgeWeight(count, linksTo.get(target)!.length),
    })),
  };
}
