/**
 * The command line: every command with a one-line description, in the order in which users need them.
 *
 * A command's code is loaded when it is named; the list of all commands needs none of it.
 */
import { Command } from "commander";
import type { Cli } from "./cli.ts";
import { addExamples, configureHelp } from "./help.ts";
import { wrap } from "./output/table.ts";

type Add = (program: Command, cli: Cli) => void;

interface Entry {
  /** The arguments, as its own help names them. */
  usage?: string;
  summary: string;
  load: () => Promise<Add>;
}

const COMMANDS: Record<string, Record<string, Entry>> = {
  "Crawl:": {
    crawl: {
      usage: "<url>",
      summary: "crawl a website",
      load: async () => (await import("./commands/crawl.ts")).addCrawlCommand,
    },
    list: {
      usage: "<file>",
      summary: "fetch the URLs in a list",
      load: async () => (await import("./commands/crawl.ts")).addListCommand,
    },
    again: {
      usage: "<site>",
      summary: "repeat the newest crawl of a site",
      load: async () => (await import("./commands/crawl.ts")).addAgainCommand,
    },
    resume: {
      usage: "<id>",
      summary: "resume a crawl that was interrupted",
      load: async () => (await import("./commands/crawl.ts")).addResumeCommand,
    },
    pause: {
      usage: "<id>",
      summary: "pause a crawl, whichever process runs it",
      load: async () => (await import("./commands/crawl.ts")).addPauseCommand,
    },
    stop: {
      usage: "<id>",
      summary: "stop a crawl, whichever process runs it",
      load: async () => (await import("./commands/crawl.ts")).addStopCommand,
    },
    schedule: {
      summary: "crawl sites on a schedule",
      load: async () => (await import("./commands/schedule.ts")).addScheduleCommand,
    },
    fleet: {
      summary: "crawl with many machines, sharing one PostgreSQL",
      load: async () => (await import("./commands/fleet/fleet.ts")).addFleetCommand,
    },
    demo: {
      summary: "crawl a bundled site, without a network",
      load: async () => (await import("./commands/demo.ts")).addDemoCommand,
    },
  },
  "Look at crawls:": {
    crawls: {
      summary: "list the crawls on this machine, or delete some",
      load: async () => (await import("./commands/crawls.ts")).addCrawlsCommand,
    },
    show: {
      usage: "[id]",
      summary: "show one crawl in numbers",
      load: async () => (await import("./commands/show.ts")).addShowCommand,
    },
    urls: {
      usage: "[id]",
      summary: "list, filter and sort the URLs of a crawl",
      load: async () => (await import("./commands/urls.ts")).addUrlsCommand,
    },
    links: {
      usage: "[id] <url>",
      summary: "show the links to and from a URL",
      load: async () => (await import("./commands/links.ts")).addLinksCommand,
    },
    why: {
      usage: "[id] <url>",
      summary: "show why a URL was crawled or not",
      load: async () => (await import("./commands/why.ts")).addWhyCommand,
    },
    text: {
      usage: "[id] <url>",
      summary: "print a page's text as Markdown, or its HTML",
      load: async () => (await import("./commands/text.ts")).addTextCommand,
    },
    compare: {
      usage: "<before> [after]",
      summary: "show what changed from one crawl to another",
      load: async () => (await import("./commands/compare.ts")).addCompareCommand,
    },
    issues: {
      usage: "[id] [rule]",
      summary: "show what is wrong with a site, and how to fix it",
      load: async () => (await import("./commands/issues.ts")).addIssuesCommand,
    },
    audit: {
      usage: "[id]",
      summary: "apply the audit rules to a finished crawl again",
      load: async () => (await import("./commands/issues.ts")).addAuditCommand,
    },
    accept: {
      usage: "[id] [rule]",
      summary: "accept or ignore findings, with a reason",
      load: async () => (await import("./commands/report.ts")).addAcceptCommand,
    },
    report: {
      usage: "[id]",
      summary: "write what the audit found as HTML, PDF, SARIF, JUnit or Markdown",
      load: async () => (await import("./commands/report.ts")).addReportCommand,
    },
    sitemap: {
      usage: "[id]",
      summary: "write sitemaps of the indexable pages",
      load: async () => (await import("./commands/report.ts")).addSitemapCommand,
    },
    sql: {
      usage: "[id] [query]",
      summary: "query a crawl's database with SQL",
      load: async () => (await import("./commands/sql.ts")).addSqlCommand,
    },
    export: {
      usage: "[id]",
      summary: "write a crawl as CSV or JSON lines",
      load: async () => (await import("./commands/export.ts")).addExportCommand,
    },
  },
  "Archive:": {
    archive: {
      summary: "archive pages of a code host, in plain files",
      load: async () => (await import("./commands/archive/archive.ts")).addArchiveCommand,
    },
    atproto: {
      summary: "archive the repos of the AT Protocol network",
      load: async () => (await import("./commands/atproto/atproto.ts")).addAtprotoCommand,
    },
  },
  "Serve:": {
    serve: {
      summary: "serve the web app and the API",
      load: async () => (await import("./commands/serve.ts")).addServeCommand,
    },
    open: {
      usage: "[id]",
      summary: "open the web app in a browser",
      load: async () => (await import("./commands/open.ts")).addOpenCommand,
    },
    desktop: {
      summary: "open the web app in a desktop window",
      load: async () => (await import("./commands/desktop.ts")).addDesktopCommand,
    },
    mcp: {
      summary: "serve an agent over stdin and stdout",
      load: async () => (await import("./commands/mcp.ts")).addMcpCommand,
    },
  },
  "Tools:": {
    robots: {
      summary: "check URLs against robots.txt",
      load: async () => (await import("./commands/robots.ts")).addRobotsCommand,
    },
    config: {
      summary: "write, check and show a settings file",
      load: async () => (await import("./commands/config.ts")).addConfigCommand,
    },
    completion: {
      usage: "<shell>",
      summary: "complete commands in your shell with Tab",
      load: async () => (await import("./commands/completion.ts")).addCompletionCommand,
    },
    update: {
      summary: "update Trawl, or see whether there is an update",
      load: async () => (await import("./commands/update.ts")).addUpdateCommand,
    },
  },
};

