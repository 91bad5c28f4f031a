/** Counts as bars: a list of them, a histogram, parts of a whole, progress. */
import type { ReactNode } from "react";
import { formatCompact, formatNumber, formatShare } from "../../lib/format.ts";
import type { Tone } from "../../lib/status.ts";
import "./bars.css";

export interface Bar {
  id: string;
  label: ReactNode;
  value: number;
  tone?: Tone;
  title?: string;
}

export interface BarListProps {
  bars: readonly Bar[];
  /** The total for the shares; without it, the largest bar is full and no shares are shown. */
  whole?: number;
  format?: (value: number) => string;
}

/** Names with a bar and a count each. */
export function BarList({ bars, whole, format = formatNumber }: BarListProps) {
  const full = whole ?? Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ul className="bar-list">
      {bars.map(({ id, label, value, tone = "accent", title }) => (
        <li key={id} className={`bar tone-${tone}`} title={title} data-row>
          <span className="bar-fill" style={{ width: `${full > 0 ? (value / full) * 100 : 0}%` }} aria-hidden />
          <span className="bar-label cut">{label}</span>
          <span className="bar-value">{format(value)}</span>
          {whole !== undefined && <span className="bar-share muted">{formatShare(value, whole)}</span>}
        </li>
      ))}
    </ul>
  );
}

export interface Bin {
  label: string;
  value: number;
  tone?: Tone;
  /** The parts of the bar, from the bottom up; they add up to its value. */
  parts?: readonly { tone: Tone; value: number }[];
  /** Tooltip; by default the label and the count. */
  title?: string;
  /** The label as shown, such as a link, which then covers the whole bar. */
  name?: ReactNode;
}

/** Upright bars for a few ranges, each with its count. `height` is the minimum; a taller card stretches it. */
export function Histogram({ bins, label, height = 120 }: { bins: readonly Bin[]; label: string; height?: number }) {
  const top = Math.max(1, ...bins.map(({ value }) => value));
  return (
    <figure aria-label={label} className="histogram-figure">
      <ol className="histogram" style={{ minHeight: height }}>
        {bins.map((bin) => (
          <li key={bin.label} title={bin.title ?? `${bin.label}: ${formatNumber(bin.value)}`}>
            <span className="histogram-column">
              <span className="histogram-value">{formatCompact(bin.value)}</span>
              {bin.value > 0 && <HistogramBar bin={bin} share={bin.value / top} />}
              <span style={{ flexGrow: 1 - bin.value / top, order: -1 }} aria-hidden />
            </span>
            <span className="histogram-label">{bin.name ?? bin.label}</span>
          </li>
        ))}
      </ol>
    </figure>
  );
}

function HistogramBar({
  bin: { tone = "accent", value, parts = [{ tone, value }] },
  share,
}: {
  bin: Bin;
  share: number;
}) {
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

export interface Part {
  id: string;
  label: string;
  value: number;
  tone: Tone;
  /** A shape, so that colour is not the only cue. */
  glyph?: string;
  /** The label in the legend, such as a link. */
  name?: ReactNode;
}

/** One bar divided into parts of a whole, with a legend that says the same in words. */
export function StackedBar({ parts, label }: { parts: readonly Part[]; label: string }) {
  const shown = parts.filter(({ value }) => value > 0);
  const whole = shown.reduce((sum, { value }) => sum + value, 0);
  return (
    <figure className="stacked" aria-label={label}>
      <div className="stacked-bar" aria-hidden>
        {shown.map(({ id, value, tone, label: name }) => (
          <span
            key={id}
            className={`stacked-part tone-${tone}`}
            style={{ flexGrow: value }}
            title={`${name}: ${formatNumber(value)}`}
          />
        ))}
      </div>
      <ul className="stacked-legend">
        {shown.map(({ id, value, tone, label, glyph = "●", name = label }) => (
          <li key={id} className={`tone-${tone}`}>
            <span className="stacked-glyph" aria-hidden>
              {glyph}
            </span>
            {name} <strong>{formatNumber(value)}</strong> <span className="muted">{formatShare(value, whole)}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** How much of a known total is done. */
export function ProgressBar({ value, max, label }: { value: number; max: number; label: string }) {
  const share = max > 0 ? Math.min(1, value / max) : 0;
  return (
    <div
      className="progress"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={value}
      tabIndex={-1}
    >
      <span style={{ width: `${share * 100}%` }} />
    </div>
  );
}
