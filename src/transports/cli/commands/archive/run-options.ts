/** The options of the commands that fetch: run, resume and scrape. */
import { type Command, InvalidArgumentError } from "commander";
import { addJson } from "../../cli.ts";
import { addReach, type ReachOptions } from "./reach-options.ts";
import { addWorkspace, type WorkspaceOptions } from "./workspace-option.ts";

export interface RunOptions extends WorkspaceOptions, ReachOptions {
  warc?: true;
  metricsPort?: number;
}

export function addRunOptions(command: Command): Command {
  addWorkspace(command)
    .option("--warc", "Write WARC files beside the store, with every request and response.")
    .option("--metrics-port <n>", "Serve Prometheus metrics on this port of 127.0.0.1; 0 picks a free port.", readPort);
  addReach(command);
  return addJson(command, "Print JSON lines: progress every second, the statistics last.");
}

/** The flags that are settings. */
export const overridesOf = ({ warc }: RunOptions): Record<string, unknown> => (warc ? { storage: { warc: true } } : {});

function readPort(value: string): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65_535) throw new InvalidArgumentError("It must be a port, 0 to 65535.");
  return port;
}
