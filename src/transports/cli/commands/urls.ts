/** `trawl urls <id>`: the URLs of a crawl, filtered, sorted, and a page at a time. */
import type { Command } from "commander";
import { FIELDS, fieldNamed } from "../../../site/facts/fact-fields.ts";
import type { Row, UrlQuery } from "../../../site/store/reader.ts";
import { addJson, type Cli, type JsonOption, type OpenCrawl, withCrawl } from "../cli.ts";
import { addExamples } from "../help.ts";
import { clean } from "../output/clean.ts";
import { count } from "../output/numbers.ts";
import { type Style, statusStyle } from "../output/style.ts";
import { type Cell, table } from "../output/table.ts";
import { addSelection, readLimit, type Selection, selectedFields } from "../selection.ts";

interface UrlsOptions extends JsonOption, Selection {
  sort?: string;
  limit: number;
  cursor?: string;
}

const DEFAULT_FIELDS = ["status", "reason", "depth", "url"];

export function addUrlsCommand(program: Command, cli: Cli): void {
  const command = program
    .command("urls")
    .summary("list, filter and sort the URLs of a crawl")
    .description("Lists the URLs that a crawl met, also those it did not crawl, in the order it met them.")
    .argument("<id>", "the crawl, or `last`");
  addSelection(command)
    .option("--sort <field>", "Sort by a field; -field for descending.")
    .option("--limit <n>", "Rows at most.", readLimit, 50)
    .option("--cursor <text>", "Go on where the page before ended.");
  addJson(command, "Print { total, rows, next } as JSON.");
  addExamples(command, [
    ['trawl urls 12 --filter "status>=400"', "what is broken"],
    ['trawl urls 12 --filter status=200 --filter "title=" --fields url', "pages without a title"],
    ["trawl urls 12 --filter reason=robots_disallow", "what robots.txt kept out"],
    ["trawl urls 12 --sort -time_total --limit 10 --fields time_total,url", "the ten slowest"],
  ]);
  command.addHelpText("after", () => `\n${fieldHelp(cli.terminal.proseWidth)}`);
  command.action((id: string, options: UrlsOptions) => withCrawl(cli, id, (crawl) => listUrls(cli, crawl, options)));
}

function fieldHelp(width: number): string {
  const columns = [{ title: "" }, { title: "", wrapped: true, least: 20 }];
  const rows = FIELDS.map(({ name, description }) => [name, description]);
  return ["Fields:", ...table({ columns, rows, width, indent: 2 })].join("\n");
}

function listUrls({ terminal }: Cli, { reader }: OpenCrawl, options: UrlsOptions): void {
  const fields = selectedFields(options.fields) ?? DEFAULT_FIELDS;
  const query: UrlQuery = {
    fields,
    filters: options.filter,
    search: options.search ?? null,
    sort: options.sort ?? null,
    limit: options.limit,
    cursor: options.cursor ?? null,
  };
  const page = reader.urls(query);
  if (options.json) {
    terminal.json(page);
    return;
  }
  const shown = options.fields === undefined ? fields.filter((field) => hasValue(page.rows, field)) : fields;
  const { style, width } = terminal;
  if (page.rows.length > 0) {
    terminal.lines(
      table({
        columns: shown.map((name) => ({
          title: name,
          ...(fieldNamed(name)?.type === "number" ? { align: "right" as const } : { least: name === "url" ? 24 : 12 }),
        })),
        rows: page.rows.map((row) => shown.map((field) => cellOf(style, field, row[field] ?? null))),
        width,
        heading: style.dim,
      }),
    );
  }
  // Beside the table, so that a program that reads it gets rows and nothing else.
  const more = page.next === null ? "" : `; for the next, add --cursor ${page.next}`;
  terminal.note(terminal.errorStyle.dim(`${count(page.rows.length)} of ${count(page.total)}${more}`));
}

const hasValue = (rows: Row[], field: string): boolean => field === "url" || rows.some((row) => row[field] !== null);

function cellOf(style: Style, field: string, value: string | number | null): Cell {
  const text = value === null ? "" : clean(String(value));
  return field === "status" ? { text, style: statusStyle(style, value as number | null) } : { text };
}
