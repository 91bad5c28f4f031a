/** `trawl demo`: serves the bundled site on this machine and crawls it. Needs no network. */
import type { Command } from "commander";
import { DEMO_PORT, DEMO_SETTINGS, serveDemo } from "../../../app/demo.ts";
import type { RunningDemoSite } from "../../../demo/index.ts";
import { TrawlError } from "../../../errors.ts";
import type { Cli } from "../cli.ts";
import { addCrawlOptions, type CrawlOptionValues, givenSettings, loudness, startSite } from "../crawl-options.ts";
import { runCrawl, withCrawlApp } from "../crawl-session.ts";
import { addExamples } from "../help.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { readNumber } from "../selection.ts";

interface DemoOptions extends CrawlOptionValues {
  serve?: true;
  port?: number;
}

export function addDemoCommand(program: Command, cli: Cli): void {
  const command = program
    .command("demo")
    .description(
      "Serves a bundled website on this machine and crawls it: 322 pages with redirects, sitemaps, robots.txt, broken links, " +
        "duplicates, traps and a page that needs JavaScript.",
    )
    .option("--serve", "Only serve the site; Ctrl-C ends it.")
    .option("--port <n>", `Port to serve on. (default: ${DEMO_PORT}, or any when it is taken)`, readNumber);
  addCrawlOptions(command);
  addExamples(command, [
    ["trawl demo", "a first crawl"],
    ["trawl demo --render", "with JavaScript: finds the pages that only a script links to"],
    ["trawl demo --serve --port 4177", "serves it, to crawl it from another terminal"],
  ]);
  command.action((options: DemoOptions) => demo(cli, options));
}

async function demo(cli: Cli, options: DemoOptions): Promise<void> {
  const given = await givenSettings(options, DEMO_SETTINGS);
  const site = await serve(options.port);
  try {
    if (options.serve) return await untilInterrupted(cli, site, options.json === true);
    cli.exitCode = await withCrawlApp(cli, options, (app) =>
      runCrawl(cli, app, () => startSite(cli, app, site.url, given, options), {
        ...loudness(options),
        beforeResume: [[`demo --serve --port ${new URL(site.url).port} &`, "serves the site again"]],
      }),
    );
  } finally {
    await site.close();
  }
}

async function serve(port: number | undefined): Promise<RunningDemoSite> {
  if (port === undefined) return serveDemo();
  const { startDemoSite } = await import("../../../demo/index.ts");
  try {
    return await startDemoSite({ port });
  } catch (error) {
    throw new TrawlError("BAD_USAGE", `The site cannot be served on port ${port}: ${(error as Error).message}`);
  }
}

async function untilInterrupted({ terminal }: Cli, { url }: RunningDemoSite, json: boolean): Promise<void> {
  const interrupted = Promise.withResolvers<void>();
  const end = listenForInterrupts(() => interrupted.resolve());
  if (json) terminal.json({ event: "serving", url });
  else terminal.lines([`Serving ${url} until Ctrl-C. In another terminal: trawl crawl ${url}`]);
  await interrupted.promise;
  end();
}
