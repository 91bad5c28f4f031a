/** Small things in a line of text: badges, times, keys and site icons. */
import { type ReactNode, useState } from "react";
import type { CrawlState } from "../../lib/contract.ts";
import { crawlStateWords, statusClassOf, type Tone } from "../../lib/status.ts";
import "./labels.css";
import { formatDateTime, formatRelative, type Instant, msOf, NOTHING } from "../../lib/format.ts";
import { shownKeys } from "../../lib/shortcuts.ts";
import { useNow } from "../../lib/timing.ts";
import { unicodeHost } from "../../lib/unicode-host.ts";

/** A word in a tone. Colour never stands alone: there is always a word or a shape. */
export function Badge({ tone = "quiet", children, title }: { tone?: Tone; children: ReactNode; title?: string }) {
  return (
    <span className={`badge tone-${tone}`} title={title}>
      {children}
    </span>
  );
}

/** An HTTP status with the shape of its class, or the error if there was no answer. */
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

export function CrawlStateBadge({ state, message }: { state: CrawlState; message?: string | null }) {
  const { label, tone } = crawlStateWords(state);
  return (
    <span className={`badge tone-${tone}`} title={message ? unicodeHost(message) : undefined}>
      <span className={state === "running" ? "badge-dot badge-pulse" : "badge-dot"} aria-hidden />
      {label}
    </span>
  );
}

const TICK_MS = 10_000;

/** A time as people say it, with the exact time as a tooltip. It stays true while the page is open. */
export function RelativeTime({ at }: { at: Instant | null | undefined }) {
  const now = useNow(TICK_MS);
  if (at === null || at === undefined) return <>{NOTHING}</>;
  const ms = msOf(at);
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatDateTime(ms)}>
      {formatRelative(ms, Math.max(now, ms <= Date.now() ? ms : 0))}
    </time>
  );
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** The keys of a shortcut, drawn as key caps. */
export function Kbd({ keys }: { keys: string }) {
  return (
    <span className="keys">
      {shownKeys(keys, isMac).map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  );
}

/** A project's icon: the site's own, as stored by our server, or the first letter of its domain. */
export function SiteIcon({ domain, path, size = 20 }: { domain: string; path: string | null; size?: number }) {
  const [isBroken, setBroken] = useState(false);
  if (path === null || isBroken) {
    return (
      <span className="site-icon site-letter" style={{ width: size, height: size, fontSize: size * 0.55 }} aria-hidden>
        {unicodeHost(domain)
          .replace(/^www\./, "")
          .charAt(0)
          .toUpperCase()}
      </span>
    );
  }
  return <img className="site-icon" src={path} alt="" width={size} height={size} onError={() => setBroken(true)} />;
}

/** A sentence of the server; what stands in backticks is code. */
export function Prose({ text }: { text: string }) {
  const parts = unicodeHost(text).split("`");
  // biome-ignore lint/suspicious/noArrayIndexKey: parts of a sentence have no other name.
  return parts.map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}
