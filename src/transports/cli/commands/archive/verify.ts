/** `trawl archive verify`: checks every page that the metadata names. With `--repair`, bad pages are fetched again. */
import type { Command } from "commander";
import type { DamagedLine, Problem, VerifyCounts, WorkspaceRepair } from "../../../../app/archive/look.ts";
import { bytes, clean, count, counted } from "../../../texts.ts";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { type LiveLine, liveLine } from "../../output/progress.ts";
import { addWorkspace, openTyped, type WorkspaceOptions } from "./archive-options.ts";
import { checkWarcs, warcLines } from "./verify-warcs.ts";

interface VerifyOptions extends WorkspaceOptions {
  repair?: true;
}

/** Left by a crash between storing, recording and counting a page as fetched. Nothing is wrong with the archive. */
const HARMLESS: ReadonlySet<Problem["kind"]> = new Set(["unsettled_line", "orphan", "leftover"]);

export function addVerifyCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("verify")
    .summary("check every page and line, and repair them on request")
    .description(
      "Reads every line of the metadata and every page it names, and lists what is missing, corrupt or damaged, and pages " +
        "that no line names (orphans). WARC files are checked record by record, and against their indexes. Exit code 1 when " +
        "something is wrong. With --repair, bad lines go to state/damaged-<time>.txt, corrupt pages and records to a folder " +
        "quarantine/, the URLs of corrupt pages are fetched by the next run, and indexes are rebuilt.",
    )
    .option("--repair", "Repair what is damaged; good data is not touched.");
  addJson(addWorkspace(command), "Print one JSON line per problem, then the counts.");
  addExamples(command, [
    ["trawl archive verify", "changes nothing"],
    ["trawl archive verify --repair && trawl archive resume", "fetches what was lost"],
  ]);
  command.action((options: VerifyOptions) => verify(cli, options));
}

async function verify(cli: Cli, options: VerifyOptions): Promise<void> {
  const { terminal } = cli;
  const { checkLedgers, repairWorkspace, verifyWorkspace } = await import("../../../../app/archive/look.ts");
  const { HALVES, lockedHalves, lockWorkspace } = await import("../../../../app/archive/workspace.ts");
  const workspace = await openTyped(options);
  const lock = options.repair ? lockWorkspace(workspace.root, HALVES) : null;
  if (lock === null && lockedHalves(workspace.root).length > 0) {
    terminal.note("note: a run is writing to this workspace; what it is writing may look wrong.");
  }
  const progress: LiveLine = liveLine(terminal, options.json === true);
  const stopping = new AbortController();
  const stopListening = listenForInterrupts(() => stopping.abort());
  const watching = {
    onProblem: (problem: Problem) => {
      if (options.json) terminal.json({ event: "problem", ...problem });
      else progress.say(problemLine(cli, problem));
    },
    onProgress: ({ lines, blobs, bytes: size }: VerifyCounts) =>
      progress.show(() => `${counted(lines, "line")} · ${counted(blobs, "page")} intact · ${bytes(size)}`),
    signal: stopping.signal,
  };
  const warcOptions = { repair: options.repair === true, json: options.json === true, signal: stopping.signal };
  try {
    if (options.repair) {
      const repair = await repairWorkspace(workspace, watching, Date.now());
      const warcs = await checkWarcs(terminal, workspace, progress, warcOptions);
      progress.end();
      if (options.json)
        terminal.json({ event: "end", ...repair.archive.counts, repaired: repairFacts(repair), warc: warcs });
      else {
        const found = countLines(repair.archive.counts, repair.ledger.damaged.length, warcs.harm);
        terminal.lines([...found, ...warcLines(warcs), ...repairLines(repair, warcs.harm > 0)]);
      }
    } else {
      const counts = await verifyWorkspace(workspace, watching);
      const state = await checkLedgers(workspace);
      const warcs = await checkWarcs(terminal, workspace, progress, warcOptions);
      progress.end();
      if (options.json) {
        for (const damaged of state) terminal.json({ event: "problem", kind: "damaged_state", ...damaged });
        terminal.json({ event: "end", ...counts, damagedState: state.length, warc: warcs });
      } else
        terminal.lines([...state.map(stateLine), ...countLines(counts, state.length, warcs.harm), ...warcLines(warcs)]);
      if (harm(counts) + state.length + warcs.harm > 0) cli.exitCode = 1;
    }
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    progress.end();
    terminal.note("Interrupted. Nothing was changed.");
    cli.exitCode = 3;
  } finally {
    stopListening();
    lock?.release();
  }
}

