/** `trawl export <id>`: a whole crawl as CSV or JSON lines, streamed. */
import { createWriteStream } from "node:fs";
import { extname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Command, Option } from "commander";
import type { App } from "../../../app/app.ts";
import { EXPORT_FORMATS, EXPORT_ROWS, type ExportQuestion, exportQuestion } from "../../../app/operations/urls.ts";
import { TrawlError } from "../../../errors.ts";
import { counted } from "../../texts.ts";
import { addJson, type Cli, type JsonOption, withApp } from "../cli.ts";
import { addExamples } from "../help.ts";
import { CRAWL_ARGUMENT, crawlId } from "../named.ts";
import { addSelection, type Selection, selectedFields, selectedFilters } from "../selection.ts";

interface ExportOptions extends JsonOption, Selection {
  format?: ExportQuestion["format"];
  what: ExportQuestion["what"];
  rule?: string;
  sort?: string;
  output: string;
  raw?: true;
}

export function addExportCommand(program: Command, cli: Cli): void {
  const command = program
    .command("export")
    .description(
      "Writes all URLs, links or issues of a crawl. For links, filters apply to the link's target. In CSV, cells that a " +
        "spreadsheet would run as a formula are prefixed with '.",
    )
    .argument("[id]", CRAWL_ARGUMENT)
    .addOption(
      new Option("--what <rows>", "Rows to write: urls, links or issues.").choices(EXPORT_ROWS).default("urls"),
    )
    .addOption(
      new Option("--format <format>", "csv or jsonl (default: by the name of the output file).").choices(
        EXPORT_FORMATS,
      ),
    )
    .option("-o, --output <file>", "Output file; - for standard output.", "-")
    .option("--rule <rule>", "Of issues, only those of this audit rule.")
    .option("--raw", "Do not escape formulas.");
  addSelection(command).option("--sort <field>", "Sort URLs by a field; -field for descending.");
  addJson(command, "Print JSON lines; with --output <file>, print what was written as JSON.");
  addExamples(command, [
    ["trawl export 12 --output urls.csv", "every URL with every field"],
    ["trawl export 12 --what links --broken -o broken.csv", "every link to a broken target"],
    ["trawl export 12 --what issues --rule title.missing -o titles.csv", "every page without a title"],
    ["trawl export 12 --format jsonl --fields url,title | jq .title", "titles, for a script"],
  ]);
  command.action((id: string | undefined, options: ExportOptions) =>
    withApp(cli, (app) => exportCrawl(cli, app, crawlId(app, id), options)),
  );
}

async function exportCrawl({ terminal }: Cli, app: App, id: number, options: ExportOptions): Promise<void> {
  const { what, search = null, sort = null, rule = null, raw = false } = options;
  const format = formatOf(options);
  const toFile = options.output !== "-";
  const fields = selectedFields(options.fields) ?? [];
  const { chunks, rows } = await app.crawlData.export(
    exportQuestion.parse({ id, format, what, rule, fields, filter: selectedFilters(options), search, sort, raw }),
  );
  try {
    const output = toFile ? createWriteStream(options.output) : terminal.stdout;
    await pipeline(Readable.from(chunks), output, { end: toFile });
  } catch (error) {
    const { code, message, syscall } = error as NodeJS.ErrnoException;
    if (code === "EPIPE") return;
    if (toFile && syscall !== undefined) {
      throw new TrawlError("FILE_NOT_WRITABLE", `${options.output} cannot be written: ${message}`);
    }
    throw error;
  }
  if (toFile && options.json) terminal.json({ output: options.output, format, total: rows() });
  else if (toFile) terminal.lines([`Wrote ${counted(rows(), "row")} to ${options.output}.`]);
}

function formatOf({ format, output, json }: ExportOptions): ExportQuestion["format"] {
  if (format !== undefined) return format;
  if (output === "-") return json ? "jsonl" : "csv";
  return [".jsonl", ".ndjson", ".json"].includes(extname(output).toLowerCase()) ? "jsonl" : "csv";
}
