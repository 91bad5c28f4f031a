/** Pause, resume and stop, as far as this process may. */
import { Pause, Play, Square } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { useToast } from "../../components/toast.tsx";
import { useStopCrawl } from "../../lib/changes.ts";
import type { CrawlProgress } from "../../lib/contract.ts";
import { plural } from "../../lib/format.ts";
import { usePauseToggle } from "../../lib/pause-toggle.ts";

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
