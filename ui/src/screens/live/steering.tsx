/** Pause, resume and stop; and what the state of the crawl means. */

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
import { Prose } from "../../components/data/labels.tsx";
import { RaiseLimit } from "../../components/data/raise-limit.tsx";
import { Confirm } from "../../components/feedback/dialog.tsx";
import { useToast } from "../../components/feedback/toast.tsx";
import { usePauseToggle, useStopCrawl } from "../../lib/changes.ts";
import type { CrawlInfo, CrawlProgress } from "../../lib/contract.ts";
import { formatDuration, plural } from "../../lib/format.ts";
import { crawlStateWords, isFinished, type Tone } from "../../lib/status.ts";

export function SteerButtons({ progress }: { progress: CrawlProgress }) {
  const { crawlId, state, isOwn, inFlight, open } = progress;
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
          ? "No requests are in flight, and none will follow."
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
      {(isOwn || state === "running") && (
        <Button icon={Square} isBusy={stop.isPending} onClick={() => setAsking(true)}>
          Stop…
        </Button>
      )}
      {isAsking && (
        <Confirm title="Stop this crawl?" action="Stop crawl" onConfirm={confirm} onClose={() => setAsking(false)}>
          <p>
            {isOwn ? "" : "The process that runs it will be asked to stop. "}
            {inFlight > 0 ? `${plural(inFlight, "request")} in flight will be cancelled. ` : ""}
            Once it has stopped, no connection is open and no request follows.
          </p>
          <p className="muted">
            What was crawled is kept. {plural(open, "queued URL")} will not be crawled unless you resume it.
          </p>
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

/** Explains the state of a crawl that is not running normally. */
export function StateNote({ progress, ending }: { progress: CrawlProgress; ending: CrawlInfo["ending"] }) {
  const { state, crawlId } = progress;
  const note = noteOf(progress, ending);
  if (note === null) return null;
  const { icon: Icon, tone, text } = note;
  return (
    <p className={`state-note tone-${tone}`} role="status">
      <Icon size={16} aria-hidden className={Icon === LoaderCircle ? "spin" : undefined} />
      <span className="state-words">
        <span>
          <Prose text={text} />
        </span>
        {isFinished(state) && (
          <span className="state-links">
            {state === "limit_reached" && ending && <RaiseLimit crawlId={crawlId} cause={ending.cause} />}
            <Link to="/crawls/$crawlId/issues" params={{ crawlId: String(crawlId) }}>
              See the issues
            </Link>
          </span>
        )}
      </span>
    </p>
  );
}

function noteOf(
  { state, isOwn, inFlight, pages, durationMs, open, trouble }: CrawlProgress,
  ending: CrawlInfo["ending"],
): Note | null {
  const message = ending?.message ?? null;
  switch (state) {
    case "running":
      if (trouble !== null) return { icon: CircleAlert, tone: "warn", text: trouble };
      return isOwn
        ? null
        : {
            icon: Eye,
            tone: "quiet",
            text: "Another process is running this crawl. You can watch it here, and pause or stop it; that process then releases it.",
          };
    case "pausing":
      return {
        icon: LoaderCircle,
        tone: "warn",
        text: `Pausing. Waiting for ${plural(inFlight, "request")} to finish; no new ones are sent.`,
      };
    case "stopping":
      return { icon: LoaderCircle, tone: "warn", text: "Stopping. Closing open connections." };
    case "paused":
      return {
        icon: CirclePause,
        tone: "warn",
        text: `${message ?? "Paused."} No requests are being sent. ${open > 0 ? `${plural(open, "URL")} left to crawl; resume whenever you like.` : "Resume whenever you like."}`,
      };
    case "stopped":
      return { icon: CirclePause, tone: "warn", text: `${message ?? "Stopped."} Everything found so far is kept.` };
    case "blocked":
    case "failed":
      return {
        icon: CircleAlert,
        tone: "bad",
        text: [`${crawlStateWords(state).label}.`, message, ending?.hint].filter(Boolean).join(" "),
      };
    case "limit_reached":
    case "completed": {
      // How it ended is loaded apart: until then, nothing is said about what is left.
      const left = ending === null ? "" : (message ?? "There is nothing left to crawl.");
      return {
        icon: state === "completed" ? CircleCheck : CircleAlert,
        tone: crawlStateWords(state).tone,
        text: `Finished: ${plural(pages, "page")} in ${formatDuration(durationMs)}. ${left}`.trim(),
      };
    }
  }
}
