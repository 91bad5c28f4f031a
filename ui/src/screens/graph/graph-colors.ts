/** The colours of the drawing, as the theme has them now. */
import { resolveColor } from "../../components/resolve-color.ts";
import { STATUS_CLASSES, type Tone } from "../../lib/status.ts";

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

/** A colour laid over another, as one: sigma adds what is seen through to what lies below, so that lines would glow. */
export function mix(over: string, under: string, share: number): string {
  const [top, bottom] = [over, under].map((color) => (color.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number)) as [
    number[],
    number[],
  ];
  return `rgb(${top.map((value, at) => Math.round(value * share + (bottom[at] ?? 0) * (1 - share))).join(", ")})`;
}
