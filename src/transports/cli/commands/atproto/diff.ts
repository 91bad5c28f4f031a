/** `trawl atproto diff <before> <after>`: what changed between two archives, by DID. */
import type { Command } from "commander";
import type { RepoChange } from "../../../../app/atproto/segments.ts";
import { clean, count } from "../../../texts.ts";
import { addJson, type Cli, type JsonOption } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { addConnections, DamageTeller } from "./atproto-options.ts";

const MARKS = { added: "+", removed: "-", changed: "~" } as const;

export function addDiffCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("diff")
    .summary("compare two archives by DID")
    .description(
      "Compares two archives: repos that were added or removed, and those with another rev, with how many records each " +
        "collection had before and has now. Repos with the same rev are identical and left out. An archive made by `crawl " +
        "--since` in another folder has only what changed: everything else counts as removed.",
    )
    .argument("<before>", "folder of the older archive")
    .argument("<after>", "folder of the newer one")
    .option("--summary", "Print only the totals.");
  addJson(addConnections(command), "Print one line of JSON per repo, totals last.");
  addExamples(command, [
    ["trawl atproto diff rca-june rca-july", "what changed in a month"],
    ["trawl atproto diff rca-june rca-july --summary", "only the totals"],
    ["trawl atproto diff rca-june rca-july | grep ^-", "accounts that are gone"],
  ]);
  command.action(async (before: string, after: string, options: JsonOption & { summary?: true }) => {
    const { diffArchives } = await import("../../../../app/atproto/segments.ts");
    const { terminal } = cli;
    const damage = new DamageTeller(cli, options);
    const sums = { added: 0, removed: 0, changed: 0 };
    for await (const change of diffArchives(before, after, damage.tell)) {
      sums[change.change]++;
      if (options.summary) continue;
      if (options.json) terminal.json({ event: "change", ...change });
      else terminal.lines([changeLine(change)]);
    }
    if (options.json) terminal.json({ event: "end", ...sums });
    else {
      const { added, removed, changed } = sums;
      terminal.lines([`${count(added)} added, ${count(removed)} removed, ${count(changed)} changed.`]);
    }
    if (damage.count > 0) cli.exitCode = 1;
  });
}

function changeLine({ did, change, collections }: RepoChange): string {
  const counts = collections.map(({ name, before, after }) => `${clean(name)} ${before}→${after}`);
  return `${MARKS[change]} ${clean(did)}${counts.length === 0 ? "" : `  ${counts.join(", ")}`}`;
}
