/** The place where the graph is drawn. Makes the drawing, and tells it what is looked at. */
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from "react";
import { EmptyState } from "../../components/states.tsx";
import type { Graph } from "../../lib/contract.ts";
import { onThemeChange } from "../../lib/theme.ts";
import { type DrawingEvents, GraphDrawing, type Looked } from "./graph-drawing.ts";

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
      // Without WebGL there is no drawing; the tree and the table tell the same.
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
