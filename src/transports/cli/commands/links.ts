/** `trawl links <id> <url>`: what links to a URL, and what it links to. */
import type { Command } from "commander";
import { TrawlError } from "../../../errors.ts";
import { findUrl, type LinkPage, type LinkRow, linksIn, linksOut } from "../../../site/store/link-queries.ts";
import { addJson, type Cli, crawlUrl, type JsonOption, type OpenCrawl, withCrawl } from "../cli.ts";
import { addExamples } from "../help.ts";
import { readNumber } from "../options.ts";
import { clean } from "../output/clean.ts";
import { count } from "../output/numbers.ts";
import { type Style, statusStyle } from "../output/style.ts";
import { table } from "../output/table.ts";
import { readLimit } from "../selection.ts";

interface LinksOptions extends JsonOption {
  in?: true;
  out?: true;
  limit: number;
  cursor?: number;
}

export function addLinksCommand(program: Command, cli: Cli): void {
  const command = program
    .command("links")
    .summary("show the links to and from a URL")
    .description(
      "Shows what links to a URL, and what it links to: text, place on the page, and what became of the target.",
    )
    .argument("<id>", "the crawl, or `last`")
    .argument("<url>", "the URL, or its path alone")
    .option("--in", "Only the links to it.")
    .option("--out", "Only the links on it.")
    .option("--limit <n>", "Links at most in each direction.", readLimit, 50)
    .option("--cursor <n>", "Go on where the page before ended; with --in or --out.", readNumber);
  addJson(command);
  addExamples(command, [
    ["trawl links 12 /old-page --in", "who still links to it"],
    ["trawl links 12 https://example.com/ --out --limit 200", "two hundred links of the home page"],
  ]);
  command.action((id: string, url: string, options: LinksOptions) =>
    withCrawl(cli, id, (crawl) => showLinks(cli, crawl, url, options)),
  );
}

function showLinks({ terminal }: Cli, crawl: OpenCrawl, typed: string, options: LinksOptions): void {
  const both = options.in === options.out;
  if (both && options.cursor !== undefined)
    throw new TrawlError("BAD_USAGE", "--cursor needs --in or --out beside it.");
  const { id, url } = findUrl(crawl.reader, crawlUrl(crawl, typed));
  const ask = (query: typeof linksIn) => query(crawl.reader, id, options.limit, options.cursor ?? 0);
  const pages = {
    ...(both || options.in ? { in: ask(linksIn) } : {}),
    ...(both || options.out ? { out: ask(linksOut) } : {}),
  };
  if (options.json) {
    terminal.json({ url, ...pages });
    return;
  }
  const { style, width } = terminal;
  terminal.lines([
    style.bold(clean(url)),
    ...(pages.in === undefined ? [] : section("Links to it", pages.in, "in", style, width)),
    ...(pages.out === undefined ? [] : section("Links on it", pages.out, "out", style, width)),
  ]);
}

function section(title: string, page: LinkPage, way: "in" | "out", style: Style, width: number): string[] {
  const rest = page.next === null ? [] : [style.dim(`  --${way} --cursor ${page.next} goes on`)];
  return ["", `${style.bold(title)} (${count(page.total)})`, ...linkTable(page.rows, style, width), ...rest];
}

function linkTable(rows: LinkRow[], style: Style, width: number): string[] {
  return table({
    columns: [
      { title: "" },
      { title: "", optional: true },
      { title: "", optional: true },
      { title: "", least: 10 },
      { title: "", least: 24 },
    ],
    rows: rows.map((row) => [
      { text: row.status === null ? (row.reason ?? "") : String(row.status), style: statusStyle(style, row.status) },
      row.type + (row.nofollow ? ", nofollow" : ""),
      row.position,
      clean(row.text) || "-",
      clean(row.url),
    ]),
    width,
    indent: 2,
  });
}
