/** What the colour of a folder says: how its URLs answered, how deep they are, or how much the audit found on them. */
import type { StructureEntry } from "../../lib/contract.ts";

export const COLOURS = ["status", "depth", "issues"] as const;
export type Colour = (typeof COLOURS)[number];

export interface Shade {
  label: string;
  /** A background of CSS, made of tokens. */
  fill: string;
}

type Counts = Pick<
  StructureEntry,
  "urls" | "ok" | "redirect" | "clientError" | "serverError" | "noAnswer" | "depth" | "findings"
>;

const ANSWERS = [
  { of: "ok", label: "2xx", fill: "var(--ok-fill)" },
  { of: "redirect", label: "3xx", fill: "var(--redirect-fill)" },
  { of: "clientError", label: "4xx", fill: "var(--warn-fill)" },
  { of: "serverError", label: "5xx", fill: "var(--bad-fill)" },
  { of: "noAnswer", label: "No answer", fill: "var(--error-fill)" },
] as const;

const tint = (token: string, percent: number): string =>
  `color-mix(in oklab, var(${token}) ${percent}%, var(--surface))`;

const step = (token: string, upTo: readonly number[], words: (from: number, to: number | null) => string) =>
  [...upTo, null].map((to, at) => ({
    upTo: to,
    label: words(at === 0 ? 0 : upTo[at - 1]!, to),
    fill: tint(token, 12 + Math.round((at / upTo.length) * 76)),
  }));

const DEPTHS = step("--redirect-fill", [1, 2, 3, 4, 6], (from, to) =>
  to === null ? `Over ${from}` : from === 0 ? `Up to ${to}` : `${from}–${to}`,
);
const DENSITIES = step("--bad-fill", [0.5, 1, 2, 4, 8], (from, to) =>
  to === null ? `Over ${from}` : from === 0 ? `Up to ${to}` : `${from}–${to}`,
);

/** Findings for each URL. */
export const density = ({ findings, urls }: Pick<Counts, "findings" | "urls">): number =>
  urls === 0 ? 0 : findings / urls;

const shadeOf = (steps: typeof DEPTHS, value: number): string =>
  steps.find(({ upTo }) => upTo === null || value <= upTo)!.fill;

/** The background of a folder. For answers, one band each, as wide as its share. */
export function fillOf(counts: Counts, colour: Colour): string {
  if (colour === "depth") return counts.depth === null ? "var(--quiet-soft)" : shadeOf(DEPTHS, counts.depth);
  if (colour === "issues") return shadeOf(DENSITIES, density(counts));
  let from = 0;
  const bands = ANSWERS.filter(({ of }) => counts[of] > 0).map(({ of, fill }) => {
    const to = from + (counts[of] / counts.urls) * 100;
    const band = `${fill} ${round(from)}% ${round(to)}%`;
    from = to;
    return band;
  });
  return bands.length === 0 ? "var(--quiet-soft)" : `linear-gradient(to right, ${bands.join(", ")})`;
}

const round = (percent: number): number => Math.round(percent * 100) / 100;

export const legendOf = (colour: Colour): readonly Shade[] =>
  colour === "status" ? ANSWERS : colour === "depth" ? DEPTHS : DENSITIES;

export const COLOUR_WORDS: Record<Colour, { label: string; legend: string }> = {
  status: { label: "Status", legend: "Answers, each as wide as its share" },
  depth: { label: "Depth", legend: "Links from the start, on average" },
  issues: { label: "Issues", legend: "Findings per URL" },
};

/** The folders on the way to this one, the host first. */
export function pathOf(folder: string): { name: string; folder: string }[] {
  const host = /^[a-z][a-z0-9+.-]*:\/\/[^/]+\//i.exec(folder)?.[0];
  if (host === undefined) return [];
  let address = host;
  const names = folder
    .slice(host.length)
    .split("/")
    .filter((name) => name !== "");
  return [
    { name: host.replace(/^[^/]*\/\//, "").slice(0, -1), folder: host },
    ...names.map((name) => {
      address += `${name}/`;
      return { name, folder: address };
    }),
  ];
}
