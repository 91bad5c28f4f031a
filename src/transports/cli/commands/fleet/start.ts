/** `trawl fleet start`: writes a crawl to the database, for workers to join. */
import { type Command, Option } from "commander";
import { clean, counted } from "../../../texts.ts";
import type { Cli } from "../../cli.ts";
import { addSettings, type CrawlOptionValues, givenSettings } from "../../crawl-options.ts";
import { addExamples } from "../../help.ts";
import { noteRejected, openList } from "../../list-input.ts";
import { addFleetOptions, type FleetOption, postgresOf } from "./postgres-option.ts";

interface StartValues extends CrawlOptionValues, FleetOption {
  list?: string;
  records: "postgres" | "clickhouse";
  clickhouse: string;
}

export function addStartCommand(group: Command, cli: Cli): void {
  const command = group
    .command("start")
    .summary("start a crawl; it begins when the first worker joins")
    .description(
      "Starts a crawl for a fleet. It begins when the first worker joins. It takes the settings of `trawl crawl`.",
    )
    .argument("<name>", "its name: lower-case letters, digits, - and _")
    .argument("[urls...]", "where to start");
  addFleetOptions(command);
  command.option(
    "--list <file>",
    "Fetch the URLs in a file, one per line, and follow no links; - reads them from standard input.",
  );
  command.addOption(
    new Option(
      "--records <where>",
      "Where page records are stored. For more than about 50 million pages, use clickhouse, which stores a row of facts per page.",
    )
      .choices(["postgres", "clickhouse"])
      .default("postgres"),
  );
  command.option(
    "--clickhouse <url>",
    "For --records clickhouse: http://user@host:8123/database. Its password comes from CLICKHOUSE_PASSWORD.",
    "http://127.0.0.1:8123",
  );
  command.option("--config <file>", "Settings file (`trawl config init` writes one). Flags override it.");
  addSettings(command, "fleet start");
  addExamples(command, [
    [
      "trawl fleet start web1 https://a.example https://b.example --rate 2",
      "two sites, two requests per second to each host",
    ],
    ["trawl fleet start links --list urls.txt", "a list of millions of URLs"],
  ]);
  command.action(async (name: string, urls: string[], values: StartValues) => {
    const settings = await givenSettings(values);
    const { startFleet } = await import("../../../../app/fleet/start.ts");
    const postgres = postgresOf(values, cli);
    const records = values.records === "clickhouse" ? values.clickhouse : null;
    const list = values.list === undefined ? null : await openList(cli, values.list);
    const { starts, list: read } = await startFleet({ name, postgres, urls, list, records, settings });
    if (read !== null) noteRejected(cli, read);
    if (values.json) cli.terminal.json({ name, state: "running", starts });
    else {
      cli.terminal.lines([`Started ${clean(name)} with ${counted(starts, "URL")}.`]);
      cli.terminal.note(`Join it on each machine with \`trawl fleet work ${clean(name)}\`.`);
    }
  });
}
