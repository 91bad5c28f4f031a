/** `trawl open [id]`: the web app in a browser, from the server that runs already or from one of its own. */
import type { Command } from "commander";
import { type Cli, crawlId, withApp } from "../cli.ts";
import { addExamples } from "../help.ts";
import { openBrowser } from "../open-browser.ts";
import { type ServeOptions, serveUntilInterrupted, startOnAnyPort } from "../serve-session.ts";
import { addServeOptions } from "./serve.ts";

export function addOpenCommand(program: Command, cli: Cli): void {
  const command = program
    .command("open")
    .description(
      "Opens the web app, or a crawl in it. When no server runs for this data folder, it starts one, which runs until Ctrl-C.",
    )
    .argument("[id]", "a crawl, or `last`");
  addServeOptions(command);
  addExamples(command, [
    ["trawl open", "the start page"],
    ["trawl open last", "the newest crawl"],
  ]);
  command.action((id: string | undefined, options: ServeOptions) => openWebApp(cli, id, options));
}

async function openWebApp(cli: Cli, typed: string | undefined, options: ServeOptions): Promise<void> {
  const path = typed === undefined ? "/" : `/crawls/${await knownCrawl(cli, typed)}/overview`;
  const [{ openHome }, { findServer }] = await Promise.all([
    import("../../../app/home.ts"),
    import("../../http/server-note.ts"),
  ]);
  const running = await findServer(openHome(cli.env).root);
  if (running !== null) return show(cli, await running.signInUrl(path), options);
  const serving = await startOnAnyPort(cli, options);
  await serveUntilInterrupted(cli, serving, options, () => show(cli, serving.server.signInUrl(path), options));
}

const knownCrawl = (cli: Cli, typed: string): Promise<number> =>
  withApp(cli, (app) => app.crawls.get(crawlId(app, typed)).id);

async function show({ terminal, env }: Cli, url: string, { json }: ServeOptions): Promise<void> {
  const opened = await openBrowser(url, { env });
  if (json) terminal.json({ event: "open", url, opened });
  else terminal.lines([opened ? `Opened ${url}` : `Open this in a browser: ${url}`]);
}
