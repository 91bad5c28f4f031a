/** `trawl atproto`: every repo of the AT Protocol network, in files that you can search, check and load. */
import type { Command } from "commander";
import type { Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { addCatCommand } from "./cat.ts";
import { addCompactCommand, addForgetCommand } from "./compact.ts";
import { addCrawlCommand } from "./crawl.ts";
import { addDiffCommand } from "./diff.ts";
import { addEventsCommand } from "./events.ts";
import { addExportCommand } from "./export.ts";
import { addFailuresCommand, addHostsCommand } from "./failures.ts";
import { addFollowCommand } from "./follow.ts";
import { addIndexCommand } from "./index-command.ts";
import { addInspectCommand } from "./inspect.ts";
import { addQueryCommand } from "./query.ts";
import { addReplayCommand, addSchemaCommand } from "./replay.ts";
import { addServeCommand } from "./serve.ts";
import { addResetCommand, addStatusCommand } from "./status.ts";
import { addRepairCommand, addVerifyCommand } from "./verify.ts";

export function addAtprotoCommand(program: Command, cli: Cli): void {
  const command = program
    .command("atproto")
    .helpCommand(false)
    .description(
      "Archives the repos of the AT Protocol network (Bluesky and all others): every record of every account, verified, in " +
        ".rca segments of one folder. Nothing else has to be installed; Redis and ClickHouse are optional.",
    );
  command.commandsGroup("Crawl:");
  addCrawlCommand(command, cli);
  addFollowCommand(command, cli);
  addStatusCommand(command, cli);
  addFailuresCommand(command, cli);
  addHostsCommand(command, cli);
  command.commandsGroup("Read the archive:");
  addInspectCommand(command, cli);
  addCatCommand(command, cli);
  addEventsCommand(command, cli);
  addQueryCommand(command, cli);
  addExportCommand(command, cli);
  addDiffCommand(command, cli);
  addServeCommand(command, cli);
  command.commandsGroup("Check and repair:");
  addVerifyCommand(command, cli);
  addRepairCommand(command, cli);
  addIndexCommand(command, cli);
  command.commandsGroup("Make it smaller:");
  addCompactCommand(command, cli);
  addForgetCommand(command, cli);
  command.commandsGroup("ClickHouse:");
  addSchemaCommand(command, cli);
  addReplayCommand(command, cli);
  command.commandsGroup("Start over:");
  addResetCommand(command, cli);
  addExamples(command, [
    ["trawl atproto crawl --source pds:https://pds.example.com", "all repos of one server, into ./rca; Ctrl-C pauses"],
    [
      "trawl atproto crawl --source relay:https://bsky.network --resume",
      "the whole network; continues where it stopped",
    ],
    ["trawl atproto cat did:plc:ewvi7nxzyoun6zhxrhs64oiz", "what the archive has of an account"],
  ]);
}
