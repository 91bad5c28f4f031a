/** URLs and errors per second over the last ten minutes. */

import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { EmptyState } from "../../components/feedback/states.tsx";
import { Card } from "../../components/layout/page.tsx";
import type { LiveCrawl } from "../../lib/contract.ts";
import { formatClock, formatRate, msOf, NOTHING } from "../../lib/format.ts";
import { withGaps } from "./live-figures.ts";
import "uplot/dist/uPlot.min.css";
import { onThemeChange, resolveColor } from "../../lib/theme.ts";
import "./speed-chart.css";

export function SpeedChart({ series }: { series: LiveCrawl["series"] }) {
  const samples = withGaps(series);
  const valuesOf = (name: "urlsPerSecond" | "errorsPerSecond") =>
    samples.map((sample) => (name in sample ? (sample as (typeof series)[number])[name] : null));
  return (
    <Card title="Speed" info="URLs finished per second over the last ten minutes. A pause is a gap.">
      {series.length > 1 ? (
        <LineChart
          label="URLs and errors per second"
          times={samples.map(({ at }) => msOf(at) / 1000)}
          lines={[
            { label: "URLs", color: "--accent", isArea: true, values: valuesOf("urlsPerSecond") },
            { label: "Errors", color: "--bad", values: valuesOf("errorsPerSecond") },
          ]}
          format={formatRate}
        />
      ) : (
        <EmptyState title="No data yet">
          The chart starts with the second sample. Crawls running in other processes have no chart.
        </EmptyState>
      )}
    </Card>
  );
}

export interface Line {
  label: string;
  values: readonly (number | null)[];
  /** A custom property, such as `--accent`. */
  color: string;
  /** Filled down to zero. */
  isArea?: boolean;
}

export interface LineChartProps {
  /** What the chart shows, in a sentence. */
  label: string;
  /** Seconds since 1970. */
  times: readonly number[];
  lines: readonly Line[];
  height?: number;
  format?: (value: number) => string;
}

/** Lines over time, drawn by uPlot. It follows the theme and its width; the legend shows the numbers under the pointer. */
export function LineChart({ label, times, lines, height = 180, format = String }: LineChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const latest = useRef({ times, lines, format });
  latest.current = { times, lines, format };
  // A new chart is made only when the lines are different; new numbers go into the existing one.
  const shape = lines.map(({ label, color, isArea }) => `${label} ${color} ${isArea}`).join("|");

  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` stands for the lines' look.
  useEffect(() => {
    const element = box.current!;
    const draw = () => {
      chart.current?.destroy();
      chart.current = new uPlot(optionsOf(element, height, latest.current), dataOf(latest.current), element);
    };
    draw();
    const resize = new ResizeObserver(() => chart.current?.setSize({ width: element.clientWidth, height }));
    resize.observe(element);
    const unfollow = onThemeChange(draw);
    return () => {
      resize.disconnect();
      unfollow();
      chart.current?.destroy();
      chart.current = null;
    };
  }, [height, shape]);

  useEffect(() => chart.current?.setData(dataOf({ times, lines })), [times, lines]);

  return (
    <figure className="line-chart" aria-label={label}>
      <div ref={box} />
    </figure>
  );
}

/** Steps of the time axis. */
const WHOLE_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 3_600];

type Drawn = Pick<LineChartProps, "times" | "lines"> & { format: (value: number) => string };

const dataOf = ({ times, lines }: Pick<Drawn, "times" | "lines">): uPlot.AlignedData =>
  [[...times], ...lines.map(({ values }) => [...values])] as uPlot.AlignedData;

function optionsOf(element: HTMLElement, height: number, { lines, format }: Drawn): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (name: string): string => resolveColor(element, name);
  const axis: uPlot.Axis = {
    stroke: color("--muted"),
    font: `11px ${style.fontFamily}`,
    grid: { stroke: color("--line"), width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height,
    // Room for half of the last time on the axis.
    padding: [8, 32, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    legend: { live: true },
    scales: { y: { range: (_chart, _least, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 26,
        space: 90,
        incrs: WHOLE_SECONDS,
        values: (_chart, ticks) => ticks.map((at) => formatClock(at * 1000)),
      },
      { ...axis, size: 48, space: 32, values: (_chart, ticks) => ticks.map(format) },
    ],
    series: [
      { label: "Time", value: (_chart, at) => (at === null ? NOTHING : formatClock(at * 1000)) },
      ...lines.map((line) => ({
        label: line.label,
        stroke: color(line.color),
        width: 1.5,
        fill: line.isArea ? fade(color(line.color)) : undefined,
        points: { show: false },
        value: (_chart: uPlot, value: number | null) => (value === null ? NOTHING : format(value)),
      })),
    ],
  };
}

const fade = (color: string): string => color.replace(/^rgb\((.+)\)$/, "rgba($1, 0.12)");
