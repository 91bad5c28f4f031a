/**
 * The options of every command that crawls: a flag for every setting, made from the schema; where settings come from;
 * and the earlier crawl to compare with.
 */

import { type Command, InvalidArgumentError, Option } from "commander";
import type { App } from "../../app/app.ts";
import { type CrawlSetting, checkSettings, crawlSettings } from "../../app/config/setting-checks.ts";
import { getConfig } from "../../app/operations/config.ts";
import { type StartQuestion, startCrawl } from "../../app/operations/crawling.ts";
import { ask } from "../../app/operations/operation.ts";
import { TrawlError } from "../../errors.ts";
import { type FlagShape, kebab } from "../../settings/flags.ts";
import { badConfig } from "../../settings/problems.ts";
import { clean } from "../texts.ts";
import { addJson, type Cli, type JsonOption } from "./cli.ts";
import { checkConfig, readConfigFile } from "./config-file.ts";
import { addMoreOptions, COMMON_GROUP, ON_BY_DEFAULT } from "./help.ts";
import { addReportOptions } from "./report-files.ts";
import { readNumber } from "./selection.ts";

export interface CrawlOptionValues extends JsonOption {
  config?: string;
  since?: number | "last";
  trace?: string;
  quiet?: true;
  verbose?: true;
  failOn?: string[];
  sarif?: string;
  junit?: string;
  markdown?: string;
  [setting: string]: unknown;
}

export function addCrawlOptions(command: Command): Command {
  addJson(command, "Print JSON lines: progress every second, and the summary last.");
  command.option("--config <file>", "Settings file (`trawl config init` writes one). Flags override it.");
  command.addOption(
    new Option(
      "--since <id|last>",
      "Download only what changed since an earlier crawl; the rest is taken from there.",
    ).argParser(readSince),
  );
  addTrace(command);
  addLoudness(command);
  command.addOption(
    new Option(
      "--fail-on <what>",
      "Exit with code 4 when the audit finds this: error, warning (or worse), notice (or worse), or the id of a rule. Repeatable, or separated by commas.",
    ).argParser(readFailOn),
  );
  addReportOptions(command);
  return addSettings(command, command.name());
}

/** An option for every setting of a crawl; the short help says how to see the options it leaves out. */
export function addSettings(command: Command, path: string): Command {
  for (const option of settingOptions()) command.addOption(option);
  return addMoreOptions(command, path);
}

/** It names a file to write, so it is a command-line option rather than a setting, which REST could reach. */
export const addTrace = (command: Command): Command =>
  command.option(
    "--trace <file>",
    "Write every request to a file, without secrets: HAR if its name ends with .har, otherwise JSON lines.",
  );

/** How much a crawl says while it runs. */
export const addLoudness = (command: Command): Command =>
  command
    .option(
      "-q, --quiet",
      "Print only errors; with --json, only the last line. The exit code shows how the crawl ended.",
    )
    .option("-v, --verbose", "Print every request: status, time and URL.");

export const loudness = ({ json, quiet }: CrawlOptionValues): { json: boolean; quiet: boolean } => ({
  json: json === true,
  quiet: quiet === true,
});

/** The given settings: flags override the file, which overrides `preset`. */
export async function givenSettings(
  values: CrawlOptionValues,
  preset: Record<string, unknown> = {},
): Promise<GivenSettings> {
  const file = values.config === undefined ? {} : await readConfigFile(values.config);
  // Validated separately first, so that a mistake in the file is not reported as one in the flags.
  if (values.config !== undefined) checkConfig(file, values.config);
  const given = mergeSettings({ ...preset, ...file }, readSettings(values));
  checkFlags(given);
  return given;
}

/** As `checkConfig`, in the words that were typed. */
function checkFlags(given: unknown): void {
  const { settings, problems } = checkSettings(given);
  if (settings !== null) return;
  const named = problems.map(({ setting, ...problem }) => {
    const [name] = setting.split(".");
    return { ...problem, setting: name === "" ? "" : flagOf({ name: name! }) };
  });
  throw new TrawlError("BAD_CONFIG", badConfig(named).message, {
    hint: "`trawl crawl --help --all` describes every setting.",
  });
}

/**
 * Starts a crawl of a site. Given settings override those saved for its domain. The saved ones are listed, because
 * nobody typed them; headers given as flags are added to saved ones, and to those of a file.
 */
export async function startSite(
  { terminal }: Cli,
  app: App,
  url: string,
  given: GivenSettings,
  { since, header, quiet }: CrawlOptionValues,
): Promise<{ crawlId: number }> {
  const saved = await ask(app, getConfig, { url });
  if (saved.changed.length > 0 && quiet !== true) {
    terminal.note(`note: using the settings saved for ${clean(saved.domain)}: ${saved.changed.join(", ")}`);
  }
  const headers =
    header === undefined ? {} : { headers: { ...(saved.settings["headers"] as object), ...given.headers } };
  return ask(app, startCrawl, { url, settings: { ...given, ...headers }, since: since ?? null });
}

const readFailOn = (value: string, before: string[] = []): string[] => [
  ...before,
  ...value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
];

function readSince(value: string): number | "last" {
  if (value === "last") return value;
  if (!/^[1-9]\d*$/.test(value)) throw new InvalidArgumentError('It must be a crawl id, or "last".');
  return Number(value);
}

/** The flags of all settings, generated from their schema, and parsed back into settings. */
type SettingName = CrawlSetting["name"];

/** Settings as they were given, without defaults. */
type GivenSettings = NonNullable<StartQuestion["settings"]>;

/** The most common settings come first in the help, so that most users need not read all of it. */
const COMMON: readonly SettingName[] = [
  "maxUrls",
  "maxPages",
  "maxDepth",
  "include",
  "exclude",
  "parallelism",
  "rate",
  "robots",
  "userAgent",
  "render",
];

