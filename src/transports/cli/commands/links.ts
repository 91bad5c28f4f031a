/** `trawl links [id] <url>`: what links to a URL, and what it links to. */
import type { Command } from "commander";
import type { App } from "../../../app/app.ts";
import { type LinksPage, listLinks } from "../../../app/operations/links.ts";
import { ask } from "../../../app/operations/operation.ts";
import { TrawlError } from "../../../errors.ts";
import { clean, codeWords, count } from "../../texts.ts";
import { addJson, type Cli, type JsonOption, withApp } from "../cli.ts";
import { addExamples } from "../help.ts";
import { addUrlArguments, crawlAndUrl } from "../named.ts";
import { table } from "../output/table.ts";
import { type Style, statusStyle } from "../output/terminal.ts";
import { readLimit } from "../selection.ts";

interface LinksOptions extends JsonOption {
  in?: true;
  out?: true;
  limit: number;
  cursor?: string;
}

type Direction = "in" | "out";

export function addLinksCommand(program: Command, cli: Cli): void {
  const command = program
    .command("links")
    .description(
      "Shows what links to a URL and what it links to: the link text, its place on the page, and the status of the target.",
    )
    .option("--in", "Only the links to the URL.")
    .option("--out", "Only the links on the page.")
    .option("--limit <n>", "Maximum number of links in each direction.", readLimit, 50)
    .option("--cursor <text>", "Continue where the previous page ended; needs --in or --out.");
  addUrlArguments(command);
  addJson(command);
  addExamples(command, [
    ["trawl links 12 /old-page --in", "which pages still link to it"],
    ["trawl links 12 https://example.com/ --out --limit 200", "two hundred links on the home page"],
  ]);
  command.action((id: string | undefined, url: string | undefined, options: LinksOptions) =>
    withApp(cli, (app) => showLinks(cli, app, crawlAndUrl(app, id, url), options)),
  );
}

async function showLinks(
  { terminal }: Cli,
  app: App,
  asked: { id: number; url: string },
  options: LinksOptions,
): Promise<void> {
  const both = options.in === options.out;
  if (both && options.cursor !== undefined) throw new TrawlError("BAD_USAGE", "--cursor needs --in or --out.");
  const directions: Direction[] = both ? ["in", "out"] : [options.in ? "in" : "out"];
  const cursor = options.cursor ?? null;
  const pages = await Promise.all(
    directions.map((direction) => ask(app, listLinks, { ...asked, direction, limit: options.limit, cursor })),
  );
  const canonical = pages[0]!.url;
  if (options.json) {
    const byDirection = pages.map(({ url: _, ...page }, index) => [directions[index], page]);
    terminal.json({ url: canonical, ...Object.fromEntries(byDirection) });
    return;
  }
  const { style, width } = terminal;
  terminal.lines([
    style.bold(clean(canonical)),
    ...pages.flatMap((page, index) => section(page, directions[index]!, style, width)),
  ]);
}

function section(page: LinksPage, direction: Direction, style: Style, width: number): string[] {
  const title = direction === "in" ? "Links to it" : "Links on it";
  const rest = page.next === null ? [] : [style.dim(`  for more: --${direction} --cursor ${page.next}`)];
  return ["", `${style.bold(title)} (${count(page.total)})`, ...linkTable(page.rows, style, width), ...rest];
}

function linkTable(rows: LinksPage["rows"], style: Style, width: number): string[] {
  return table({
    columns: [
      { title: "" },
      { title: "", optional: true },
      { title: "", optional: true },
      { title: "", least: 10 },
      { title: "", least: 24 },
    ],
    rows: rows.map((row) => [
      {
        text: row.status === null ? codeWords(row.reason ?? "") : String(row.status),
        style: statusStyle(style, row.status),
      },
      row.type + (row.nofollow ? ", nofollow" : ""),
      row.position,
      clean(row.text) || "-",
      clean(row.url),
    ]),
    width,
    indent: 2,
  });
}
