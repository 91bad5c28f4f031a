/** The phases of a fetch: when each began and how long it took. */
import type { Tone } from "../../lib/status.ts";

type Facts = Record<string, string | number | null>;

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
const MEASURED = ["time_dns", "time_connect", "time_tls", "time_first_byte", "time_download"];

const PHASES: readonly Omit<Phase, "ms" | "from">[] = [
  { name: "time_dns", label: "DNS", info: "Looking up the host", tone: "quiet" },
  { name: "time_connect", label: "Connect", info: "Opening the connection", tone: "accent" },
  { name: "time_tls", label: "TLS", info: "Negotiating encryption", tone: "redirect" },
  { name: "time_first_byte", label: "First byte", info: "Waiting for the server to start answering", tone: "warn" },
  { name: "time_download", label: "Download", info: "Reading the answer", tone: "ok" },
  { name: OTHER, label: "Other", info: "Between the phases, while this machine was busy", tone: "quiet" },
  { name: "time_render", label: "Render", info: "Running the page in a browser, after the fetch", tone: "error" },
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
  const rest = numberOf(facts["time_total"]) - measured;
  return rest < LEAST_OTHER_MS ? 0 : rest;
}

const numberOf = (value: string | number | null | undefined): number => (typeof value === "number" ? value : 0);

/** After the first page of a host, the connection is already open. */
export const isReused = (facts: Facts): boolean =>
  typeof facts["time_first_byte"] === "number" && !facts["time_dns"] && !facts["time_connect"];
