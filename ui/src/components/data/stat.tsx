/** One figure with its name. */
import type { ReactNode } from "react";
import type { Tone } from "../../lib/status.ts";
import { InfoTip } from "../controls/popover.tsx";
import "./stat.css";

export interface StatProps {
  label: string;
  value: ReactNode;
  /** Small text under the figure. */
  note?: ReactNode;
  info?: string;
  tone?: Tone;
}

export function Stat({ label, value, note, info, tone }: StatProps) {
  return (
    <div className={tone === undefined ? "stat" : `stat stat-toned tone-${tone}`}>
      <dt className="stat-label">
        {label}
        {info && <InfoTip text={info} />}
      </dt>
      <dd className="stat-value">{value}</dd>
      {note !== undefined && <dd className="stat-note">{note}</dd>}
    </div>
  );
}

export function StatRow({ children }: { children: ReactNode }) {
  return <dl className="stat-row">{children}</dl>;
}
