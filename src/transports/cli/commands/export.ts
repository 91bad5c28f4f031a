/** `trawl export <id>`: all of a crawl as CSV or JSON lines, a row at a time. */
import { createWriteStream } from "node:fs";
import { extname } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Command, Option } from "commander";
import { stringify } from "csv-stringify";
import { TrawlError } from "../../../errors.ts";
import { eachLink, LINK_FIELD_NAMES } from "../../../site/store/each-link.ts";
import { FIELD_NAMES } from "../../../site/store/fields.ts";
import type { Row } from "../../../site/store/reader.ts";
import { addJson, type Cli, type JsonOption, type OpenCrawl, withCrawl } from "../cli.ts";
import { addExamples } from "../help.ts";
import { jsonLine } from "../output/json.ts";
import { counted } from "../output/numbers.ts";
import { addSelection, type Selection, selectedFields } from "../selection.ts";

interface ExportOptions extends JsonOption, Selection {
  format?: "csv" | "jsonl";
  what: "urls" | "links";
  output: string;
  raw?: true;
}

export function addExportCommand(program: Command, cli: Cli): void {
  const command = program
    .command("export")
    .summary("write a crawl as CSV or JSON lines")
    .description(
      "Writes all URLs or all links of a crawl. Filters of links ask about the link's target. In CSV, cells that a " +
        "spreadsheet would run as a formula get a ' in front.",
    )
    .argument("<id>", "the crawl, or `last`")
    .addOption(new Option("--what <rows>", "Rows to write: urls or links.").choices(["urls", "links"]).default("urls"))
    .addOption(
      new Option("--format <format>", "csv or jsonl; by the name of the output when not given.").choices([
        "csv",
        "jsonl",
      ]),
    )
    .option("-o, --output <file>", "Where to; - for standard output.", "-")
    .option("--raw", "Leave cells as they are, formulas and all.");
  addSelection(command);
  addJson(command, "JSON lines on standard output; with --output <file>, a line that says what was written.");
  addExamples(command, [
    ["trawl export 12 --output urls.csv", "every URL with every field"],
    ['trawl export 12 --what links --filter "status>=400" -o broken.csv', "every link to something broken"],
    ["trawl export 12 --format jsonl --fields url,title | jq .title", "titles, for a script"],
  ]);
  command.action((id: string, options: ExportOptions) =>
    withCrawl(cli, id, (crawl) => exportCrawl(cli, crawl, options)),
  );
}

async function exportCrawl(cli: Cli, crawl: OpenCrawl, options: ExportOptions): Promise<void> {
  const { terminal } = cli;
  const fields = checkedFields(options);
  const format = formatOf(options);
  const toFile = options.output !== "-";
  let rows = 0;
  const source = function* (): Generator<Row> {
    for (const row of rowsOf(crawl, options, fields)) {
      rows++;
      yield row;
    }
  };
  try {
    await writeRows(source(), format, fields, options, toFile ? createWriteStream(options.output) : terminal.stdout);
  } catch (error) {
    const { code, message, path } = error as NodeJS.ErrnoException;
    if (code === "EPIPE") return;
    if (toFile && path !== undefined) {
      throw new TrawlError("FILE_NOT_WRITABLE", `${options.output} cannot be written: ${message}`);
    }
    throw error;
  }
  if (toFile && options.json) terminal.json({ output: options.output, format, rows });
  else if (toFile) terminal.lines([`Wrote ${counted(rows, "row")} to ${options.output}.`]);
}

/** Checked before the output is opened: a slip must not empty a file that is there. */
function checkedFields({ fields, what }: ExportOptions): string[] {
  const known = what === "links" ? LINK_FIELD_NAMES : FIELD_NAMES;
  const wanted = selectedFields(fields) ?? [...known];
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown === undefined) return wanted;
  throw new TrawlError("BAD_USAGE", `There is no field "${unknown}" of ${what}. Fields: ${known.join(", ")}.`);
}

function formatOf({ format, output, json }: ExportOptions): "csv" | "jsonl" {
  if (format !== undefined) return format;
  if (output === "-") return json ? "jsonl" : "csv";
  return [".jsonl", ".ndjson", ".json"].includes(extname(output).toLowerCase()) ? "jsonl" : "csv";
}

function rowsOf({ reader }: OpenCrawl, { what, filter, search }: ExportOptions, fields: string[]): Generator<Row> {
  const query = { fields, filters: filter, search: search ?? null };
  return what === "links" ? eachLink(reader, query) : reader.each(query);
}

async function writeRows(
  rows: Generator<Row>,
  format: "csv" | "jsonl",
  fields: string[],
  { raw }: ExportOptions,
  output: Writable,
): Promise<void> {
  const end = { end: output !== process.stdout };
  if (format === "jsonl") return pipeline(Readable.from(jsonLines(rows)), output, end);
  const csv = stringify({ header: true, columns: fields, escape_formulas: raw !== true });
  return pipeline(Readable.from(rows), csv, output, end);
}

function* jsonLines(rows: Generator<Row>): Generator<string> {
  for (const row of rows) yield jsonLine(row);
}
