/** `trawl fleet work`: joins a crawl, takes a share of its hosts, and ends with it. */
import type { Command } from "commander";
import type { MetricsServer, ServedMetrics } from "../../../../net/metrics-server.ts";
import { clean, counted } from "../../../texts.ts";
import type { Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { readLimit, readPort } from "../../selection.ts";
import { addFleetOptions, type FleetOption, postgresOf } from "./postgres-option.ts";

interface WorkValues extends FleetOption {
  maxFetches: number;
  metricsPort?: number;
}

/** Exit codes: 0 the crawl is done, 1 this worker failed, 3 it left or the crawl was stopped. */
const LEFT = 3;
const FIRST_MS = 1_000;

export function addWorkCommand(group: Command, cli: Cli): void {
  const command = group
    .command("work")
    .summary("join a crawl on this machine; Ctrl-C hands its share back")
    .description(
      "Joins a crawl of a fleet: takes its share of the hosts, and ends when the crawl ends. Ctrl-C hands the share back to " +
        "the other workers. A worker that is killed is replaced after 15 seconds.",
    )
    .argument("<name>", "the crawl");
  addFleetOptions(command);
  command.option("--max-fetches <n>", "Requests of this worker at once.", readLimit, 64);
  command.option(
    "--metrics-port <n>",
    "Serve Prometheus metrics on this port of 127.0.0.1; 0 picks a free port.",
    readPort,
  );
  addExamples(command, [
    ["trawl fleet work web1", "joins web1 of the database in TRAWL_POSTGRES"],
    ["trawl fleet work web1 --max-fetches 200 --json", "with more requests at once, and progress as JSON lines"],
  ]);
  command.action(async (name: string, values: WorkValues) => {
    cli.exitCode = await work(cli, name, values);
  });
}

async function work(cli: Cli, name: string, values: WorkValues): Promise<number> {
  const { joinFleet, WorkerMetrics } = await import("../../../../app/fleet/work.ts");
  const { terminal } = cli;
  const worker = await joinFleet({
    name,
    postgres: postgresOf(values, cli),
    maxFetches: values.maxFetches,
    onProblem: (message) => terminal.note(`warning: ${clean(message)}`),
  });
  const metrics = await servedMetrics(values.metricsPort, new WorkerMetrics(() => worker.progress)).catch(
    async (error) => {
      await worker.leave();
      throw error;
    },
  );
  if (metrics !== null) terminal.note(`Metrics: http://127.0.0.1:${metrics.port}/metrics`);
  if (!values.json) terminal.note(`Working on ${clean(name)}. Ctrl-C hands this worker's share back.`);
  const joinedAt = performance.now();
  const report = setInterval(() => {
    if (values.json) terminal.json({ event: "progress", ...worker.progress });
  }, FIRST_MS);
  const endListening = listenForInterrupts((presses) => {
    if (presses > 1) process.exit(LEFT);
    if (!values.json) terminal.note("Handing the share back. Press Ctrl-C again to quit at once.");
    void worker.leave();
  });
  const { state, error } = await worker.ended;
  clearInterval(report);
  endListening();
  await metrics?.close();
  const { pages, statements } = worker.progress;
  if (error !== null) throw error;
  const elapsedMs = Math.round(performance.now() - joinedAt);
  if (values.json) terminal.json({ event: "end", state, pages, statements, elapsedMs });
  else terminal.lines([`${ENDS[state]} This worker fetched ${counted(pages, "URL")}.`]);
  return state === "done" ? 0 : LEFT;
}

async function servedMetrics(port: number | undefined, metrics: ServedMetrics): Promise<MetricsServer | null> {
  if (port === undefined) return null;
  const { serveMetrics } = await import("../../../../net/metrics-server.ts");
  return serveMetrics(metrics, port);
}

const ENDS: Record<string, string> = {
  done: "The crawl is done.",
  stopped: "The crawl was stopped.",
  left: "Left the crawl; the other workers continue it.",
};
