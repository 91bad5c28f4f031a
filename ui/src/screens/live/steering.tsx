/** Pause, resume and stop, as far as this process may; and what the state of the crawl means. */

import { Link } from "@tanstack/react-router";
import {
  CircleAlert,
  CircleCheck,
  CirclePause,
  Eye,
  LoaderCircle,
  type LucideIcon,
  Pause,
  Play,
  Square,
} from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { Confirm } from "../../components/feedback/dialog.tsx";
import { useToast } from "../../components/feedback/toast.tsx";
import { usePauseToggle, useStopCrawl } from "../../lib/changes.ts";
import type { CrawlProgress } from "../../lib/contract.ts";
import { formatDuration, plural } from "../../lib/format.ts";
import type { Tone } from "../../lib/status.ts";

/** Pause, resume and stop, as far as this process may. */
export function SteerButtons({ progress }: { progress: CrawlProgress }) {
  const { crawlId, isOwn, inFlight, open } = progress;
  const [isAsking, setAsking] = useState(false);
  const toggle = usePauseToggle(progress);
  const stop = useStopCrawl();
  const toast = useToast();
  const confirm = async () => {
    const { openSockets } = await stop.mutateAsync(crawlId);
    toast.show({
      tone: "ok",
      title: "Stopped",
      detail:
        openSockets === 0
          ? "Requests under way: 0. None follows."
          : `${plural(openSockets, "connection")} still closing.`,
    });
  };
  return (
    <>
      {toggle !== null && (
        <Button
          icon={toggle.label === "Pause" ? Pause : Play}
          look={toggle.label === "Resume" ? "primary" : "plain"}
          isBusy={toggle.isBusy}
          onClick={toggle.run}
        >
          {toggle.label}
        </Button>
      )}
      {isOwn && (
        <Button icon={Square} isBusy={stop.isPending} onClick={() => setAsking(true)}>
          Stop…
        </Button>
      )}
      {isAsking && (
        <Confirm title="Stop this crawl?" action="Stop crawl" onConfirm={confirm} onClose={() => setAsking(false)}>
          <p>
            {inFlight > 0 ? `${plural(inFlight, "request")} under way ${inFlight === 1 ? "is" : "are"} cut off. ` : ""}
            When it has stopped, requests are zero: no connection is open and none follows.
          </p>
          <p className="muted">What was crawled is kept, and {plural(open, "queued URL")} can be resumed later.</p>
        </Confirm>
      )}
    </>
  );
}

interface Note {
  icon: LucideIcon;
  tone: Tone;
  text: string;
}

/** Says what the state of a crawl means when it does not simply run. */
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
