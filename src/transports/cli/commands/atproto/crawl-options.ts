/** The flags of `crawl`, one for every setting of its schema, and read back into settings. */
import { type Command, Option } from "commander";
import { type AtprotoConfig, atprotoConfigSchema } from "../../../../app/atproto/settings.ts";
import { kebab } from "../../../../settings/flags.ts";
import { readNumber } from "../../selection.ts";
import { addConnections, type ConnectionOptions, clickHouseAddress, readNames } from "./atproto-options.ts";

export type Setting = Exclude<keyof AtprotoConfig, "json" | "redisAddress" | `clickhouse${string}`>;

const GROUPS = {
  what: "What to crawl:",
  output: "What to write:",
  speed: "How fast:",
  trouble: "When hosts fail:",
  reach: "How hosts are reached:",
} as const;

/**
 * Every setting, in the order of the help, with what its value is called there: nothing for a switch, `n` or `s` for a
 * number, a name with … for what may be repeated.
 */
const FLAGS: Record<Setting, [group: keyof typeof GROUPS, value: string]> = {
  source: ["what", "source…"],
  skipPds: ["what", "pattern…"],
  maxRepos: ["what", "n"],
  signalCollection: ["what", "name…"],
  collections: ["output", "list…"],
  maxAccounts: ["what", "n"],
  since: ["what", "folder"],
  changesFrom: ["what", "size"],
  identities: ["what", "file|url"],
  trustSources: ["what", ""],
  resume: ["what", ""],
  outputDir: ["output", "folder"],
  segmentSize: ["output", "size"],
  zstdLevel: ["output", "n"],
  maxRepoSize: ["output", "size"],
  verify: ["output", "what"],
  proofs: ["output", "[what]"],
  workers: ["speed", "n"],
  defaultPdsRps: ["speed", "n"],
  pageSize: ["speed", "n"],
  metricsPort: ["speed", "n"],
  connectTimeout: ["trouble", "s"],
  firstByteTimeout: ["trouble", "s"],
  idleTimeout: ["trouble", "s"],
  minRate: ["trouble", "n"],
  blockAfter: ["trouble", "n"],
  probeAfter: ["trouble", "s"],
  probes: ["trouble", "n"],
  plcUrl: ["reach", "url"],
  plcRps: ["speed", "n"],
  identityMaxAge: ["reach", "n"],
  userAgent: ["reach", "text"],
  allowPrivate: ["reach", ""],
  connectTo: ["reach", "h:p:a:p…"],
  ca: ["reach", "file"],
};

/** Sources and addresses may contain commas; hosts to skip do not. */
const SPLIT: ReadonlySet<string> = new Set<Setting>(["skipPds", "signalCollection", "collections"]);
/** Passed to the schema as typed. */
const NUMBERS = new Set(["n", "s"]);

export interface CrawlFlags extends ConnectionOptions, Record<string, unknown> {
  recordJson?: string;
  /** Without a value: print JSON. With one: the same as --record-json. */
  json?: string | true;
}

export function addCrawlOptions(command: Command): Command {
  const defaults: Record<string, unknown> = atprotoConfigSchema.parse({ source: ["relay:"] });
  for (const [name, [group, value]] of Object.entries(FLAGS)) {
    command.addOption(optionOf(name as Setting, value, defaults[name]).helpGroup(GROUPS[group]));
  }
  command.addOption(new Option("--no-proofs", "The same as --proofs none.").helpGroup(GROUPS.output));
  command.addOption(new Option("--record-json <form>", `${describe("json")} (default: seed)`).helpGroup(GROUPS.output));
  command.addOption(
    new Option(
      "--json [form]",
      "Print JSON lines: progress every second, totals last. (--json lossless: as --record-json.)",
    ),
  );
  return addConnections(command, "redis", "clickhouse");
}

/** The crawl's flags that another command shares, in the same words. */
export function addSettings(command: Command, names: readonly Setting[]): Command {
  const defaults: Record<string, unknown> = atprotoConfigSchema.parse({ source: ["relay:"] });
  for (const name of names) {
    const [group, value] = FLAGS[name];
    command.addOption(optionOf(name, value, defaults[name]).helpGroup(GROUPS[group]));
  }
  return command;
}

/** The settings among the flags; the schema validates them. */
export function crawlSettings(flags: CrawlFlags): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const name of Object.keys(FLAGS)) {
    if (flags[name] !== undefined) settings[name] = flags[name];
  }
  const form = flags.recordJson ?? (typeof flags.json === "string" ? flags.json : undefined);
  if (form !== undefined) settings["json"] = form;
  if (flags.redisAddress !== undefined) settings["redisAddress"] = flags.redisAddress;
  const { url, database, username, password } = clickHouseAddress(flags);
  return {
    ...settings,
    source: flags["source"] ?? usualSource(flags),
    clickhouseUrl: url,
    clickhouseDatabase: database,
    clickhouseUsername: username,
    clickhousePassword: password,
  };
}

/** As the Go crawler did: DIDs come from ClickHouse when it is given and no other source is. */
export const usualSource = ({ clickhouseAddress, clickhouseDatabase, clickhouseUsername }: CrawlFlags): string[] =>
  [clickhouseAddress, clickhouseDatabase, clickhouseUsername].some((flag) => flag !== undefined) ? ["clickhouse"] : [];

/** Two settings have a flag with another name. */
const OTHERWISE: Readonly<Record<string, string>> = { json: "record-json", clickhouseUrl: "clickhouse-address" };

export const flagOfSetting = (name: string): string => `--${OTHERWISE[name] ?? kebab(name)}`;

function optionOf(name: Setting, value: string, usual: unknown): Option {
  const flag = flagOfSetting(name);
  const shown = showDefault(name, usual);
  const text = `${describe(name)}${shown === "" ? "" : ` (default: ${shown})`}`;
  if (value === "") return new Option(flag, text);
  if (value.startsWith("[")) return new Option(`${flag} ${value}`, text);
  const repeated = value.endsWith("…");
  const option = new Option(`${flag} <${value.replace("…", "")}>`, repeated ? `${text} May be repeated.` : text);
  if (NUMBERS.has(value)) return option.argParser(readNumber);
  if (!repeated) return option;
  return option.argParser(SPLIT.has(name) ? readNames : (one: string, before: string[] = []) => [...before, one]);
}

const describe = (name: keyof AtprotoConfig): string => String(atprotoConfigSchema.shape[name].meta()?.["description"]);

const KIBI = 1024;

function showDefault(name: Setting, value: unknown): string {
  if (value === null || value === undefined || value === false || Array.isArray(value)) return "";
  if ((!name.endsWith("Size") && name !== "changesFrom") || name === "pageSize") return String(value);
  const power = Math.floor(Math.log(value as number) / Math.log(KIBI));
  return `${(value as number) / KIBI ** power}${["B", "KB", "MB", "GB"][power]}`;
}
