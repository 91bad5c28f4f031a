/** Figures of the overview, computed from the server's answer. */
import type { Overview } from "../../lib/contract.ts";
import { formatDuration, formatNumber } from "../../lib/format.ts";
import { STATUS_CLASSES, type Tone } from "../../lib/status.ts";

export const totalOf = (rows: readonly { count: number }[]): number => rows.reduce((sum, { count }) => sum + count, 0);

export interface DepthBin {
  from: number;
  /** Everything from here on. */
  isOpenEnded: boolean;
  total: number;
  parts: { tone: Tone; value: number }[];
  filter: string[];
}

const PARTS = [
  ["2xx", "ok"],
  ["3xx", "redirect"],
  ["4xx", "clientError"],
  ["5xx", "serverError"],
  ["error", "noAnswer"],
] as const;

/** One bin per depth, and the last for everything deeper: a calendar can go on for thousands. */
export function depthBins(depths: Overview["depths"], most: number): DepthBin[] {
  const bins: DepthBin[] = depths.slice(0, most).map((row) => ({
    from: row.depth,
    isOpenEnded: false,
    total: row.total,
    parts: partsOf([row]),
    filter: row.filter,
  }));
  if (depths.length <= most) return bins;
  const rest = depths.slice(most - 1);
  bins[most - 1] = {
    from: rest[0]!.depth,
    isOpenEnded: true,
    total: rest.reduce((sum, { total }) => sum + total, 0),
    parts: partsOf(rest),
    filter: rest[0]!.filter.map((one) => one.replace(/^depth=/, "depth>=")),
  };
  return bins;
}

const partsOf = (rows: Overview["depths"]): DepthBin["parts"] =>
  PARTS.map(([name, key]) => ({
    tone: STATUS_CLASSES.find((entry) => entry.name === name)!.tone,
    value: rows.reduce((sum, row) => sum + row[key], 0),
  }));

/** What a bin holds, in words. */
export function depthTitle({ from, isOpenEnded, total, parts }: DepthBin): string {
  const mix = parts
    .map(({ tone, value }) => ({ value, entry: STATUS_CLASSES.find((one) => one.tone === tone)! }))
    .filter(({ value }) => value > 0)
    .map(({ value, entry }) => `${formatNumber(value)} ${entry.label}`);
  return `Depth ${from}${isOpenEnded ? " and deeper" : ""}: ${formatNumber(total)} (${mix.join(", ")})`;
}

export interface TimeBin {
  label: string;
  value: number;
  tone: Tone;
  filter: string[];
}

/** The ranges up to the last that is not empty, so that an empty tail takes no room. */
export function timeBins(times: Overview["responseTimes"]): TimeBin[] {
  const last = times.findLastIndex(({ count }) => count > 0);
  // At least five ranges: a single bar does not show how fast the server is.
  return times.slice(0, Math.max(last + 1, 5)).map(({ fromMs, toMs, count, filter }) => ({
    label: toMs === null ? `>${shortMs(fromMs)}` : `≤${shortMs(toMs)}`,
    value: count,
    tone: fromMs >= 1_000 ? "warn" : "accent",
    filter,
  }));
}

const shortMs = (ms: number): string => formatDuration(ms).replace(/\s/g, " ");
