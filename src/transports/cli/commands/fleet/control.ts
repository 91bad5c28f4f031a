/** `trawl fleet pause`, `resume`, `stop`, `rm` and `pull`. */
import type { Command } from "commander";
import { TrawlError } from "../../../../errors.ts";
import { clean, counted } from "../../../texts.ts";
import { type Cli, confirmed, withApp } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { addFleetOptions, type FleetOption, postgresOf } from "./postgres-option.ts";

type Control = typeof import("../../../../app/fleet/control.ts");

export function addControlCommands(group: Command, cli: Cli): void {
  const change = (
    verb: string,
    summary: string,
    description: string,
    example: string,
    act: (control: Control, name: string, postgres: string) => Promise<string>,
  ) => {
    const command = group.command(verb).summary(summary).description(description).argument("<name>", "the crawl");
    addFleetOptions(command);
    addExamples(command, [[`trawl fleet ${verb} web1`, example]]);
    command.action(async (name: string, values: FleetOption) => {
      const control = await import("../../../../app/fleet/control.ts");
      const state = await act(control, name, postgresOf(values, cli));
      if (values.json) cli.terminal.json({ name, state });
      else cli.terminal.lines([clean(`${name} is ${state}.`)]);
    });
  };
  change(
    "pause",
    "pause a crawl",
    "Pauses a crawl. Returns when no request is in flight.",
    "workers stay and wait",
    (control, ...at) => control.pauseFleet(...at),
  );
  change(
    "resume",
    "continue a crawl that was paused or stopped",
    "Resumes a crawl that was paused or stopped.",
    "workers that wait continue",
    (control, ...at) => control.resumeFleet(...at),
  );
  change(
    "stop",
    "stop a crawl and its workers",
    "Stops a crawl: its workers end. Returns when no request is in flight. `trawl fleet resume` makes it ready for workers again.",
    "and its workers with it",
    (control, ...at) => control.stopFleet(...at),
  );
  addRemove(group, cli);
  addPull(group, cli);
}

function addRemove(group: Command, cli: Cli): void {
  const command = group
    .command("rm")
    .summary("delete a crawl from the fleet's database")
    .description("Deletes a crawl, and everything it stored, from the fleet's database.")
    .argument("<name>", "the crawl")
    .option("--yes", "Do not ask.");
  addFleetOptions(command);
  addExamples(command, [["trawl fleet rm web1 --yes", "without a question"]]);
  command.action(async (name: string, values: FleetOption & { yes?: true }) => {
    const postgres = postgresOf(values, cli);
    if (!values.yes) {
      if (!cli.terminal.canAsk) throw new TrawlError("BAD_USAGE", "No terminal to ask on; pass --yes.");
      if (!(await confirmed(cli.terminal, `Delete ${name} and everything it stored? [y/N] `))) return;
    }
    const { removeFleet } = await import("../../../../app/fleet/control.ts");
    await removeFleet(name, postgres);
    if (values.json) cli.terminal.json({ name, state: "deleted" });
    else cli.terminal.lines([clean(`Deleted ${name}.`)]);
  });
}

function addPull(group: Command, cli: Cli): void {
  const command = group
    .command("pull")
    .summary("copy a crawl, or one host of it, to this machine")
    .description(
      "Copies a fleet's crawl into an ordinary crawl on this machine: every command, the web app, audit and compare work on " +
        "it. A running crawl can be pulled too; the copy has what was stored so far.",
    )
    .argument("<name>", "the crawl")
    .option("--host <host>", "Only the pages of this host, and what they link to.");
  addFleetOptions(command);
  addExamples(command, [
    ["trawl fleet pull web1", "all of it"],
    ["trawl fleet pull web1 --host a.example", "one host"],
  ]);
  command.action((name: string, values: FleetOption & { host?: string }) =>
    withApp(cli, async (app) => {
      const { pullFleet } = await import("../../../../app/fleet/pull.ts");
      const pulled = await pullFleet(app, { name, postgres: postgresOf(values, cli), host: values.host ?? null });
      if (values.json) cli.terminal.json(pulled);
      else {
        const { crawlId, urls, records } = pulled;
        cli.terminal.lines([`Crawl ${crawlId}: ${counted(urls, "URL")}, ${counted(records, "page")}.`]);
      }
    }),
  );
}
