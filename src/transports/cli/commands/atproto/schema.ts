/** `trawl atproto schema`: the tables of records and DIDs, printed or created. */
import type { Command } from "commander";
import { addJson, type Cli, type JsonOption } from "../../cli.ts";
import { addExamples } from "../../help.ts";
import { addTarget, openTarget, type TargetOptions, targetName } from "./target-option.ts";

interface SchemaOptions extends TargetOptions, JsonOption {
  apply?: true;
}

export function addSchemaCommand(parent: Command, { terminal }: Cli): void {
  const command = parent
    .command("schema")
    .summary("print or create the ClickHouse tables")
    .description(
      "Prints the SQL of the tables `repo_records`, which `replay` fills, and `plc_did_state`, which `crawl --source " +
        "clickhouse` reads. With --apply it creates those that are missing; servers before 20.1 get times without fractions of a second.",
    )
    .option("--apply", "Create the tables. Existing ones stay as they are.");
  addJson(addTarget(command));
  addExamples(command, [
    ["trawl atproto schema", "the SQL, for a new server"],
    ["trawl atproto schema --apply --clickhouse-address http://127.0.0.1:8123", "creates the tables"],
    ["trawl atproto schema --apply --chdb ./db", "without a server"],
  ]);
  command.action(async (options: SchemaOptions) => {
    const { applySchema, schemaOf, schemaStatements } = await import("../../../../app/atproto/database.ts");
    const named = options.apply || options.chdb !== undefined || options.clickhouseAddress !== undefined;
    if (!named) {
      const statements = schemaStatements("DateTime64(6)");
      if (options.json) terminal.json({ applied: false, statements });
      else terminal.lines(statements.map((statement) => `${statement};\n`));
      return;
    }
    await using target = await openTarget(options);
    const statements = await schemaOf(target);
    if (options.apply) await applySchema(target);
    if (options.json) terminal.json({ applied: options.apply === true, statements });
    else if (options.apply) terminal.lines([`The tables are in ${targetName(options)}.`]);
    else terminal.lines(statements.map((statement) => `${statement};\n`));
  });
}
