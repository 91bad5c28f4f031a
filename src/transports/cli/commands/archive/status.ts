/** `trawl archive status`: what an archive holds, and whether anything is running. */
import type { Command } from "commander";
import type { ArchiveStatus } from "../../../../app/archive/look.ts";
import type { Half } from "../../../../app/archive/workspace.ts";
import { bytes, clean, count, counted, moment } from "../../../texts.ts";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { table } from "../../output/table.ts";
import type { Terminal } from "../../output/terminal.ts";
import { addWorkspace, openTyped, type WorkspaceOptions } from "./archive-options.ts";
import { someRests } from "./end.ts";

export function addStatusCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("status")
    .summary("show what the archive holds, and whether anything is running")
    .description("Shows what the archive holds, read from its files. Works during a run too.");
  addJson(addWorkspace(command));
  addExamples(command, [
    ["trawl archive status", "what is queued, fetched, and refused, and why"],
    ["trawl archive status -w ~/github --json | jq .waiting", "how many URLs are queued"],
  ]);
  command.action(async (options: WorkspaceOptions) => {
    const { archiveStatus, statusFacts } = await import("../../../../app/archive/look.ts");
    const { lockedHalves } = await import("../../../../app/archive/workspace.ts");
    const workspace = await openTyped(options);
    const running = lockedHalves(workspace.root);
    const status = await archiveStatus(workspace);
    // The names of `status` itself, which are not those of REST, are gone in version 0.3.
    if (options.json) cli.terminal.json({ workspace: workspace.root, running, ...status, ...statusFacts(status) });
    else cli.terminal.lines([`Archive in ${workspace.root}`, "", ...statusLines(cli.terminal, status, running)]);
  });
}

const SHOWN_RESTS = 10;

const RUNNING: Record<string, string> = {
  "": "nothing",
  crawl: "`run --discover`",
  store: "`scrape`",
  "crawl,store": "`run`, or `run --discover` and `scrape`",
};

function statusLines(terminal: Terminal, status: ArchiveStatus, running: Half[]): string[] {
  const { style, width } = terminal;
  const facts: [string, string][] = [
    ["running", RUNNING[running.join()]!],
    ["waiting", counted(status.frontier, "URL")],
    ["fetched", counted(status.fetched, "URL")],
    ["refused", counted(status.refused, "URL")],
    ["metadata", counted(status.records, "line")],
    ["pages", `${count(status.blobs)} in the store`],
    ["last fetch", status.lastFetchAt === null ? "never" : moment(status.lastFetchAt * 1_000)],
  ];
  for (const text of someRests(status.resting, SHOWN_RESTS).flat()) facts.push(["resting", text]);
  if (status.damaged > 0) facts.push(["damaged", `${counted(status.damaged, "line")}; see \`trawl archive verify\``]);
  if (status.spool.files > 0) {
    const full = status.spool.isFull ? "; full: `run` waits until `trawl archive scrape` has made room" : "";
    facts.push(["spool", `${counted(status.spool.files, "file")}, ${bytes(status.spool.bytes)}${full}`]);
  }
  if (status.discovered + status.discovering > 0) {
    const waiting = status.discovering > 0 ? `, ${count(status.discovering)} waiting` : "";
    facts.push(["discovered", `${counted(status.discovered, "URL")} read for their links${waiting}`]);
  }
  if (status.scraped > 0) facts.push(["scraped", counted(status.scraped, "URL")]);
  if (status.requisites > 0) facts.push(["requisites", `${counted(status.requisites, "file")} that pages need`]);
  if (status.flags.length > 0) facts.push(["control files", status.flags.join(", ")]);
  const counts = (title: string, numbers: Record<string, number>): string[] => {
    const rows = Object.entries(numbers).map(([name, number]) => [clean(name) || "other", count(number)]);
    if (rows.length === 0) return [];
    const columns = [
      { title: "", least: 10 },
      { title: "", align: "right" as const },
    ];
    return ["", style.bold(title), ...table({ columns, rows, width, indent: 2 })];
  };
  return [
    ...table({
      columns: [{ title: "" }, { title: "" }],
      rows: facts.map(([name, value]) => [{ text: name, style: style.dim }, clean(value)]),
      width: Number.POSITIVE_INFINITY,
      indent: 2,
    }),
    ...counts("Waiting by depth", status.frontierByDepth),
    ...counts("Responses", status.byStatus),
    ...counts("Page types", status.byPageType),
    ...counts("Refused", status.refusedByReason),
  ];
}
