/** The options that every command that crawls has: the settings, where they come from, and what to compare with. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { SiteConfig } from "../../site/site-config.ts";
import { addJson, type JsonOption } from "./cli.ts";
import { checkConfig, readConfigFile } from "./config-file.ts";
import { mergeSettings, readSettings, settingOptions } from "./options.ts";

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

/** Flags over the file over `preset` over the defaults. */
export async function readConfig(values: CrawlOptionValues, preset: Record<string, unknown> = {}): Promise<SiteConfig> {
  const file = values.config === undefined ? {} : await readConfigFile(values.config);
  // Checked by itself first, so that a mistake in the file is not taken for one in the flags.
  if (values.config !== undefined) checkConfig(file, values.config);
  return checkConfig(mergeSettings({ ...preset, ...file }, readSettings(values)), null);
}

function readSince(value: string): number | "last" {
  if (value === "last") return value;
  if (!/^[1-9]\d*$/.test(value)) throw new InvalidArgumentError('It must be a crawl id, or "last".');
  return Number(value);
}
