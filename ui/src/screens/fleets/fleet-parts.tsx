/** The state of a fleet, and the buttons that control it. */
import { useNavigate } from "@tanstack/react-router";
import { Download, Pause, Play, Square } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { Badge } from "../../components/data/labels.tsx";
import { Confirm } from "../../components/feedback/dialog.tsx";
import { useToast } from "../../components/feedback/toast.tsx";
import type { Tone } from "../../lib/status.ts";
import { type AnyFleet, type Fleet, useChangeFleet, usePullFleet } from "./fleet-queries.ts";

const STATES: Record<AnyFleet["state"], { label: string; tone: Tone }> = {
  running: { label: "Running", tone: "ok" },
  paused: { label: "Paused", tone: "warn" },
  stopped: { label: "Stopped", tone: "quiet" },
  done: { label: "Done", tone: "ok" },
  unreadable: { label: "Not readable", tone: "bad" },
};

export function FleetState({ fleet: { state, message } }: { fleet: Pick<AnyFleet, "state" | "message"> }) {
  const { label, tone } = STATES[state];
  return (
    <Badge tone={tone} title={state === "unreadable" ? (message ?? undefined) : undefined}>
      {label}
    </Badge>
  );
}

export function FleetActions({ fleet: { name, state } }: { fleet: Fleet }) {
  const change = useChangeFleet(name);
  const [isAsking, setAsking] = useState(false);
  const { fail: onError } = useToast();
  const waits = (one: string) => change.isPending && change.variables === one;
  return (
    <>
      {(state === "paused" || state === "stopped") && (
        <Button
          icon={Play}
          look="primary"
          isBusy={waits("resume")}
          onClick={() => change.mutate("resume", { onError })}
        >
          Resume
        </Button>
      )}
      {state === "running" && (
        <Button icon={Pause} isBusy={waits("pause")} onClick={() => change.mutate("pause", { onError })}>
          Pause
        </Button>
      )}
      {(state === "running" || state === "paused") && (
        <Button icon={Square} isBusy={waits("stop")} onClick={() => setAsking(true)}>
          Stop…
        </Button>
      )}
      <PullButton name={name} />
      {isAsking && (
        <Confirm
          title="Stop this fleet?"
          action="Stop fleet"
          onConfirm={() => change.mutateAsync("stop")}
          onClose={() => setAsking(false)}
        >
          <p>All of its workers end. What was crawled is kept; after Resume, new workers can join.</p>
        </Confirm>
      )}
    </>
  );
}

function PullButton({ name }: { name: string }) {
  const pull = usePullFleet(name);
  const navigate = useNavigate();
  const { fail: onError } = useToast();
  const show = ({ crawlId }: { crawlId: number }) =>
    void navigate({ to: "/crawls/$crawlId", params: { crawlId: String(crawlId) } });
  return (
    <Button icon={Download} isBusy={pull.isPending} onClick={() => pull.mutate(null, { onError, onSuccess: show })}>
      Pull
    </Button>
  );
}
