/** The states of a scheduled run, in words and tones. */
import type { Schedule } from "../../lib/contract.ts";
import type { Tone } from "../../lib/status.ts";

export const RUN_WORDS: Record<Schedule["lastRuns"][number]["state"], { label: string; tone: Tone }> = {
  started: { label: "Running", tone: "accent" },
  completed: { label: "Completed", tone: "ok" },
  failed: { label: "Failed", tone: "bad" },
  paused: { label: "Paused", tone: "warn" },
  skipped: { label: "Skipped", tone: "quiet" },
};
