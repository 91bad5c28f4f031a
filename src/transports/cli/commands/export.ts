/** `trawl export <id>`: all of a crawl as CSV or JSON lines, a row at a time. */
import { createWriteStream } from "node:fs";
import { extname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Command, Option } from "commander";
import { TrawlError } from "../../../errors.ts";
import {
  EXPORT_FORMATS,
  EXPORT_ROWS,
  type ExportFormat,
  type ExportKind,
  exportChunks,
  exportFields,
  exportRows,
} from "../../../site/export/export-rows.ts";
import type { Row } from "../../../site/store/reader.ts";
import { addJson, type Cli, type JsonOption, type OpenCrawl, withCrawl } from "../cli.ts";
import { addExamples } from "../help.ts";
import { counted } from "../output/numbers.ts";
import { addSelection, type Selection, selectedFields } from "../selection.ts";

interface ExportOptions extends JsonOption, Selection {
  format?: ExportFormat;
  what: ExportKind;
  sort?: string;
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
    .addOption(new Option("--what <rows>", "Rows to write: urls or links.").choices(EXPORT_ROWS).default("urls"))
    .addOption(
      new Option("--format <format>", "csv or jsonl; by the name of the output when not given.").choices(
        EXPORT_FORMATS,
      ),
    )
    .option("-o, --output <file>", "Where to; - for standard output.", "-")
    .option("--raw", "Leave cells as they are, formulas and all.");
  addSelection(command).option("--sort <field>", "Sort URLs by a field; -field for descending.");
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
  const { what, filter: filters, search = null, sort = null } = options;
  const fields = exportFields(what, selectedFields(options.fields));
  const format = formatOf(options);
  const toFile = options.output !== "-";
  let rows = 0;
  const source = function* (): Generator<Row> {
    for (const row of exportRows(crawl.reader, { what, fields, filters, search, sort })) {
      rows++;
      yield row;
    }
  };
  try {
    const chunks = exportChunks(source(), { format, fields, raw: options.raw === true });
    const output = toFile ? createWriteStream(options.output) : terminal.stdout;
    await pipeline(Readable.from(chunks), output, { end: output !== process.stdout });
  } catch (error) {
    const { code, message, syscall } = error as NodeJS.ErrnoException;
    if (code === "EPIPE") return;
    if (toFile && syscall !== undefined) {
      throw new TrawlError("FILE_NOT_WRITABLE", `${options.output} cannot be written: ${message}`);
    }
    throw error;
  }
  if (toFile && options.json) terminal.json({ output: options.output, format, rows });
  else if (toFile) terminal.lines([`Wrote ${counted(rows, "row")} to ${options.output}.`]);
}

function formatOf({ format, output, json }: ExportOptions): ExportFormat {
  if (format !== undefined) return format;
  if (output === "-") return json ? "jsonl" : "csv";
  return [".jsonl", ".ndjson", ".json"].includes(extname(output).toLowerCase()) ? "jsonl" : "csv";
}
