/** Upright bars for a few ranges, each with its count. A bar may be cut into parts. */
import type { ReactNode } from "react";
import { formatCompact, formatNumber } from "../lib/format.ts";
import type { Tone } from "../lib/status.ts";
import "./histogram.css";

export interface Bin {
  label: string;
  value: number;
  tone?: Tone;
  /** What the bar is made of, from its foot up; together they are its value. */
  parts?: readonly { tone: Tone; value: number }[];
  /** What pointing at the bar says; its label and count otherwise. */
  title?: string;
  /** The label as it is shown, such as a link: then the whole bar follows it. */
  name?: ReactNode;
}

/** `height` at least; more where its card is taller. */
export function Histogram({ bins, label, height = 120 }: { bins: readonly Bin[]; label: string; height?: number }) {
  const top = Math.max(1, ...bins.map(({ value }) => value));
  return (
    <figure aria-label={label} className="histogram-figure">
      <ol className="histogram" style={{ minHeight: height }}>
        {bins.map((bin) => (
          <li key={bin.label} title={bin.title ?? `${bin.label}: ${formatNumber(bin.value)}`}>
            <span className="histogram-column">
              <span className="histogram-value">{formatCompact(bin.value)}</span>
              {bin.value > 0 && <Column bin={bin} share={bin.value / top} />}
              <span style={{ flexGrow: 1 - bin.value / top, order: -1 }} aria-hidden />
            </span>
            <span className="histogram-label">{bin.name ?? bin.label}</span>
          </li>
        ))}
      </ol>
    </figure>
  );
}

function Column({ bin: { tone = "accent", value, parts = [{ tone, value }] }, share }: { bin: Bin; share: number }) {
  return (
    <span className="histogram-bar" style={{ flexGrow: share }} aria-hidden>
      {parts
        .filter((part) => part.value > 0)
        .map((part) => (
          <span key={part.tone} className={`tone-${part.tone}`} style={{ flexGrow: part.value }} />
        ))}
    </span>
  );
}
