/** Names with a bar and a count each, largest first as given: what there is most of. */
import type { ReactNode } from "react";
import { formatNumber, formatShare } from "../lib/format.ts";
import type { Tone } from "../lib/status.ts";
import "./bar-list.css";

export interface Bar {
  id: string;
  label: ReactNode;
  value: number;
  tone?: Tone;
  title?: string;
}

export interface BarListProps {
  bars: readonly Bar[];
  /** What the shares are of; without it, the largest bar is full and no shares are shown. */
  whole?: number;
  format?: (value: number) => string;
}

export function BarList({ bars, whole, format = formatNumber }: BarListProps) {
  const full = whole ?? Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ul className="bar-list">
      {bars.map(({ id, label, value, tone = "accent", title }) => (
        <li key={id} className={`bar tone-${tone}`} title={title}>
          <span className="bar-fill" style={{ width: `${full > 0 ? (value / full) * 100 : 0}%` }} aria-hidden />
          <span className="bar-label cut">{label}</span>
          <span className="bar-value">{format(value)}</span>
          {whole !== undefined && <span className="bar-share muted">{formatShare(value, whole)}</span>}
        </li>
      ))}
    </ul>
  );
}
