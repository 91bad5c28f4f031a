/** `trawl fleet status` and `trawl fleet list`: the progress of a fleet's crawls. */
import type { Command } from "commander";
import type { FleetStatus, UnreadableFleet } from "../../../../app/fleet/control.ts";
import { clean, count, counted } from "../../../texts.ts";
import type { Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { addFleetOptions, type FleetOption, postgresOf } from "./postgres-option.ts";

const WATCH_MS = 2_000;

export function addStatusCommands(group: Command, cli: Cli): void {
  const status = group
    .command("status")
    .summary("show a crawl: workers, partitions, what waits")
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
  const list = group
    .command("list")
    .summary("list the crawls of the database")
    .description("Lists the crawls in the fleet's database.");
  addFleetOptions(list);
  addExamples(list, [["trawl fleet list --postgres postgres://db/trawl", "all of them"]]);
  list.action(async (values: FleetOption) => {
    const { listFleets } = await import("../../../../app/fleet/control.ts");
    const all = await listFleets(postgresOf(values, cli));
    if (values.json) cli.terminal.json({ total: all.length, rows: all, next: null });
    else cli.terminal.lines(all.length === 0 ? ["No crawls."] : all.map(line));
  });
}

const line = (one: FleetStatus | UnreadableFleet): string =>
  one.state === "unreadable" ? clean(`${one.name}: ${one.message}`) : described(one, null)[0]!;

function described(status: FleetStatus, before: FleetStatus | null): string[] {
  const { name, state, message, settled, open, parked, inbox, partitions, workers, seconds, waiting } = status;
  const elapsed = seconds - (before?.seconds ?? 0);
  const rate = elapsed > 0 ? (settled - (before?.settled ?? 0)) / elapsed : 0;
  const givenUp = parked > 0 ? `, ${count(parked)} of them for hosts that do not answer` : "";
  const end = message === "limit" ? " at its limit" : "";
  return [
    `${name}: ${state}${end}, ${counted(settled, "URL")} fetched, ${count(open)} open${givenUp}, ${rate.toFixed(1)} per second`,
    `  ${partitions.owned} of ${partitions.total} partitions have a worker, ${partitions.withWork} have work; ${counted(inbox, "batch", "batches")} of links on their way`,
    ...(state === "running" ? waitingLines(waiting) : []),
    ...workers.map(({ id, partitions, inFlight, secondsSinceBeat, isAlive, fetched, urlsPerSecond, trouble }) => {
      const silent = isAlive ? "" : `, last heard of ${Math.round(secondsSinceBeat)} s ago`;
      const pace = isAlive ? `, ${urlsPerSecond.toFixed(1)} per second` : "";
      const problem = trouble === null ? "" : `; ${trouble}`;
      return `  ${id}: ${counted(partitions, "partition")}, ${counted(fetched, "URL")} fetched${pace}, ${counted(inFlight, "request")} under way${silent}${problem}`;
    }),
    ...(state === "running" && !workers.some(({ isAlive }) => isAlive)
      ? [`  No worker is at work. Join it on any machine: trawl fleet work ${name}`]
      : []),
  ].map(clean);
}

/** What hosts do and why they wait: by state, or by state and reason, in the workers' terms. */
const WHY: Record<string, string> = {
  fetching: "are being asked",
  ready: "wait for their worker's turn",
  "waiting rate": "keep to the rate",
  "waiting crawl_delay": "keep to the crawl-delay in their robots.txt",
  "waiting retry": "will be asked again for what failed",
  "waiting overloaded": "are overloaded and get fewer requests",
  throttled: "asked to slow down",
  "blocked unreachable": "failed too often in a row",
  "blocked probing": "are being tried again",
  "given_up backoff": "asked for too long a pause and were given up",
  "given_up unreachable": "do not answer, and were given up",
};

function waitingLines(waiting: Record<string, number>): string[] {
  const counts = new Map<string, number>();
  for (const [why, hosts] of Object.entries(waiting)) {
    const text = WHY[why] ?? WHY[why.split(" ")[0]!] ?? why.replaceAll("_", " ");
    counts.set(text, (counts.get(text) ?? 0) + hosts);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([text, hosts]) => `  ${counted(hosts, "host")}: ${text}`);
}