/** What a value is called in the help, if "text" or "list" would say too little. */
const PLACEHOLDERS: Partial<Record<SettingName, string>> = {
  sitemapUrls: "url",
  include: "pattern",
  exclude: "pattern",
  stripParams: "names",
  headers: "name: value",
  auth: "user:password",
  proxy: "url",
  connectTo: "h:p:a:p",
  ca: "file",
  cacheDir: "folder",
  browser: "file",
};

/** Their values may contain commas, so the flag is repeated for each value. */
const WHOLE: ReadonlySet<SettingName> = new Set<SettingName>(["sitemapUrls", "include", "exclude"]);

/** The flag of a setting, without its value: `--max-urls`. Headers are given one by one: `--header`. */
export const flagOf = (setting: { name: string }): string =>
  `--${kebab(setting.name === "headers" ? "header" : setting.name)}`;

/** Options for every setting: the common ones, then the rest by group. */
export function settingOptions(): Option[] {
  const settings = crawlSettings();
  const common = COMMON.map((name) => settings.find((setting) => setting.name === name)!);
  const groups = [...new Set(settings.map(({ group }) => group))];
  const rest = groups.flatMap((group) =>
    settings.filter((setting) => setting.group === group && !COMMON.includes(setting.name)),
  );
  return [
    ...common.flatMap((setting) => optionsOf(setting, COMMON_GROUP)),
    ...rest.flatMap((setting) => optionsOf(setting, `${setting.group[0]!.toUpperCase()}${setting.group.slice(1)}:`)),
  ];
}

/** What can follow the flags of settings that take one of a few words. */
export const settingChoices = (): Map<string, readonly string[]> =>
  new Map(
    crawlSettings().flatMap((setting) =>
      setting.shape.kind === "choice" ? [[flagOf(setting), setting.shape.choices]] : [],
    ),
  );

/** The settings among the values that commander parsed. Those that were not given are left out. */
export function readSettings(values: Record<string, unknown>): GivenSettings {
  const given: [string, unknown][] = [];
  for (const setting of crawlSettings()) {
    const value = values[setting.name === "headers" ? "header" : setting.name];
    if (value === undefined) continue;
    // An empty text removes what the config file sets.
    given.push([setting.name, value === "" && setting.shape.nullable ? null : value]);
  }
  return Object.fromEntries(given);
}

/** Flags override the file; headers are added to its headers. */
export function mergeSettings(file: Record<string, unknown>, flags: GivenSettings): Record<string, unknown> {
  const headers = flags.headers === undefined ? {} : { headers: { ...(file["headers"] as object), ...flags.headers } };
  return { ...file, ...flags, ...headers };
}

function optionsOf(setting: CrawlSetting, group: string): Option[] {
  const flag = flagOf(setting);
  const { shape } = setting;
  const describe = (shown: string) => new Option(shown, describeSetting(setting, shape)).helpGroup(group);
  if (shape.kind === "switch") {
    const on = describe(flag);
    const off = describe(`--no-${flag.slice(2)}`);
    // The help shows the form that changes something.
    return setting.defaultValue === true ? [off, on.hideHelp()] : [on, off.hideHelp()];
  }
  const option = describe(`${flag} <${PLACEHOLDERS[setting.name] ?? defaultPlaceholder(shape)}>`);
  if (shape.kind === "number") return [option.argParser(readNumber)];
  if (shape.kind === "choice") {
    // Commander would print the choices in quotes; they are part of the description already.
    return [option.argParser((value: string) => readChoice(value, shape.choices))];
  }
  if (shape.kind === "list") {
    const split = !WHOLE.has(setting.name);
    const read = (value: string, before?: string[]) => readList(value, before, split, setting);
    return [option.argParser(read)];
  }
  return [shape.kind === "pairs" ? option.argParser(readPair) : option];
}

function defaultPlaceholder({ kind, choices }: FlagShape): string {
  if (kind === "number") return "n";
  if (kind === "list") return "list";
  return choices.length > 0 ? "choice" : "text";
}

function describeSetting({ description, defaultValue }: CrawlSetting, { kind, choices }: FlagShape): string {
  const named = choices.length === 0 ? "" : ` One of: ${choices.join(", ")}.`;
  if (kind === "switch") return `${description}${defaultValue === true ? ` ${ON_BY_DEFAULT}` : ""}`;
  const shown = showDefault(defaultValue);
  return `${description}${kind === "list" ? named.replace("One", "Any") : named}${shown === "" ? "" : ` (default: ${shown})`}`;
}

function showDefault(value: unknown): string {
  if (value === null) return "";
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "object" ? "" : String(value);
}

function readChoice(value: string, choices: readonly string[]): string {
  if (!choices.includes(value)) throw new InvalidArgumentError(`It must be one of: ${choices.join(", ")}.`);
  return value;
}

function readList(value: string, before: string[] = [], split: boolean, setting: CrawlSetting): string[] {
  const { choices } = setting.shape;
  const isOlder = (part: string) => setting.older?.includes(part);
  const values = (split ? value.split(",") : [value]).map((part) => part.trim()).filter((part) => part !== "");
  return [
    ...before,
    ...(choices.length === 0 ? values : values.map((part) => (isOlder(part) ? part : readChoice(part, choices)))),
  ];
}

function readPair(value: string, before: Record<string, string> = {}): Record<string, string> {
  const colon = value.indexOf(":");
  if (colon < 1) throw new InvalidArgumentError('It must have the form "Name: value".');
  return { ...before, [value.slice(0, colon).trim()]: value.slice(colon + 1).trim() };
}
