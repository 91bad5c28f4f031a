/** A line without axes: how a number went. */
import { sparkPoints } from "../lib/spark-points.ts";
import "./sparkline.css";

export interface SparklineProps {
  values: readonly number[];
  label: string;
  width?: number;
  height?: number;
}

export function Sparkline({ values, label, width = 96, height = 28 }: SparklineProps) {
  const points = sparkPoints(values, width, height);
  const last = points.at(-1);
  if (last === undefined) return null;
  const line = points.map(([x, y]) => `${x},${y}`).join(" ");
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {points.length > 1 && <polygon points={`${points[0]![0]},${height} ${line} ${last[0]},${height}`} />}
      {points.length > 1 && <polyline points={line} />}
      <circle cx={last[0]} cy={last[1]} r={2.2} />
    </svg>
  );
}
