/** The options of every command that crawls: the settings, where they come from, and the earlier crawl to compare with. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { App } from "../../app/app.ts";
import { getConfig } from "../../app/operations/config.ts";
import { startCrawl } from "../../app/operations/crawling.ts";
import { ask } from "../../app/operations/operation.ts";
import { clean } from "../texts.ts";
import { addJson, type Cli, type JsonOption } from "./cli.ts";
import { checkConfig, readConfigFile } from "./config-file.ts";
import { type GivenSettings, mergeSettings, readSettings, settingOptions } from "./options.ts";

export interface CrawlOptionValues extends JsonOption {
  config?: string;
  since?: number | "last";
  [setting: string]: unknown;
}

export function addCrawlOptions(command: Command): Command {
  addJson(command, "Print JSON lines: progress every second, the summary last.");
  command.option("--config <file>", "Settings file; `trawl config init` writes one. Flags win over it.");
  command.addOption(
    new Option(
      "--since <id|last>",
      "Ask only for what changed since an earlier crawl; what did not is taken from there.",
    ).argParser(readSince),
  );
  for (const option of settingOptions()) command.addOption(option);
  return command;
}

/** The settings that were given: flags over the file over `preset`. */
export async function givenSettings(
  values: CrawlOptionValues,
  preset: Record<string, unknown> = {},
): Promise<GivenSettings> {
  const file = values.config === undefined ? {} : await readConfigFile(values.config);
  // Checked by itself first, so that a mistake in the file is not taken for one in the flags.
  if (values.config !== undefined) checkConfig(file, values.config);
  const given = mergeSettings({ ...preset, ...file }, readSettings(values));
  checkConfig(given, null);
  return given;
}

/**
 * Starts a crawl of a site, with the settings saved for its domain under those given. The saved ones are named, since
 * nobody typed them; headers given by flags are added to saved ones, as they are to those of a file.
 */
export async function startSite(
  { terminal }: Cli,
  app: App,
  url: string,
  given: GivenSettings,
  { since, header }: CrawlOptionValues,
): Promise<{ crawlId: number }> {
  const saved = await ask(app, getConfig, { url });
  if (saved.changed.length > 0) {
    terminal.note(`note: using the settings saved for ${clean(saved.domain)}: ${saved.changed.join(", ")}`);
  }
  const headers =
    header === undefined ? {} : { headers: { ...(saved.settings["headers"] as object), ...given.headers } };
  return ask(app, startCrawl, { url, settings: { ...given, ...headers }, since: since ?? null });
}

function readSince(value: string): number | "last" {
  if (value === "last") return value;
  if (!/^[1-9]\d*$/.test(value)) throw new InvalidArgumentError('It must be a crawl id, or "last".');
  return Number(value);
}
