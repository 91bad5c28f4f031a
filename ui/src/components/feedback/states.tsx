/** What a screen shows when it has nothing, not yet, not all, or when something went wrong. Each has words. */
import { CircleAlert, Info, type LucideIcon, PlugZap } from "lucide-react";
import type { ReactNode } from "react";
import { inWords, problemFrom } from "../../lib/api.ts";
import { Button } from "../controls/button.tsx";
import { Prose } from "../data/labels.tsx";
import "./states.css";
import { formatNumber } from "../../lib/format.ts";
import type { Tone } from "../../lib/status.ts";

export interface EmptyStateProps {
  icon?: LucideIcon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="state">
      {Icon && <Icon size={26} strokeWidth={1.5} aria-hidden />}
      <p className="state-title">{title}</p>
      {children && <div className="state-text">{children}</div>}
      {action}
    </div>
  );
}

/** A problem in the server's words: what happened, what to do, and a way to retry. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const problem = problemFrom(error);
  const { hint, code, status } = problem;
  const { title, detail } = inWords(problem);
  const Icon = status === 0 ? PlugZap : CircleAlert;
  return (
    <div className="state state-error" role="alert">
      <Icon size={26} strokeWidth={1.5} aria-hidden />
      <p className="state-title">
        <Prose text={title} />
      </p>
      {detail && <p className="state-text">{detail}</p>}
      {hint && (
        <p className="state-text">
          <Prose text={hint} />
        </p>
      )}
      {code && (
        <a className="state-code" href={`/docs#${code}`} target="_blank" rel="noreferrer">
          About this error
        </a>
      )}
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** Grey bars where lines will be. */
export function Skeleton({ lines = 4 }: { lines?: number }) {
  const widths = Array.from({ length: lines }, (_, at) => `${[92, 74, 84, 60][at % 4]}%`);
  return (
    <div className="skeleton" role="status">
      <span className="visually-hidden">Loading…</span>
      {widths.map((width, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars never change places.
        <span key={at} className="skeleton-line" style={{ width }} />
      ))}
    </div>
  );
}

export interface LoadedProps<T> {
  query: { data: T | undefined; error: Error | null; refetch: () => unknown };
  children: (data: T) => ReactNode;
  skeleton?: ReactNode;
}

/** The usual three states of a request: loading, failed, or its data. Old data stays while new data loads. */
export function Loaded<T>({ query, children, skeleton = <Skeleton /> }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return skeleton;
}

/** A sentence about the whole screen, above its content. */
export function Note({ tone = "quiet", children }: { tone?: Tone; children: ReactNode }) {
  const Icon = tone === "warn" || tone === "bad" || tone === "error" ? CircleAlert : Info;
  return (
    <p className={`note tone-${tone}`} role="status">
      <Icon size={16} aria-hidden />
      <span>{children}</span>
    </p>
  );
}

export interface ShowMoreProps {
  shown: number;
  total: number;
  /** What is counted, in the plural. */
  of: string;
  hasMore: boolean;
  isBusy: boolean;
  onMore: () => void;
}

/** The end of a list that loads in parts: how much is shown, and a button for more. */
export function ShowMore({ shown, total, of, hasMore, isBusy, onMore }: ShowMoreProps) {
  if (!hasMore) return null;
  return (
    <div className="show-more">
      <span className="muted">
        {formatNumber(shown)} of {formatNumber(total)} {of}
      </span>
      <Button isBusy={isBusy} onClick={onMore}>
        Show more
      </Button>
    </div>
  );
}