const LAST_WORDS = [
  "Exit codes: 0 done, 1 failed, 2 bad usage or settings, 3 interrupted (resumable), 4 done, but with problems: --fail-on found something, or an archive is incomplete.",
  "Data is kept in TRAWL_HOME, or ~/.trawl. NO_COLOR turns colours off, FORCE_COLOR on.",
];

/** The program with the code of the given command (`help crawl` counts as `crawl`), and only the names of the others. */
export async function createProgram(cli: Cli, version: string, typed: readonly string[]): Promise<Command> {
  const [first, second] = typed.filter((word) => !word.startsWith("-"));
  const isLoaded = (name: string) => name === (first === "help" ? second : first);
  return program(cli, version, isLoaded, typed.includes("--all"));
}

/** The program with the code of every command, for the reference. */
export const createWholeProgram = (cli: Cli, version: string): Promise<Command> =>
  program(cli, version, () => true, true);

async function program(
  cli: Cli,
  version: string,
  isLoaded: (name: string) => boolean,
  allOptions: boolean,
): Promise<Command> {
  const program = new Command("trawl")
    .description("Crawls websites: every page, link and problem, with a reason for every URL that was not crawled.")
    .version(version, "-V, --version", "Print the version.")
    .helpOption("-h, --help", "Show help for a command, with examples.")
    .exitOverride();
  configureHelp(program, cli.terminal, { all: allOptions });
  for (const [group, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(group);
    for (const [name, { usage = "", summary, load }] of Object.entries(commands)) {
      if (isLoaded(name)) (await load())(program, cli);
      else program.command(`${name} ${usage}`);
      program.commands.at(-1)!.summary(summary);
    }
  }
  program.helpCommand("help [command]", "show help for a command");
  addExamples(program, [
    ["trawl crawl https://example.com", "crawls a site; Ctrl-C pauses"],
    ["trawl demo", "crawls a bundled site, without a network"],
    ["trawl why /private/", "why was this not crawled?"],
  ]);
  program.addHelpText("after", () =>
    ["", ...LAST_WORDS.flatMap((text) => wrap(text, cli.terminal.proseWidth))].join("\n"),
  );
  return program;
}
