/** The phases of a fetch: when each began and how long it took. */
import type { Tone } from "../../lib/status.ts";

type Facts = Record<string, string | number | boolean | null>;

export interface Phase {
  name: string;
  label: string;
  /** What the time was spent on. */
  info: string;
  tone: Tone;
  ms: number;
  /** In ms, after the beginning of the fetch. */
  from: number;
}

/** The part of the total time that no phase covers. */
const OTHER = "other";
/** Less than this is rounding. */
const LEAST_OTHER_MS = 1;
const MEASURED = ["timeDns", "timeConnect", "timeTls", "timeFirstByte", "timeDownload"];

const PHASES: readonly Omit<Phase, "ms" | "from">[] = [
  { name: "timeDns", label: "DNS", info: "Looking up the host", tone: "quiet" },
  { name: "timeConnect", label: "Connect", info: "Opening the connection", tone: "accent" },
  { name: "timeTls", label: "TLS", info: "Negotiating encryption", tone: "redirect" },
  { name: "timeFirstByte", label: "First byte", info: "Waiting for the server to start answering", tone: "warn" },
  { name: "timeDownload", label: "Download", info: "Reading the answer", tone: "ok" },
  { name: OTHER, label: "Other", info: "Between the phases, while this machine was busy", tone: "quiet" },
  { name: "timeRender", label: "Render", info: "Running the page in a browser, after the fetch", tone: "error" },
];

/** One after the other, in the order they happen; phases that took no time are left out. */
export function phasesOf(facts: Facts): Phase[] {
  let from = 0;
  return PHASES.flatMap((phase) => {
    const ms = phase.name === OTHER ? otherMs(facts) : numberOf(facts[phase.name]);
    if (ms <= 0) return [];
    const placed = { ...phase, ms, from };
    from += ms;
    return [placed];
  });
}

function otherMs(facts: Facts): number {
  const measured = MEASURED.reduce((sum, name) => sum + numberOf(facts[name]), 0);
  const rest = numberOf(facts["timeTotal"]) - measured;
  return rest < LEAST_OTHER_MS ? 0 : rest;
}

const numberOf = (value: Facts[string] | undefined): number => (typeof value === "number" ? value : 0);

/** After the first page of a host, the connection is already open. */
export const isReused = (facts: Facts): boolean =>
  typeof facts["timeFirstByte"] === "number" && !facts["timeDns"] && !facts["timeConnect"];
