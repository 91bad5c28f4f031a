/** Runs the layout of a graph in a worker, and tells its steps. Leaving ends it. */
import { useEffect, useState } from "react";
import type { Graph } from "../../lib/contract.ts";
import { mostLinksIn, nodeSize } from "./graph-model.ts";
import { edgeWeight, type LayoutInput, type LayoutStep } from "./layout-plan.ts";

export interface Layout {
  /** Null until the first. */
  step: LayoutStep | null;
  /** The worker could not run: pages stay where they began. */
  hasFailed: boolean;
}

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
    sizes: nodes.map(({ linksIn }) => nodeSize(linksIn, most)),
    edges: edges.map(({ source, target, count }) => ({
      source: places.get(source)!,
      target: places.get(target)!,
      weight: edgeWeight(count, linksTo.get(target)!.length),
    })),
  };
}
