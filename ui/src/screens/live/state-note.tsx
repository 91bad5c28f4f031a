/** Says what the state of a crawl means when it does not simply run. */
import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, CirclePause, Eye, LoaderCircle, type LucideIcon } from "lucide-react";
import type { CrawlProgress } from "../../lib/contract.ts";
import { formatDuration, plural } from "../../lib/format.ts";
import type { Tone } from "../../lib/status.ts";

interface Note {
  icon: LucideIcon;
  tone: Tone;
  text: string;
}

export function StateNote({ progress, message }: { progress: CrawlProgress; message: string | null }) {
  const { state, crawlId } = progress;
  const note = noteOf(progress, message);
  if (note === null) return null;
  const { icon: Icon, tone, text } = note;
  return (
    <p className={`state-note tone-${tone}`} role="status">
      <Icon size={16} aria-hidden className={Icon === LoaderCircle ? "spin" : undefined} />
      <span>{text}</span>
      {state === "completed" && (
        <Link to="/crawls/$crawlId/overview" params={{ crawlId: String(crawlId) }}>
          See the overview
        </Link>
      )}
    </p>
  );
}

function noteOf(
  { state, isOwn, inFlight, pagesCrawled, durationMs }: CrawlProgress,
  message: string | null,
): Note | null {
  switch (state) {
    case "running":
      return isOwn
        ? null
        : {
            icon: Eye,
            tone: "quiet",
            text: "Another process runs this crawl. It can be watched here, and steered there.",
          };
    case "pausing":
      return {
        icon: LoaderCircle,
        tone: "warn",
        text: `Pausing: ${plural(inFlight, "request")} under way still land, nothing new leaves.`,
      };
    case "stopping":
      return { icon: LoaderCircle, tone: "warn", text: "Stopping: open connections are being closed." };
    case "paused":
      return {
        icon: CirclePause,
        tone: "warn",
        text: `Paused${message === null ? "" : ` (${message})`}. No request is under way and none leaves. Everything found so far is kept; resume whenever you like.`,
      };
    case "failed":
      return {
        icon: CircleAlert,
        tone: "bad",
        text: `Failed${message === null ? "." : `: ${message}.`} What was crawled before is kept.`,
      };
    case "completed":
      return {
        icon: CircleCheck,
        tone: "ok",
        text: `Finished: ${plural(pagesCrawled, "URL")} in ${formatDuration(durationMs)}. Nothing is left to crawl.`,
      };
  }
}
