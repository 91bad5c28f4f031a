/** The command line as a whole: every command, in the order in which a person meets them. */
import { Command } from "commander";
import type { Cli } from "./cli.ts";
import { addArchiveCommand } from "./commands/archive/archive.ts";
import { addAtprotoCommand } from "./commands/atproto/atproto.ts";
import { addConfigCommand } from "./commands/config.ts";
import { addCrawlCommand } from "./commands/crawl.ts";
import { addCrawlsCommand } from "./commands/crawls.ts";
import { addDemoCommand } from "./commands/demo.ts";
import { addDesktopCommand } from "./commands/desktop.ts";
import { addExportCommand } from "./commands/export.ts";
import { addLinksCommand } from "./commands/links.ts";
import { addListCommand } from "./commands/list.ts";
import { addMcpCommand } from "./commands/mcp.ts";
import { addOpenCommand } from "./commands/open.ts";
import { addResumeCommand } from "./commands/resume.ts";
import { addRobotsCommand } from "./commands/robots.ts";
import { addScheduleCommand } from "./commands/schedule/schedule.ts";
import { addServeCommand } from "./commands/serve.ts";
import { addShowCommand } from "./commands/show.ts";
import { addUrlsCommand } from "./commands/urls.ts";
import { addWhyCommand } from "./commands/why.ts";
import { addExamples, configureHelp } from "./help.ts";

export function createProgram(cli: Cli, version: string): Command {
  const program = new Command("trawl")
    .description("Crawls websites: every page, link and problem, and a reason for every URL it did not crawl.")
    .version(version, "-V, --version", "Print the version.")
    .helpOption("-h, --help", "Explain a command, with examples.")
    .exitOverride();
  configureHelp(program, cli.terminal);
  program.commandsGroup("Crawl:");
  addCrawlCommand(program, cli);
  addListCommand(program, cli);
  addResumeCommand(program, cli);
  addScheduleCommand(program, cli);
  addDemoCommand(program, cli);
  program.commandsGroup("Look at crawls:");
  addCrawlsCommand(program, cli);
  addShowCommand(program, cli);
  addUrlsCommand(program, cli);
  addLinksCommand(program, cli);
  addWhyCommand(program, cli);
  addExportCommand(program, cli);
  program.commandsGroup("Archive:");
  addArchiveCommand(program, cli);
  addAtprotoCommand(program, cli);
  program.commandsGroup("Serve:");
  addServeCommand(program, cli);
  addOpenCommand(program, cli);
  addDesktopCommand(program, cli);
  addMcpCommand(program, cli);
  program.commandsGroup("Tools:");
  addRobotsCommand(program, cli);
  addConfigCommand(program, cli);
  program.helpCommand("help [command]", "explain a command");
  addExamples(program, [
    ["trawl crawl https://example.com", "crawls a site; Ctrl-C pauses"],
    ["trawl demo", "crawls a bundled site, without a network"],
    ["trawl why last /private/", "why was this not crawled?"],
  ]);
  program.addHelpText(
    "after",
    `
Exit codes: 0 done, 1 failed, 2 bad usage or config, 3 interrupted: resumable.
Data is kept in TRAWL_HOME, or ~/.trawl. NO_COLOR takes the colours away.`,
  );
  return program;
}
