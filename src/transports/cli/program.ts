/**
 * The command line as a whole: every command, in the order in which a person meets them.
 *
 * A command's code is loaded when it is named; all of them only for the help that lists them, or a name nobody knows.
 */
import { Command } from "commander";
import type { Cli } from "./cli.ts";
import { addExamples, configureHelp } from "./help.ts";
import { wrap } from "./output/width.ts";

type Add = (program: Command, cli: Cli) => void;

const COMMANDS: Record<string, Record<string, () => Promise<Add>>> = {
  "Crawl:": {
    crawl: async () => (await import("./commands/crawl.ts")).addCrawlCommand,
    list: async () => (await import("./commands/list.ts")).addListCommand,
    resume: async () => (await import("./commands/resume.ts")).addResumeCommand,
    schedule: async () => (await import("./commands/schedule/schedule.ts")).addScheduleCommand,
    demo: async () => (await import("./commands/demo.ts")).addDemoCommand,
  },
  "Look at crawls:": {
    crawls: async () => (await import("./commands/crawls.ts")).addCrawlsCommand,
    show: async () => (await import("./commands/show.ts")).addShowCommand,
    urls: async () => (await import("./commands/urls.ts")).addUrlsCommand,
    links: async () => (await import("./commands/links.ts")).addLinksCommand,
    why: async () => (await import("./commands/why.ts")).addWhyCommand,
    export: async () => (await import("./commands/export.ts")).addExportCommand,
  },
  "Archive:": {
    archive: async () => (await import("./commands/archive/archive.ts")).addArchiveCommand,
    atproto: async () => (await import("./commands/atproto/atproto.ts")).addAtprotoCommand,
  },
  "Serve:": {
    serve: async () => (await import("./commands/serve.ts")).addServeCommand,
    open: async () => (await import("./commands/open.ts")).addOpenCommand,
    desktop: async () => (await import("./commands/desktop.ts")).addDesktopCommand,
    mcp: async () => (await import("./commands/mcp.ts")).addMcpCommand,
  },
  "Tools:": {
    robots: async () => (await import("./commands/robots.ts")).addRobotsCommand,
    config: async () => (await import("./commands/config.ts")).addConfigCommand,
  },
};

const LAST_WORDS = [
  "Exit codes: 0 done, 1 failed, 2 bad usage or config, 3 interrupted: resumable.",
  "Data is kept in TRAWL_HOME, or ~/.trawl. NO_COLOR takes the colours away.",
];

/** The program with the commands that `typed` needs. */
export async function createProgram(cli: Cli, version: string, typed: readonly string[] = []): Promise<Command> {
  const program = new Command("trawl")
    .description("Crawls websites: every page, link and problem, and a reason for every URL it did not crawl.")
    .version(version, "-V, --version", "Print the version.")
    .helpOption("-h, --help", "Explain a command, with examples.")
    .exitOverride();
  configureHelp(program, cli.terminal);
  const isNeeded = neededCommands(typed);
  for (const [group, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(group);
    for (const [name, load] of Object.entries(commands)) if (isNeeded(name)) (await load())(program, cli);
  }
  program.helpCommand("help [command]", "explain a command");
  addExamples(program, [
    ["trawl crawl https://example.com", "crawls a site; Ctrl-C pauses"],
    ["trawl demo", "crawls a bundled site, without a network"],
    ["trawl why last /private/", "why was this not crawled?"],
  ]);
  program.addHelpText("after", () =>
    ["", ...LAST_WORDS.flatMap((text) => wrap(text, cli.terminal.proseWidth))].join("\n"),
  );
  return program;
}

/** The command that was typed (`help crawl` means `crawl` too); none for the version alone, and otherwise all. */
function neededCommands(typed: readonly string[]): (name: string) => boolean {
  const [first, second] = typed.filter((word) => !word.startsWith("-"));
  const named = first === "help" ? second : first;
  if (Object.values(COMMANDS).some((group) => Object.hasOwn(group, named ?? ""))) return (name) => name === named;
  const isVersion = typed.length === 1 && (typed[0] === "--version" || typed[0] === "-V");
  return () => !isVersion;
}
