/** `trawl fleet status` and `trawl fleet list`: how crawls of a fleet stand. */
import type { Command } from "commander";
import type { FleetStatus } from "../../../../app/fleet/control.ts";
import { clean, counted } from "../../../texts.ts";
import type { Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { addFleetOptions, type FleetOption, postgresOf } from "./postgres-option.ts";

const WATCH_MS = 2_000;
/** A worker whose beat is older than this is called dead by the others. */
const DEAD_SECONDS = 15;

export function addStatusCommands(group: Command, cli: Cli): void {
  const status = group
    .command("status")
    .description("Shows a crawl: its workers and partitions, what is fetched and what waits.")
    .argument("<name>", "the crawl")
    .option("--watch", "Show it again every two seconds until it ends.");
  addFleetOptions(status);
  addExamples(status, [["trawl fleet status web1 --watch", "until the crawl ends"]]);
  status.action(async (name: string, values: FleetOption & { watch?: true }) => {
    const { statusOfFleet } = await import("../../../../app/fleet/control.ts");
    let before: FleetStatus | null = null;
    for (;;) {
      const now = await statusOfFleet(name, postgresOf(values, cli));
      if (values.json) cli.terminal.json(now);
      else cli.terminal.lines(described(now, before));
      if (!values.watch || now.state === "done" || now.state === "stopped") return;
      before = now;
      await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
    }
  });
  const list = group.command("list").description("Lists the crawls in the fleet's database.");
  addFleetOptions(list);
  addExamples(list, [["trawl fleet list --postgres postgres://db/trawl", "all of them"]]);
  list.action(async (values: FleetOption) => {
    const { listFleets } = await import("../../../../app/fleet/control.ts");
    const all = await listFleets(postgresOf(values, cli));
    if (values.json) for (const one of all) cli.terminal.json(one);
    else cli.terminal.lines(all.length === 0 ? ["No crawls."] : all.map((one) => described(one, null)[0]!));
  });
}

function described(status: FleetStatus, before: FleetStatus | null): string[] {
  const { name, state, settled, open, parked, inbox, partitions, workers, seconds } = status;
  const elapsed = seconds - (before?.seconds ?? 0);
  const rate = elapsed > 0 ? (settled - (before?.settled ?? 0)) / elapsed : 0;
  const waiting = parked > 0 ? `, ${parked} of them for hosts that do not answer` : "";
  return [
    clean(
      `${name}: ${state}, ${counted(settled, "URL")} fetched, ${open} open${waiting}, ${rate.toFixed(1)} per second`,
    ),
    `  ${partitions.owned} of ${partitions.total} partitions have a worker, ${partitions.withWork} have work; ${counted(inbox, "batch")} of links on their way`,
    ...workers.map(({ id, partitions, inFlight, secondsSinceBeat }) => {
      const isDead = secondsSinceBeat > DEAD_SECONDS ? `, last heard of ${Math.round(secondsSinceBeat)} s ago` : "";
      return clean(`  ${id}: ${counted(partitions, "partition")}, ${counted(inFlight, "request")} under way${isDead}`);
    }),
  ];
}
