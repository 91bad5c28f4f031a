/** `--redis-address` and `--clickhouse-*`: accepted by every command, whether it needs them or not. */
import { type Command, Option } from "commander";

export interface RedisOption {
  redisAddress?: string;
}

export interface ClickHouseOptions {
  clickhouseAddress?: string;
  clickhouseDatabase?: string;
  clickhouseUsername?: string;
  clickhousePassword?: string;
}

export interface ConnectionOptions extends RedisOption, ClickHouseOptions {}

type Server = "redis" | "clickhouse";

/**
 * One line in a script may set all of them for all commands; the help shows only those that a command
 * uses. The password may come from the environment, because everybody on the machine can see a command line.
 */
export function addConnections(command: Command, ...used: Server[]): Command {
  const add = (server: Server, option: Option): void => {
    command.addOption(used.includes(server) ? option.helpGroup("Servers:") : option.hideHelp());
  };
  add(
    "redis",
    new Option(
      "--redis-address <host:port>",
      "Keep the state in this Redis; by default it is a file beside the segments.",
    ).env("REDIS_ADDRESS"),
  );
  const clickHouse: [flag: string, value: string, description: string][] = [
    ["address", "url", "ClickHouse over HTTP: http://127.0.0.1:8123, or host:port."],
    ["database", "name", "Its database. (default: default)"],
    ["username", "name", "Its user. (default: default)"],
    ["password", "text", "The user's password; better set in the environment."],
  ];
  for (const [name, value, description] of clickHouse) {
    const variable = `CLICKHOUSE_${name.toUpperCase()}`;
    add("clickhouse", new Option(`--clickhouse-${name} <${value}>`, description).env(variable));
  }
  return command;
}
