/** Why an archive rests, told when a reason comes or the last one goes. */
import type { PauseReason } from "../../../../archive/control/pauses.ts";

const TEXTS: Record<Exclude<PauseReason, "person">, string> = {
  file: "Paused by a pause.* file in the workspace; `trawl archive unpause` lets it go on.",
  disk: "Paused: the disk is almost full (storage.min_free_mb). It goes on by itself when there is room.",
};

/** Returns what to call with the reasons of the moment. Whoever pressed Ctrl-C knows why it rests. */
export function pauseTeller(say: (text: string) => void): (reasons: readonly PauseReason[]) => void {
  let before: readonly PauseReason[] = [];
  return (reasons) => {
    for (const reason of reasons) if (reason !== "person" && !before.includes(reason)) say(TEXTS[reason]);
    if (reasons.length === 0) say("Going on.");
    before = reasons;
  };
}
