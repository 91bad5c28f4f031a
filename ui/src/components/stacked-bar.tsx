/** One bar cut into parts of a whole, with a legend that says the same in words. */
import type { ReactNode } from "react";
import { formatNumber, formatShare } from "../lib/format.ts";
import type { Tone } from "../lib/status.ts";
import "./stacked-bar.css";

export interface Part {
  id: string;
  label: string;
  value: number;
  tone: Tone;
  /** A shape for those who do not see the colour. */
  glyph?: string;
  /** The label as the legend has it, such as a link. */
  name?: ReactNode;
}

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