const harm = ({ problems }: VerifyCounts): number =>
  Object.entries(problems).reduce((sum, [kind, n]) => (HARMLESS.has(kind as Problem["kind"]) ? sum : sum + n), 0);

function problemLine({ terminal }: Cli, problem: Problem): string {
  const { bad, dim } = terminal.style;
  const name = (HARMLESS.has(problem.kind) ? dim : bad)(problem.kind);
  const where = "line" in problem ? `line ${problem.line}  ` : "";
  const url = "url" in problem && problem.url !== null ? problem.url : "";
  const rest =
    problem.kind === "damaged_line"
      ? `${url}${url === "" ? "" : ": "}${problem.why}`
      : "file" in problem
        ? problem.file
        : `${url}${"sha256" in problem ? `  ${problem.sha256}` : ""}`;
  return `${name}  ${where}${clean(rest)}`;
}

const stateLine = ({ file, line, what }: DamagedLine): string => `damaged_state  ${file} line ${line} ${what}`;

/** `inState`: damaged lines of the queue, which the counts do not include. `inWarcs`: problems with lines of their own. */
function countLines(counts: VerifyCounts, inState: number, inWarcs: number): string[] {
  const { lines, blobs, bytes: size, problems } = counts;
  const found = Object.entries(problems).filter(([, number]) => number > 0);
  if (inState > 0) found.push(["damaged_state", inState]);
  const isWhole = harm(counts) + inState === 0;
  const verdict = !isWhole ? "Problems found" : inWarcs > 0 ? "Pages and metadata are intact" : "Everything is intact";
  return [
    `${verdict}: ${counted(lines, "line")} of metadata, ${counted(blobs, "page")} with the right SHA-256, ${bytes(size)}.`,
    ...found.map(([kind, number]) => `  ${kind} ${count(number)}`),
    ...(isWhole && found.length > 0 ? ["  what a crash leaves behind is harmless"] : []),
  ];
}

const repairFacts = ({ archive, ledger, discoversAgain }: WorkspaceRepair) => ({
  reopened: archive.reopen,
  restored: ledger.restored,
  droppedLines: archive.droppedLines,
  quarantined: archive.quarantined,
  damagedFile: archive.damagedFile ?? ledger.damagedFile,
  kept: [...(archive.kept === null ? [] : [archive.kept]), ...ledger.kept],
  ledgerLines: ledger.damaged,
  rereadsLinks: ledger.mayLackUrls,
  discoversAgain,
  searchAgain: archive.counts.problems.damaged_search > 0,
});

function repairLines(repair: WorkspaceRepair, hadWarcs: boolean): string[] {
  const facts = repairFacts(repair);
  const { reopened, restored, droppedLines, quarantined, damagedFile, kept, ledgerLines } = facts;
  const isWhole = reopened.length + droppedLines + ledgerLines.length + quarantined.length + kept.length === 0;
  if (isWhole && !facts.searchAgain) {
    return hadWarcs ? [] : ["Nothing needed repair."];
  }
  const done = [
    ...ledgerLines.map(stateLine),
    ...(damagedFile !== null ? [`bad lines are in ${damagedFile}`] : []),
    ...(kept.length > 0 ? [`${counted(kept.length, "damaged file")} kept as it was, such as ${kept[0]}`] : []),
    ...(quarantined.length > 0
      ? [`${counted(quarantined.length, "corrupt page")} moved to quarantine, such as ${quarantined[0]}`]
      : []),
    ...(restored > 0 ? [`${counted(restored, "URL")} count as fetched again: the metadata has them`] : []),
    ...(facts.rereadsLinks ? ["the next run reads the links of stored pages again, to find URLs that were lost"] : []),
    ...(facts.searchAgain ? ["the search index was removed; the next search rebuilds it"] : []),
    ...(facts.discoversAgain ? ["`run --discover` will start from the seeds again"] : []),
    ...(reopened.length > 0 ? [`${counted(reopened.length, "URL")} will be fetched again: trawl archive resume`] : []),
  ];
  return ["Repaired:", ...done.map((line) => `  ${line}`)];
}
