/** The part of `trawl archive verify` that is about WARC files and their indexes. */
import type { RepairedWarcs, WarcCounts, WarcProblem } from "../../../../app/archive/look.ts";
import type { Workspace } from "../../../../app/archive/workspace.ts";
import { bytes, clean, count, counted } from "../../../texts.ts";
import type { LiveLine } from "../../output/progress.ts";
import type { Terminal } from "../../output/terminal.ts";

export interface CheckedWarcs {
  /** How many problems are damage; leftovers of a crash are not. */
  harm: number;
  counts: WarcCounts;
  repaired: Omit<RepairedWarcs, "counts"> | null;
}

export interface WarcCheckOptions {
  repair: boolean;
  json: boolean;
  signal: AbortSignal;
}

/** Prints each problem; the summary is for the caller to print. */
export async function checkWarcs(
  terminal: Terminal,
  { paths }: Workspace,
  progress: LiveLine,
  { repair, json, signal }: WarcCheckOptions,
): Promise<CheckedWarcs> {
  const { pagesNotInWarcs, repairWarcs, verifyWarcs } = await import("../../../../app/archive/look.ts");
  const options = {
    folder: paths.warc,
    of: paths,
    signal,
    onProblem: (problem: WarcProblem) => {
      if (json) terminal.json({ event: "problem", ...problem });
      else progress.say(problemLine(terminal, problem));
    },
    onProgress: ({ files, bytes: size }: WarcCounts) =>
      progress.show(() => `WARC ${count(files)} · ${bytes(size)} checked`),
  };
  const { counts, ...repaired } = repair ? await repairWarcs(options) : { counts: await verifyWarcs(options) };
  const { torn_warc: _, ...harmful } = counts.problems;
  const harm = Object.values(harmful).reduce((sum, number) => sum + number, 0);
  if (!("reindexed" in repaired)) return { harm, counts, repaired: null };
  // A repair sets records aside.
  return { harm, counts: { ...counts, missingPages: await pagesNotInWarcs(paths) }, repaired };
}

function problemLine({ style }: Terminal, { kind, file, offset, why, url }: WarcProblem): string {
  const name = (kind === "torn_warc" ? style.dim : style.bad)(kind);
  return clean(`${name}  ${file} byte ${offset}: ${why}${url === null ? "" : `  ${url}`}`);
}

/** Nothing for a workspace without WARCs. */
export function warcLines({ harm, counts, repaired }: CheckedWarcs): string[] {
  const { files, captures, bytes: size, missingPages, problems } = counts;
  if (files === 0 && harm === 0 && missingPages === null) return [];
  const found = Object.entries(problems).filter(([, number]) => number > 0);
  return [
    `${harm === 0 ? "WARCs are intact" : "Problems found in WARCs"}: ${counted(files, "file")}, ${counted(captures, "capture")}, ${bytes(size)}.`,
    ...found.map(([kind, number]) => `  ${kind} ${count(number)}`),
    ...(harm > 0 && repaired === null
      ? ["  `trawl archive verify --repair` keeps every good record and makes the indexes again"]
      : []),
    ...(repaired === null ? [] : repairedLines(repaired)),
    ...(missingPages === null || missingPages === 0 ? [] : [`  ${notInWarcs(missingPages)}`]),
  ];
}

/** For exports too, which lack them. */
export const notInWarcs = (pages: number): string =>
  `${counted(pages, "stored page is", "stored pages are")} not in the WARCs: archived without --warc, or lost or damaged since. ` +
  "`trawl archive run --refresh --warc` fetches what is missing.";

const repairedLines = ({ reindexed, setAside }: Omit<RepairedWarcs, "counts">): string[] => [
  ...(reindexed.length > 0 ? [`  ${counted(reindexed.length, "index", "indexes")} rebuilt from the records`] : []),
  ...setAside.map((file) => `  damaged bytes moved to ${file}`),
];
