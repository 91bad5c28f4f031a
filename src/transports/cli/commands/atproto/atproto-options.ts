/** Options that atproto commands share: the archive and its segments, the state, and the databases they connect to. */

import { type Command, Option } from "commander";
import type { ClickHouseAddress, ReplayTarget } from "../../../../app/atproto/database.ts";
import type { Damage, SegmentName } from "../../../../app/atproto/segments.ts";
import type { StateConfig } from "../../../../app/atproto/state.ts";
import { TrawlError } from "../../../../errors.ts";
import { clean } from "../../../texts.ts";
import type { Cli, JsonOption } from "../../cli.ts";

/** Where `crawl` writes by default, and where the others look. */
export const USUAL_FOLDER = "rca";

export interface InputOptions extends JsonOption {
  inputDir: string;
}

export const addInputDir = (command: Command): Command =>
  command.addOption(
    // The second is for the help: without quotes, as in the help of `crawl`.
    new Option("-i, --input-dir <folder>", "The archive: a folder with .rca segments.").default(
      USUAL_FOLDER,
      USUAL_FOLDER,
    ),
  );

/** Values separated by commas; the option may be repeated. */
export const readNames = (value: string, before: string[] = []): string[] => [
  ...before,
  ...value
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== ""),
];

/** Damage is reported alongside the results, each place once. */
export class DamageTeller {
  /** Damage that neither a crash nor an active writer explains. */
  count = 0;
  torn = 0;
  readonly #reported = new Set<string>();
  readonly #cli: Cli;
  readonly #json: boolean;

  constructor(cli: Cli, { json }: JsonOption) {
    this.#cli = cli;
    this.#json = json === true;
  }

