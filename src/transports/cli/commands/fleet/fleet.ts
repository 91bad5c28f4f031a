/** `trawl fleet`: one crawl on many machines, which share a PostgreSQL. */
import type { Command } from "commander";
import type { Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { addControlCommands } from "./control.ts";
import { addStartCommand } from "./start.ts";
import { addStatusCommands } from "./status.ts";
import { addWorkCommand } from "./work.ts";

export function addFleetCommand(program: Command, cli: Cli): void {
  const command = program
    .command("fleet")
    .helpCommand(false)
    .description(
      "Crawls with many machines. They share a PostgreSQL database (15 or newer) and nothing else: each takes its share of " +
        "the hosts, and one machine at a time requests a host, as politely as `trawl crawl` does. The address of the database is given " +
        "with --postgres or TRAWL_POSTGRES; its password comes from PGPASSWORD or ~/.pgpass.",
    );
  command.commandsGroup("Crawl:");
  addStartCommand(command, cli);
  addWorkCommand(command, cli);
  command.commandsGroup("Look at it:");
  addStatusCommands(command, cli);
  command.commandsGroup("Control it:");
  addControlCommands(command, cli);
  addExamples(command, [
    ["trawl fleet start web1 https://a.example --postgres postgres://db/trawl", "starts a crawl"],
    ["trawl fleet work web1 --postgres postgres://db/trawl", "on each machine: joins it; Ctrl-C hands its share back"],
    ["trawl fleet pull web1 --postgres postgres://db/trawl", "copies it into an ordinary crawl on this machine"],
  ]);
}
