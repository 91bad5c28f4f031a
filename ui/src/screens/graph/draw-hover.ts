/** The label of a page that is pointed at: a box in the colours of the theme. */
import type { Settings } from "sigma/settings";
import type { NodeDisplayData, PartialButFor } from "sigma/types";
import type { GraphColors } from "./graph-colors.ts";

type Drawn = PartialButFor<NodeDisplayData, "x" | "y" | "size" | "label" | "color">;

const PADDING = 6;

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