  readonly tell = (damage: Damage): void => {
    const { path, offset, torn } = damage;
    const place = `${path} ${offset} ${damage.did}`;
    if (this.#reported.has(place)) return;
    this.#reported.add(place);
    if (torn) this.torn++;
    else this.count++;
    const { terminal } = this.#cli;
    if (this.#json) terminal.note(JSON.stringify({ event: "damage", ...damage }));
    else terminal.note(damageLine(damage, terminal.errorStyle));
  };
}

export function damageLine(
  { path, offset, did, reason, torn }: Damage,
  { bad, dim }: { bad: (text: string) => string; dim: (text: string) => string },
): string {
  const whose = did === null ? "" : ` (${clean(did)})`;
  return `${torn ? dim("unfinished") : bad("damaged")}  ${path} at byte ${offset}${whose}: ${clean(reason)}`;
}

/** Damaged files that a repair put aside are left out. */
export async function namedSegments(named: string[], folder: string): Promise<Pick<SegmentName, "path" | "kind">[]> {
  if (named.length > 0) {
    return named.map((path) => ({ path, kind: /\.rcx(?:\.partial)?$/.test(path) ? "rcx" : "rca" }));
  }
  const { segmentNames } = await import("../../../../app/atproto/segments.ts");
  const found = (await segmentNames(folder)).filter(({ state }) => state !== "damaged");
  if (found.length === 0) throw new TrawlError("NO_SEGMENTS", `${folder} has no .rca segments.`);
  return found;
}

/** What readers of records have in common: accounts that are not active, and the JSON of events. */
export interface RecordOptions {
  inactive?: true;
  recordJson: "seed" | "lossless";
}

export const addRecordOptions = (command: Command): Command =>
  command
    .option("--inactive", "Include accounts that were taken down, suspended, deactivated or deleted.")
    .addOption(
      new Option("--record-json <form>", "JSON of records that `follow` recorded; use the same value as for the crawl.")
        .choices(["seed", "lossless"])
        .default("seed", "seed"),
    );

export const recordOptions = ({
  inactive,
  recordJson,
}: RecordOptions): { inactive: boolean; json: "seed" | "lossless" } => ({
  inactive: inactive === true,
  json: recordJson,
});

/** Where a crawl's state is: in Redis, or in the file next to its segments. */
export interface StateOptions extends RedisOption, JsonOption {
  outputDir: string;
}

export const addState = (command: Command, ...more: Server[]): Command =>
  addConnections(
    command.addOption(
      new Option("--output-dir <folder>", "The folder that the crawl writes to.").default(USUAL_FOLDER, USUAL_FOLDER),
    ),
    "redis",
    ...more,
  );

export const stateName = ({ redisAddress, outputDir }: StateOptions): string =>
  redisAddress === undefined ? outputDir : `Redis at ${redisAddress}`;

export const stateConfig = ({ outputDir, redisAddress }: StateOptions): StateConfig => ({
  outputDir,
  redisAddress: redisAddress ?? null,
});

/** `--redis-address` and `--clickhouse-*`: accepted by every command, whether it needs them or not. */
interface RedisOption {
  redisAddress?: string;
}

interface ClickHouseOptions {
  clickhouseAddress?: string;
  clickhouseDatabase?: string;
  clickhouseUsername?: string;
  clickhousePassword?: string;
}

export interface ConnectionOptions extends RedisOption, ClickHouseOptions {}

type Server = "redis" | "clickhouse";

/**
 * A script may pass all of them to every command; the help shows only those that a command
 * uses. The password may come from the environment, because every user on the machine can see a command line.
 */
export function addConnections(command: Command, ...used: Server[]): Command {
  const add = (server: Server, option: Option): void => {
    command.addOption(used.includes(server) ? option.helpGroup("Servers:") : option.hideHelp());
  };
  add(
    "redis",
    new Option(
      "--redis-address <host:port>",
      "Keep the state in this Redis; by default it is a file next to the segments.",
    ).env("REDIS_ADDRESS"),
  );
  const clickHouse: [flag: string, value: string, description: string][] = [
    ["address", "url", "ClickHouse over HTTP: http://127.0.0.1:8123, or host:port."],
    ["database", "name", "Its database. (default: default)"],
    ["username", "name", "Its user. (default: default)"],
    ["password", "text", "The user's password; safer in the environment."],
  ];
  for (const [name, value, description] of clickHouse) {
    const variable = `CLICKHOUSE_${name.toUpperCase()}`;
    add("clickhouse", new Option(`--clickhouse-${name} <${value}>`, description).env(variable));
  }
  return command;
}

/** `--clickhouse-*` and `--chdb`: the database that a command works in. */
export interface TargetOptions extends ClickHouseOptions {
  chdb?: string;
}

/** ClickHouse's default port for HTTP. */
const USUAL_ADDRESS = "http://127.0.0.1:8123";

export const addChdb = (command: Command): Command =>
  command.addOption(
    new Option(
      "--chdb <folder>",
      "Use ClickHouse inside this process instead of a server, with its tables in this folder.",
    )
      .helpGroup("Servers:")
      .conflicts("clickhouseAddress"),
  );

export const addTarget = (command: Command): Command => addConnections(addChdb(command), "clickhouse");

/** `host:port` means HTTP. */
export function clickHouseAddress(options: ClickHouseOptions): ClickHouseAddress {
  const address = options.clickhouseAddress ?? USUAL_ADDRESS;
  return {
    url: /^https?:\/\//i.test(address) ? address : `http://${address}`,
    database: options.clickhouseDatabase ?? "default",
    username: options.clickhouseUsername ?? "default",
    password: options.clickhousePassword ?? "",
  };
}

export const targetName = (options: TargetOptions): string =>
  options.chdb ?? `${clickHouseAddress(options).database} at ${clickHouseAddress(options).url}`;

export async function openTarget(options: TargetOptions): Promise<ReplayTarget> {
  if (options.chdb !== undefined) {
    const { ChdbTarget } = await import("../../../../app/atproto/database.ts");
    return ChdbTarget.open(options.chdb);
  }
  const { ClickHouseTarget } = await import("../../../../app/atproto/database.ts");
  return new ClickHouseTarget(clickHouseAddress(options));
}
