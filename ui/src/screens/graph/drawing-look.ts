/** How the drawing looks: its colours in the current theme, and the label of a hovered page. */

import type { Settings } from "sigma/settings";
import type { NodeDisplayData, PartialButFor } from "sigma/types";
import { STATUS_CLASSES, type Tone } from "../../lib/status.ts";
import { resolveColor } from "../../lib/theme.ts";

/** The colours of the drawing in the current theme. */
export interface GraphColors {
  ink: string;
  surface: string;
  line: string;
  accent: string;
  edge: string;
  faintEdge: string;
  dimmed: string;
  status: (tone: Tone) => string;
}

export function readColors(element: HTMLElement): GraphColors {
  const read = (property: string): string => resolveColor(element, property);
  const tones = new Map<Tone, string>(STATUS_CLASSES.map(({ tone }) => [tone, read(`--${tone}-fill`)]));
  return {
    ink: read("--ink"),
    surface: read("--raised"),
    line: read("--line-strong"),
    accent: read("--accent"),
    edge: mix(read("--quiet-fill"), read("--surface"), 0.24),
    faintEdge: mix(read("--quiet-fill"), read("--surface"), 0.08),
    dimmed: mix(read("--quiet-fill"), read("--surface"), 0.3),
    status: (tone) => tones.get(tone)!,
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
  const left = x + size + PADDING;
  const width = context.measureText(label).width + 2 * PADDING;
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
