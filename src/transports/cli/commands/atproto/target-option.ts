/** `--clickhouse-*` and `--chdb`: the database that a command works in. */
import { type Command, Option } from "commander";
import type { ClickHouseAddress, ReplayTarget } from "../../../../app/atproto/database.ts";
import { addConnections, type ClickHouseOptions } from "./connection-options.ts";

export interface TargetOptions extends ClickHouseOptions {
  chdb?: string;
}

/** Where ClickHouse listens for HTTP by default. */
const USUAL_ADDRESS = "http://127.0.0.1:8123";

export const addTarget = (command: Command): Command =>
  addConnections(
    command.addOption(
      new Option(
        "--chdb <folder>",
        "Use ClickHouse inside this process instead of a server, with its tables in this folder.",
      )
        .helpGroup("Servers:")
        .conflicts("clickhouseAddress"),
    ),
    "clickhouse",
  );

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
