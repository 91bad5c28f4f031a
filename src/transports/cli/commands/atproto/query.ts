/** `trawl atproto query "SQL"`: SQL over the archive, through ClickHouse inside this process. */
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import type { QueryAnswer } from "../../../../app/atproto/database.ts";
import { clean, count, counted } from "../../../texts.ts";
import { addJson, type Cli } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { liveLine } from "../../output/progress.ts";
import { table } from "../../output/table.ts";
import type { Terminal } from "../../output/terminal.ts";
import {
  addConnections,
  addInputDir,
  addRecordOptions,
  DamageTeller,
  type InputOptions,
  type RecordOptions,
  readNames,
  recordOptions,
} from "./atproto-options.ts";

interface QueryOptions extends InputOptions, RecordOptions {
  collections?: string[];
  database?: string;
}

/** Rows laid out together: enough for even columns, few enough to hold in memory. */
const ROWS_OF_A_TABLE = 1_000;
const NUMBER_TYPE = /^(?:Nullable\()?(?:U?Int|Float|Decimal)/;

export function addQueryCommand(parent: Command, cli: Cli): void {
  const command = parent
    .command("query")
    .summary("query the archive with SQL")
    .description(
      "Answers SQL over the records, through ClickHouse inside this process (the optional package `chdb`). The records are in " +
        "`repo_records`: repo, collection, rkey, operation, record_json, created_at; one row per record, from the newest crawl and what `follow` " +
        "recorded since. Rows with the operation `delete` are records that are gone. The first " +
        "query loads the archive into a folder next to the segments; later ones load what is new. Nothing can be changed.",
    )
    .argument("<sql>", "one SELECT; - reads it from standard input")
    .option(
      "--collections <list>",
      "Load and query only these, such as app.bsky.feed.post or app.bsky.graph.*",
      readNames,
    )
    .option("--database <folder>", "Where the loaded records are stored (default: query.chdb in the archive).");
  addJson(addConnections(addRecordOptions(addInputDir(command))), "Print one line of JSON per row.");
  addExamples(command, [
    ['trawl atproto query "SELECT uniq(repo) FROM repo_records"', "how many accounts have records"],
    ['trawl atproto query "SELECT collection, count() FROM repo_records GROUP BY 1"', "records by collection"],
    ["trawl atproto query --collections app.bsky.feed.post - < question.sql", "from a file; only posts are loaded"],
  ]);
  command.action(async (sql: string, options: QueryOptions) =>
    query(cli, sql === "-" ? await text(cli.terminal.stdin) : sql, options),
  );
}

async function query(cli: Cli, sql: string, options: QueryOptions): Promise<void> {
  const { QueryDatabase } = await import("../../../../app/atproto/database.ts");
  const { collectionFilter } = await import("../../../../app/atproto/database.ts");
  const { terminal } = cli;
  const progress = liveLine(terminal, options.json === true);
  const damage = new DamageTeller(cli, options);
  const stopping = new AbortController();
  const stopListening = listenForInterrupts((presses) => (presses > 1 ? process.exit(3) : stopping.abort()));
  try {
    await using database = await QueryDatabase.open({
      folder: options.inputDir,
      ...(options.database !== undefined && { database: options.database }),
      collections: collectionFilter(options.collections ?? []),
      ...recordOptions(options),
      now: Date.now,
      onDamage: damage.tell,
      onProgress: ({ records, bytesRead, bytesTotal }) =>
        progress.show(() => `Loading ${Math.floor((bytesRead / bytesTotal) * 100)}% · ${counted(records, "record")}`),
      signal: stopping.signal,
    });
    progress.end();
    if (stopping.signal.aborted) {
      terminal.note("Stopped. What is loaded stays; the next query continues from there.");
      cli.exitCode = 3;
      return;
    }
    const answer = await database.query(sql, stopping.signal);
    if (options.json) await printJson(terminal, answer);
    else await printTable(terminal, answer);
    if (damage.count > 0) cli.exitCode = 1;
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    terminal.note("Stopped.");
    cli.exitCode = 3;
  } finally {
    stopListening();
  }
}

async function printJson(terminal: Terminal, { columns, rows }: QueryAnswer): Promise<void> {
  for await (const row of rows) terminal.json(Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])));
}

async function printTable(terminal: Terminal, { columns, rows }: QueryAnswer): Promise<void> {
  const isNumber = columns.map(({ type }) => NUMBER_TYPE.test(type));
  let held: string[][] = [];
  let printed = 0;
  const print = (): void => {
    const shown = columns.map(({ name }, index) =>
      isNumber[index] ? { title: clean(name), align: "right" as const } : { title: clean(name), least: 8 },
    );
    const heading = printed === 0 ? { heading: terminal.style.dim } : {};
    terminal.lines(table({ columns: shown, rows: held, width: terminal.width, ...heading }));
    printed += held.length;
    held = [];
  };
  for await (const row of rows) {
    held.push(row.map((value) => clean(typeof value === "string" ? value : JSON.stringify(value))));
    if (held.length === ROWS_OF_A_TABLE) print();
  }
  if (held.length > 0 || printed === 0) print();
  if (terminal.isInteractive) terminal.note(terminal.errorStyle.dim(`${count(printed)} rows`));
}
