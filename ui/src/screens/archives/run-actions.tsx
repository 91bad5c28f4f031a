/** Buttons that start, pause, continue and stop the run of an archive, of whichever process. */
import { CirclePause, CircleStop, Play, RefreshCw } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { Confirm } from "../../components/feedback/dialog.tsx";
import { useToast } from "../../components/feedback/toast.tsx";
import {
  type Archive,
  usePauseArchive,
  useStartArchive,
  useStopArchive,
  useUnpauseArchive,
} from "./archive-queries.ts";

export function RunActions({ archive }: { archive: Archive }) {
  return archive.isRunning ? <WhileRunning archive={archive} /> : <WhileIdle archive={archive} />;
}

function WhileRunning({ archive: { id, isPauseAsked, run } }: { archive: Archive }) {
  const pause = usePauseArchive(id);
  const unpause = useUnpauseArchive(id);
  const stop = useStopArchive(id);
  const { fail: onError } = useToast();
  const isPaused = isPauseAsked || run?.state === "paused";
  return (
    <>
      {isPaused ? (
        <Button
          icon={Play}
          look="primary"
          isBusy={unpause.isPending}
          onClick={() => unpause.mutate(undefined, { onError })}
        >
          Continue
        </Button>
      ) : (
        <Button icon={CirclePause} isBusy={pause.isPending} onClick={() => pause.mutate(undefined, { onError })}>
          Pause
        </Button>
      )}
      <Button icon={CircleStop} isBusy={stop.isPending} onClick={() => stop.mutate(undefined, { onError })}>
        Stop
      </Button>
    </>
  );
}

function WhileIdle({ archive: { id, isPauseAsked } }: { archive: Archive }) {
  const start = useStartArchive(id);
  const unpause = useUnpauseArchive(id);
  const [isAsking, setAsking] = useState(false);
  const { fail: onError } = useToast();
  if (isPauseAsked) {
    return (
      <Button isBusy={unpause.isPending} onClick={() => unpause.mutate(undefined, { onError })}>
        Withdraw the pause
      </Button>
    );
  }
  return (
    <>
      <Button icon={RefreshCw} onClick={() => setAsking(true)}>
        Refresh all
      </Button>
      <Button icon={Play} look="primary" isBusy={start.isPending} onClick={() => start.mutate({}, { onError })}>
        Start
      </Button>
      {isAsking && (
        <Confirm
          title="Request every page again?"
          action="Refresh all"
          isDanger={false}
          onConfirm={() => start.mutateAsync({ refresh: true })}
          onClose={() => setAsking(false)}
        >
          <p>Everything in the archive is requested again; only what has changed is loaded. Stored pages stay.</p>
        </Confirm>
      )}
    </>
  );
}
