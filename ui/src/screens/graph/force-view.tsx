/** The link graph as a drawing: pages sized by the links to them, coloured by section, arranged by their links. */
import { Maximize, Minus, Plus } from "lucide-react";
import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { IconButton } from "../../components/controls/button.tsx";
import { TextInput } from "../../components/controls/input.tsx";
import { ProgressBar } from "../../components/data/bars.tsx";
import { StatusBadge } from "../../components/data/labels.tsx";
import { UrlText } from "../../components/data/links.tsx";
import type { Graph } from "../../lib/contract.ts";
import { formatNumber, plural } from "../../lib/format.ts";
import { useInspect } from "../url-drawer/inspect.tsx";
import { type CanvasHandle, GraphCanvas, useLayout } from "./graph-canvas.tsx";
import { type GraphNode, matchingNodes, type Section, sectionsOf } from "./graph-model.ts";

export function ForceView({ graph }: { graph: Graph }) {
  const { step, hasFailed } = useLayout(graph);
  const inspect = useInspect();
  const [typed, setTyped] = useState("");
  const [hiddenSections, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [hovered, setHovered] = useState<GraphNode | null>(null);
  const canvas = useRef<CanvasHandle>(null);
  const sections = useMemo(() => sectionsOf(graph.nodes).rows, [graph]);
  const matches = useMemo(() => matchingNodes(graph.nodes, typed), [graph, typed]);
  const looked = useMemo(
    () => ({ matches, hiddenSections, selectedUrl: inspect.url }),
    [matches, hiddenSections, inspect.url],
  );
  const isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const isDone = step !== null && step.done >= step.of;
  const onKeyDown = (event: KeyboardEvent) => {
    const first = graph.nodes.find(({ id }) => matches?.has(id));
    if (event.key === "Enter" && first !== undefined) canvas.current?.goTo(first.id);
  };
  return (
    <div className="graph-force">
      <div className="graph-tools">
        <TextInput
          type="search"
          data-search
          aria-label="Search pages of the graph"
          placeholder="Find a page"
          value={typed}
          onValue={setTyped}
          onKeyDown={onKeyDown}
        />
        {matches !== null && (
          <span className="muted" role="status">
            {matches.size === 0 ? "No page matches" : `${plural(matches.size, "page")}`}
          </span>
        )}
        <span className="grow" />
        <IconButton label="Zoom in" icon={Plus} onClick={() => canvas.current?.zoom("in")} />
        <IconButton label="Zoom out" icon={Minus} onClick={() => canvas.current?.zoom("out")} />
        <IconButton label="Show all" icon={Maximize} onClick={() => canvas.current?.zoom("whole")} />
      </div>
      <figure
        className="graph-figure"
        aria-label={`Link graph of ${plural(graph.nodes.length, "URL")}. The table holds the same.`}
      >
        <GraphCanvas
          ref={canvas}
          graph={graph}
          // With reduced motion, only the finished drawing is shown.
          isShown={!isStill || isDone || hasFailed}
          positions={step?.positions ?? null}
          looked={looked}
          isStill={isStill}
          onHover={setHovered}
          onOpen={({ url }) => inspect.open(url)}
        />
        {!isDone && (
          <div className="graph-progress" role="status">
            <span>{hasFailed ? "The pages could not be arranged; they are shown by rank." : "Arranging pages…"}</span>
            {!hasFailed && <ProgressBar value={step?.done ?? 0} max={step?.of ?? 1} label="Arranging pages" />}
          </div>
        )}
        {hovered !== null && <NodeNote node={hovered} />}
      </figure>
      <SectionLegend sections={sections} hidden={hiddenSections} onHidden={setHidden} />
    </div>
  );
}

/** The page under the pointer. */
export function NodeNote({ node: { url, title, status, depth, inlinks, outlinks } }: { node: GraphNode }) {
  return (
    <div className="node-note">
      <div className="row">
        <StatusBadge status={status} />
        <strong className="cut grow">{title ?? "No title"}</strong>
      </div>
      <UrlText url={url} />
      <span className="muted">
        {formatNumber(inlinks)} links in · {formatNumber(outlinks)} out · depth {depth}
      </span>
    </div>
  );
}

interface SectionLegendProps {
  sections: readonly Section[];
  hidden: ReadonlySet<string>;
  onHidden: (hidden: ReadonlySet<string>) => void;
}

/** What the colours mean; each section can be hidden. */
export function SectionLegend({ sections, hidden, onHidden }: SectionLegendProps) {
  return (
    <fieldset className="graph-legend" aria-label="Sections to show">
      {sections.map(({ name, label, color, count }) => (
        <label key={name} className="check">
          <input
            type="checkbox"
            checked={!hidden.has(name)}
            onChange={({ target }) =>
              onHidden(new Set(target.checked ? [...hidden].filter((one) => one !== name) : [...hidden, name]))
            }
          />
          <span className="graph-dot" style={{ background: `var(${color})` }} aria-hidden />
          {label} <span className="muted">{formatNumber(count)}</span>
        </label>
      ))}
      <span className="muted graph-key">Larger: more links point to it. Point at a page to see its links.</span>
    </fieldset>
  );
}
