/** `trawl atproto repair`: finishes or salvages segments; no whole block is lost. */
import type { Command } from "commander";
import type { RepairResult } from "../../../../app/atproto/segments.ts";
import { type ErrorCode, TrawlError } from "../../../../errors.ts";
import { counted } from "../../../texts.ts";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { addConnections } from "./connection-options.ts";
import { addInputDir, DamageTeller, type InputOptions } from "./folder-option.ts";
import { namedSegments } from "./segments.ts";

export function addRepairCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("repair")
    .summary("finish interrupted segments and rescue damaged ones")
    .description(
      "Finishes segments that a crash left, cuts off a torn block at their end, and copies the whole blocks out of damaged ones; " +
        "the damaged file is kept beside as .damaged. A segment that a crawl is writing now is left alone. `crawl` " +
        "finishes its own segments when it starts: this command is for archives that are not crawled any more, and for damage.",
    )
    .argument("[segment-file...]", "only these; without one, the whole archive");
  addJson(addConnections(addInputDir(command)), "Print a line of JSON for each segment.");
  addExamples(command, [
    ["trawl atproto repair", "all of ./rca"],
    ["trawl atproto repair rca/segment_0007.rca.partial", "one segment"],
  ]);
  command.action(async (named: string[], options: InputOptions) => {
    const { repairSegment } = await import("../../../../app/atproto/segments.ts");
    const { terminal } = cli;
    const damage = new DamageTeller(cli, options);
    // Proofs first, as when a segment is finished: a segment is never without its proofs.
    const segments = (await namedSegments(named, options.inputDir)).sort((a, b) => (a.kind > b.kind ? -1 : 1));
    let repaired = 0;
    let hopeless = 0;
    for (const { path, kind } of segments) {
      try {
        const result = await repairSegment(path, damage.tell, kind);
        if (result.action !== "whole") repaired++;
        if (options.json) terminal.json({ event: "segment", from: path, ...result });
        else if (result.action !== "whole") terminal.lines([resultLine(path, result)]);
      } catch (error) {
        const left = error instanceof TrawlError && named.length === 0 ? LEFT_ALONE[error.code] : undefined;
        if (left === undefined) throw error;
        if (left.action === "hopeless") hopeless++;
        if (options.json) terminal.json({ event: "segment", from: path, action: left.action });
        else terminal.lines([`${path}: ${left.text}`]);
      }
    }
    if (hopeless > 0) cli.exitCode = 1;
    else if (!options.json && repaired === 0) terminal.lines(["Nothing had to be repaired."]);
  });
}

/** States of one segment that do not keep the others from being repaired. */
const LEFT_ALONE: Partial<Record<ErrorCode, { action: "busy" | "hopeless"; text: string }>> = {
  SEGMENT_BUSY: { action: "busy", text: "being written now, left alone" },
  NOT_A_SEGMENT: { action: "hopeless", text: "has no whole repo, left as it is" },
};

function resultLine(from: string, { action, path, repos, kept }: RepairResult): string {
  if (action === "removed") return `${from}: removed, it had no whole repo`;
  const done = action === "finished" ? "finished" : "its whole repos copied";
  return `${path}: ${done}, ${counted(repos, "repo")}${kept === null ? "" : `; the damaged file is ${kept}`}`;
}
