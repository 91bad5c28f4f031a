/** Charts as SVG inside the page: stacked bars, and a line. */
import { escaped } from "./escape.ts";

export interface Bar {
  label: string;
  parts: { name: string; value: number; colour: string }[];
}

const WIDTH = 640;
const ROW = 24;
const LABEL = 150;
const VALUE = 70;

/** One row per bar; the longest fills the width. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const total = ({ parts }: Bar) => parts.reduce((sum, { value }) => sum + value, 0);
  const most = Math.max(1, ...bars.map(total));
  const scale = (WIDTH - LABEL - VALUE) / most;
  const rows = bars.map((bar, index) => {
    let x = LABEL;
    const y = index * ROW;
    const pieces = bar.parts.map(({ name, value, colour }) => {
      const width = value * scale;
      const piece = `<rect class="${colour}" x="${x.toFixed(1)}" y="${y + 4}" width="${width.toFixed(1)}" height="${ROW - 8}"><title>${escaped(`${bar.label}: ${value} ${name}`)}</title></rect>`;
      x += width;
      return value === 0 ? "" : piece;
    });
    return `<text x="0" y="${y + 16}">${escaped(bar.label)}</text>${pieces.join("")}<text x="${(x + 6).toFixed(1)}" y="${y + 16}">${total(bar).toLocaleString("en")}</text>`;
  });
  return `<figure><figcaption>${escaped(title)}</figcaption><svg role="img" aria-label="${escaped(title)}" viewBox="0 0 ${WIDTH} ${Math.max(1, bars.length) * ROW}">${rows.join("")}</svg></figure>`;
}

const LINE_HEIGHT = 120;

/** Values from 0 to `most`, from left to right; empty for a single value. */
export function lineChart(title: string, points: readonly { label: string; value: number }[], most: number): string {
  if (points.length < 2) return "";
  const x = (index: number) => 10 + (index * (WIDTH - 20)) / (points.length - 1);
  const y = (value: number) => 10 + (LINE_HEIGHT - 30) * (1 - value / most);
  const line = points.map(({ value }, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const dots = points.map(
    ({ label, value }, index) =>
      `<circle cx="${x(index).toFixed(1)}" cy="${y(value).toFixed(1)}" r="4"><title>${escaped(`${label}: ${value}`)}</title></circle>`,
  );
  const ends = [points[0]!, points.at(-1)!].map(
    ({ label }, index) =>
      `<text x="${index === 0 ? 0 : WIDTH}" y="${LINE_HEIGHT - 4}" text-anchor="${index === 0 ? "start" : "end"}">${escaped(label)}</text>`,
  );
  return `<figure><figcaption>${escaped(title)}</figcaption><svg role="img" aria-label="${escaped(title)}" viewBox="0 0 ${WIDTH} ${LINE_HEIGHT}"><polyline points="${line}"/>${dots.join("")}${ends.join("")}</svg></figure>`;
}
