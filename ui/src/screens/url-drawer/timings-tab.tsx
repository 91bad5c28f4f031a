/** Where the time of a fetch went. */
import { EmptyState } from "../../components/feedback/states.tsx";
import type { UrlDetail } from "../../lib/contract.ts";
import { formatDuration } from "../../lib/format.ts";
import { isReused, phasesOf } from "./timings.ts";

export function TimingsTab({ facts }: { facts: UrlDetail["facts"] }) {
  const phases = phasesOf(facts);
  const whole = phases.reduce((sum, { ms }) => sum + ms, 0);
  if (whole === 0)
    return <EmptyState title="No timings">It was not fetched, or its data came from the previous crawl.</EmptyState>;
  const share = (ms: number): string => `${(ms / whole) * 100}%`;
  return (
    <div className="stack">
      <div className="timing-bar" aria-hidden>
        {phases.map(({ name, ms, tone, label }) => (
          <span
            key={name}
            className={`tone-${tone}`}
            style={{ flexGrow: ms }}
            title={`${label}: ${formatDuration(ms)}`}
          />
        ))}
      </div>
      <ol className="timings">
        {phases.map(({ name, label, info, tone, ms, from }) => (
          <li key={name} className={`timing tone-${tone}`}>
            <span title={info}>{label}</span>
            <span className="timing-track" aria-hidden>
              <span className="timing-part" style={{ insetInlineStart: share(from), width: share(ms) }} />
            </span>
            <span className="timing-ms">{exact(ms)}</span>
          </li>
        ))}
        <li className="timing timing-total">
          <span>Total</span>
          <span />
          <span className="timing-ms">{exact(whole)}</span>
        </li>
      </ol>
      {isReused(facts) && (
        <p className="muted">It reused an open connection, so there was no DNS lookup, connect or TLS handshake.</p>
      )}
    </div>
  );
}

/** Fractions of a millisecond matter here: a local server needs no more. */
const exact = (ms: number): string =>
  ms < 10 ? `${ms.toLocaleString(undefined, { maximumFractionDigits: 1 })} ms` : formatDuration(ms);
