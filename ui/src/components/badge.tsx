/** Small labels: a word in a tone, an HTTP status, the state of a crawl. Always a word or shape beside the colour. */
import type { ReactNode } from "react";
import type { CrawlState } from "../lib/contract.ts";
import { statusClassOf, type Tone } from "../lib/status.ts";
import "./badge.css";

export function Badge({ tone = "quiet", children, title }: { tone?: Tone; children: ReactNode; title?: string }) {
  return (
    <span className={`badge tone-${tone}`} title={title}>
      {children}
    </span>
  );
}

/** An HTTP status with the shape of its class; without one, that there was no answer. */
export function StatusBadge({ status, error }: { status: number | null | undefined; error?: string | null }) {
  const { tone, glyph, label } = statusClassOf(status);
  return (
    <span className={`badge tone-${tone}`} title={error ?? label}>
      <span className="badge-glyph" aria-hidden>
        {glyph}
      </span>
      {status ? status : (error ?? "error")}
    </span>
  );
}

const STATES: Record<CrawlState, { label: string; tone: Tone }> = {
  running: { label: "Running", tone: "accent" },
  pausing: { label: "Pausing", tone: "warn" },
  paused: { label: "Paused", tone: "warn" },
  stopping: { label: "Stopping", tone: "warn" },
  completed: { label: "Completed", tone: "ok" },
  failed: { label: "Failed", tone: "bad" },
};

export function CrawlStateBadge({ state, message }: { state: CrawlState; message?: string | null }) {
  const { label, tone } = STATES[state];
  return (
    <span className={`badge tone-${tone}`} title={message ?? undefined}>
      <span className={state === "running" ? "badge-dot badge-pulse" : "badge-dot"} aria-hidden />
      {label}
    </span>
  );
}
