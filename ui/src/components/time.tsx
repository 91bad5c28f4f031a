/** Times as people say them, with the exact one on pointing. They stay true while the page is open. */
import { useEffect, useState } from "react";
import { formatDateTime, formatRelative, NOTHING } from "../lib/format.ts";

const TICK_MS = 10_000;

/** The time now, again every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

export function RelativeTime({ at }: { at: number | null | undefined }) {
  const now = useNow(TICK_MS);
  if (at === null || at === undefined) return <>{NOTHING}</>;
  return (
    <time dateTime={new Date(at).toISOString()} title={formatDateTime(at)}>
      {formatRelative(at, Math.max(now, at <= Date.now() ? at : 0))}
    </time>
  );
}
