/** `trawl urls <id>`: the URLs of a crawl, filtered, sorted, and a page at a time. */
import type { Command } from "commander";

import type { App } from "../../../app/app.ts";
import { urlFields } from "../../../app/data/crawl-answers.ts";
import { ask, MAX_LIMIT } from "../../../app/operations/operation.ts";
import { listUrls } from "../../../app/operations/urls.ts";
import { clean, codeWords, count } from "../../texts.ts";
import { addJson, type Cli, type JsonOption, withApp } from "../cli.ts";
import { addExamples } from "../help.ts";
import { CRAWL_ARGUMENT, crawlId } from "../named.ts";
import { type Cell, table } from "../output/table.ts";
import { type Style, statusStyle } from "../output/terminal.ts";
import { addSelection, readLimit, type Selection, selectedFields, selectedFilters } from "../selection.ts";

interface UrlsOptions extends JsonOption, Selection {
  sort?: string;
  limit: number;
  cursor?: string;
}

type UrlPage = Awaited<ReturnType<typeof listUrls.run>>;
type Value = string | number | boolean | null;

const DEFAULT_FIELDS = ["status", "reason", "depth", "url"];

export function addUrlsCommand(program: Command, cli: Cli): void {
  const command = program
    .command("urls")
    .description("Lists the URLs that a crawl found, including those it did not crawl, in the order it found them.")
    .argument("[id]", CRAWL_ARGUMENT);
  addSelection(command)
    .option("--sort <field>", "Sort by a field; -field for descending.")
    .option("--limit <n>", "Maximum number of rows.", readLimit, 50)
    .option("--cursor <text>", "Continue where the previous page ended; it is `next` in --json and REST.");
  addJson(command, "Print { total, rows, next } as JSON.");
  addExamples(command, [
    ["trawl urls 12 --broken --fields status,error,url,foundOn", "what is broken, and where it was found"],
    ['trawl urls 12 --filter isPage=true --filter "title=" --fields url', "pages without a title"],
    ["trawl urls 12 --filter reason=robots_disallow", "what robots.txt disallows"],
    ["trawl urls 12 --sort -timeServer --limit 10 --fields timeServer,url", "the ten slowest"],
  ]);
  command.addHelpText("after", () => `\n${fieldHelp(cli.terminal.proseWidth)}`);
  command.action((id: string | undefined, options: UrlsOptions) =>
    withApp(cli, (app) => showUrls(cli, app, id, options)),
  );
}

function fieldHelp(width: number): string {
  const columns = [{ title: "" }, { title: "", wrapped: true, least: 20 }];
  const rows = urlFields().map(({ name, description }) => [name, description]);
  return ["Fields:", ...table({ columns, rows, width, indent: 2 })].join("\n");
}

async function showUrls({ terminal }: Cli, app: App, typed: string | undefined, options: UrlsOptions): Promise<void> {
  const names = selectedFields(options.fields) ?? DEFAULT_FIELDS;
  const page = await readUrls(app, crawlId(app, typed), names, options);
  if (options.json) {
    terminal.json(page);
    return;
  }
  const shown = options.fields === undefined ? names.filter((name) => hasValue(page.rows, name)) : names;
  const numbers = new Set(urlFields().flatMap(({ name, type }) => (type === "number" ? [name] : [])));
  const { style, width } = terminal;
  if (page.rows.length > 0) {
    terminal.lines(
      table({
        columns: shown.map((name) => ({
          title: name,
          ...(numbers.has(name) ? { align: "right" as const } : { least: name === "url" ? 24 : 12 }),
        })),
        rows: page.rows.map((row) =>
          // By default, the table shows codes as words; with --fields, the values are those that filters take.
          shown.map((name) => cellOf(style, name, row[name] ?? null, options.fields === undefined)),
        ),
        width,
        heading: style.dim,
      }),
    );
  }
  // To stderr, so that a program that reads the table gets only rows.
  const more = page.next === null ? "" : `; for the next, add --cursor ${page.next}`;
  terminal.note(terminal.errorStyle.dim(`${count(page.rows.length)} of ${count(page.total)}${more}`));
}

/** Joins as many pages of the operation as the limit requires. */
async function readUrls(app: App, id: number, fields: string[], options: UrlsOptions): Promise<UrlPage> {
  const { search = null, sort = null, limit } = options;
  const filter = selectedFilters(options);
  const read = (cursor: string | null, left: number) =>
    ask(app, listUrls, { id, fields, filter, search, sort, limit: Math.min(left, MAX_LIMIT), cursor });
  const page = await read(options.cursor ?? null, limit);
  while (page.next !== null && page.rows.length < limit) {
    const { rows, next } = await read(page.next, limit - page.rows.length);
    page.rows.push(...rows);
    page.next = next;
  }
  return page;
}

const hasValue = (rows: UrlPage["rows"], field: string): boolean =>
  field === "url" || rows.some((row) => row[field] !== null);

function cellOf(style: Style, field: string, value: Value, inWords: boolean): Cell {
  if (typeof value === "boolean") return { text: value ? "Yes" : "No" };
  const text = value === null ? "" : clean(String(value));
  if (field === "status") return { text, style: statusStyle(style, value as number | null) };
  return { text: inWords && field === "reason" ? codeWords(text) : text };
}
