/** `trawl sql [id] [query]`: queries a crawl's database with SQL, read-only and with limits. */
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import type { App } from "../../../app/app.ts";
import { allOf, ask } from "../../../app/operations/operation.ts";
import { querySql, sqlTableTypes } from "../../../app/operations/sql.ts";
import { TrawlError } from "../../../errors.ts";
import { clean, counted, duration } from "../../texts.ts";
import { addJson, type Cli, type JsonOption, withApp } from "../cli.ts";
import { addExamples } from "../help.ts";
import { CRAWL_ARGUMENT, crawlId } from "../named.ts";
import { table } from "../output/table.ts";
import type { Terminal } from "../output/terminal.ts";
import { readLimit, readNumber } from "../selection.ts";

interface SqlOptions extends JsonOption {
  limit: number;
  timeout: number;
  tables?: true;
}

type SqlAnswer = Awaited<ReturnType<typeof querySql.run>>;

export function addSqlCommand(program: Command, cli: Cli): void {
  const command = program
    .command("sql")
    .description(
      "Queries a crawl's database with SQL: one SELECT, read-only, with a time limit. " +
        "The main tables are `urls` (every URL found, with its verdict) and `pages` (what was fetched), joined by id.",
    )
    .argument("[id]", CRAWL_ARGUMENT)
    .argument("[query]", "one SELECT; without it, or as -, it is read from standard input")
    .option("--tables", "List the tables and columns, and exit.")
    .option("--limit <n>", "Maximum number of rows.", readLimit, 200)
    .option("--timeout <seconds>", "Time limit.", readNumber, 5);
  addJson(command, "Print { columns, rows, truncated, durationMs } as JSON.");
  addExamples(command, [
    ['trawl sql "SELECT status, count(*) FROM pages GROUP BY 1"', "answers by status, in the newest crawl"],
    ['trawl sql 12 "SELECT url FROM urls JOIN pages USING (id) WHERE word_count < 9"', "pages with few words"],
    ["trawl sql last < report.sql", "a longer query, from a file"],
    ["trawl sql --tables", "all tables and columns"],
  ]);
  command.action((first: string | undefined, second: string | undefined, options: SqlOptions) => {
    if (options.tables) return printTables(cli.terminal, options.json === true);
    // A query alone is about the last crawl: no crawl has blanks in its name, or is called `SELECT(1)`.
    const isQuery = second === undefined && /\s|^\w+[(*]/.test(first ?? "");
    const [crawl, query] = isQuery ? [undefined, first] : [first, second];
    return withApp(cli, (app) => runQuery(cli, app, crawl, query, options));
  });
}

async function runQuery(
  { terminal }: Cli,
  app: App,
  typed: string | undefined,
  query: string | undefined,
  { limit, timeout, json }: SqlOptions,
): Promise<void> {
  const id = crawlId(app, typed);
  const sql = query === undefined || query === "-" ? await readQuery(terminal) : query;
  const answer = await ask(app, querySql, { id, sql, limit, timeoutMs: Math.round(timeout * 1_000) });
  if (json) terminal.json(answer);
  else print(terminal, answer, limit);
}

async function readQuery({ stdin }: Terminal): Promise<string> {
  const sql = stdin.isTTY ? "" : (await text(stdin)).trim();
  if (sql !== "") return sql;
  throw new TrawlError("BAD_USAGE", "The query is missing: give one SELECT after the crawl, or on standard input.", {
    hint: 'Example: `trawl sql last "SELECT count(*) FROM urls"`. `trawl sql --tables` lists the tables and columns.',
  });
}

function print(terminal: Terminal, { columns, rows, truncated, durationMs }: SqlAnswer, limit: number): void {
  const { style, width, errorStyle } = terminal;
  const isNumber = columns.map((_, index) => rows.length > 0 && rows.every((row) => typeof row[index] !== "string"));
  terminal.lines(
    table({
      columns: columns.map((title, index) => ({
        title: clean(title),
        ...(isNumber[index] ? { align: "right" as const } : { least: 12 }),
      })),
      rows: rows.map((row) => row.map((value) => (value === null ? "" : clean(String(value))))),
      width,
      heading: style.dim,
    }),
  );
  // To stderr, so that a program that reads the table gets only rows.
  const cut = !truncated
    ? ""
    : rows.length >= limit
      ? "; there are more: raise --limit"
      : "; there are more, but they are too large to show";
  terminal.note(errorStyle.dim(`${counted(rows.length, "row")} in ${duration(durationMs)}${cut}`));
}

function printTables(terminal: Terminal, json: boolean): void {
  const tables = sqlTableTypes();
  if (json) {
    terminal.json(allOf(tables));
    return;
  }
  const { style, proseWidth } = terminal;
  terminal.lines(
    tables.flatMap(({ table: name, description, columns }, index) => [
      ...(index === 0 ? [] : [""]),
      `${style.bold(name)}  ${description}`,
      ...table({
        columns: [{ title: "" }, { title: "" }, { title: "", wrapped: true, least: 20 }],
        rows: columns.map((column) => [
          column.name,
          { text: column.type.toLowerCase(), style: style.dim },
          column.description,
        ]),
        width: proseWidth,
        indent: 2,
      }),
    ]),
  );
}
