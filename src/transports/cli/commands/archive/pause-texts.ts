/** Why an archive is paused, printed when a reason appears or the last one disappears. */
import type { PauseReason } from "../../../../app/archive/control.ts";

const TEXTS: Record<Exclude<PauseReason, "person">, string> = {
  file: "Paused by a pause.* file in the workspace; continue with `trawl archive unpause`.",
  disk: "Paused: the disk is almost full (storage.min_free_mb). It continues by itself when there is room.",
};

/** Returns a function to call with the current reasons. After Ctrl-C, no reason is needed. */
export function pauseTeller(say: (text: string) => void): (reasons: readonly PauseReason[]) => void {
  let before: readonly PauseReason[] = [];
  return (reasons) => {
    for (const reason of reasons) if (reason !== "person" && !before.includes(reason)) say(TEXTS[reason]);
    if (reasons.length === 0) say("Continuing.");
    before = reasons;
  };
}
