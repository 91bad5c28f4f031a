/** `trawl text [id] <url>`: a page's text as Markdown, or the HTML that the crawl stored. */
import type { Command } from "commander";
import type { App } from "../../../app/app.ts";
import { ask } from "../../../app/operations/operation.ts";
import { getPageSource, getPageText } from "../../../app/operations/urls.ts";
import { addJson, type Cli, type JsonOption, withApp } from "../cli.ts";
import { addExamples } from "../help.ts";
import { addUrlArguments, crawlAndUrl } from "../named.ts";

interface TextOptions extends JsonOption {
  html?: true;
  fetch: boolean;
}

export function addTextCommand(program: Command, cli: Cli): void {
  const command = program
    .command("text")
    .description(
      "Prints the text of a page as Markdown. It is read from the HTML that the crawl stored (--store-html); otherwise " +
        "the page is fetched now, under the crawl's settings and robots.txt.",
    )
    .option("--html", "Print the stored HTML instead.")
    .option("--no-fetch", "Fetch nothing: fail if the HTML was not stored.");
  addUrlArguments(command);
  addJson(command);
  addExamples(command, [
    ["trawl text /about", "the text of a page, as Markdown"],
    ["trawl text 12 https://example.com/ --html > page.html", "the HTML as it was when it was crawled"],
  ]);
  command.action((id: string | undefined, url: string | undefined, options: TextOptions) =>
    withApp(cli, (app) => printText(cli, app, crawlAndUrl(app, id, url), options)),
  );
}

async function printText(
  { terminal }: Cli,
  app: App,
  page: { id: number; url: string },
  { html, fetch, json }: TextOptions,
): Promise<void> {
  if (html === true) {
    const answer = await ask(app, getPageSource, page);
    if (json) terminal.json(answer);
    else terminal.stdout.write(answer.html);
    return;
  }
  const answer = await ask(app, getPageText, { ...page, fetch });
  if (json) {
    terminal.json(answer);
    return;
  }
  if (answer.source === "fetched now") terminal.note("note: the crawl did not store this page; it was fetched now");
  terminal.stdout.write(`${answer.markdown}\n`);
}
