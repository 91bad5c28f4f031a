/** How the drawing looks: its colours in the current theme, and the label of a hovered page. */

import type { Settings } from "sigma/settings";
import type { NodeDisplayData, PartialButFor } from "sigma/types";
import { resolveColor } from "../../lib/theme.ts";
import { type Box, overlaps } from "./graph-model.ts";

/** The colours of the drawing in the current theme. */
export interface GraphColors {
  ink: string;
  surface: string;
  background: string;
  line: string;
  accent: string;
  edge: string;
  faintEdge: string;
  dimmed: string;
  section: (property: string) => string;
}

export function readColors(element: HTMLElement): GraphColors {
  const read = (property: string): string => resolveColor(element, property);
  const sections = new Map<string, string>();
  return {
    ink: read("--ink"),
    surface: read("--raised"),
    background: read("--surface"),
    line: read("--line-strong"),
    accent: read("--accent"),
    edge: mix(read("--quiet-fill"), read("--surface"), 0.24),
    faintEdge: mix(read("--quiet-fill"), read("--surface"), 0.08),
    dimmed: mix(read("--quiet-fill"), read("--surface"), 0.3),
    section: (property) => {
      if (!sections.has(property)) sections.set(property, read(property));
      return sections.get(property)!;
    },
  };
}

/** A transparent colour over another, as one opaque colour: sigma blends additively, which would make lines glow. */
export function mix(over: string, under: string, share: number): string {
  const [top, bottom] = [over, under].map((color) => (color.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number)) as [
    number[],
    number[],
  ];
  return `rgb(${top.map((value, at) => Math.round(value * share + (bottom[at] ?? 0) * (1 - share))).join(", ")})`;
}

type Drawn = PartialButFor<NodeDisplayData, "x" | "y" | "size" | "label" | "color">;

const PADDING = 6;

/** Beside the dot: on its left where the right edge would cut it, and as far left as it must where that edge would, too. */
export function labelLeft(x: number, gap: number, width: number, edge: number): number {
  if (x + gap + width <= edge) return x + gap;
  return x - gap - width >= 0 ? x - gap - width : Math.max(0, edge - width);
}

/** The label of a page, unless it would cover one that was drawn before. */
export function drawLabel(
  context: CanvasRenderingContext2D,
  { x, y, size, label }: Drawn,
  { labelSize, labelFont }: Pick<Settings, "labelSize" | "labelFont">,
  colors: GraphColors,
  drawn: Box[],
): void {
  if (!label) return;
  context.font = `${labelSize}px ${labelFont}`;
  const { width } = context.measureText(label);
  const left = labelLeft(x, size + 3, width, context.canvas.clientWidth);
  const box = { left, top: y - labelSize * 0.8, right: left + width + 4, bottom: y + labelSize * 0.8 };
  if (drawn.some((other) => overlaps(box, other))) return;
  drawn.push(box);
  // An outline in the colour of the background keeps it readable over dots and lines.
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.strokeStyle = colors.background;
  context.strokeText(label, left, y + labelSize / 3);
  context.fillStyle = colors.ink;
  context.fillText(label, left, y + labelSize / 3);
}

/** The label of a hovered page: a box in the colours of the theme. */
export function drawHover(
  context: CanvasRenderingContext2D,
  { x, y, size, label, color }: Drawn,
  { labelSize, labelFont }: Pick<Settings, "labelSize" | "labelFont">,
  colors: GraphColors,
): void {
  context.beginPath();
  context.arc(x, y, size + 2.5, 0, 2 * Math.PI);
  context.lineWidth = 2;
  context.strokeStyle = colors.accent;
  context.stroke();
  context.beginPath();
  context.arc(x, y, size, 0, 2 * Math.PI);
  context.fillStyle = color;
  context.fill();
  if (!label) return;
  context.font = `${labelSize}px ${labelFont}`;
  const width = context.measureText(label).width + 2 * PADDING;
  const left = labelLeft(x, size + PADDING, width, context.canvas.clientWidth);
  context.beginPath();
  context.roundRect(left, y - labelSize, width, 2 * labelSize, 4);
  context.fillStyle = colors.surface;
  context.fill();
  context.lineWidth = 1;
  context.strokeStyle = colors.line;
  context.stroke();
  context.fillStyle = colors.ink;
  context.fillText(label, left + PADDING, y + labelSize / 3);
}
