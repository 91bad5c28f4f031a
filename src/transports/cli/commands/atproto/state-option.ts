/** Where a crawl's state is: in Redis, or in the file beside its segments. */
import { type Command, Option } from "commander";
import type { StateConfig } from "../../../../app/atproto/state.ts";
import type { JsonOption } from "../../cli.ts";
import { addConnections, type RedisOption } from "./connection-options.ts";
import { USUAL_FOLDER } from "./folder-option.ts";

export interface StateOptions extends RedisOption, JsonOption {
  outputDir: string;
}

export const addState = (command: Command): Command =>
  addConnections(
    command.addOption(
      new Option("--output-dir <folder>", "The folder that the crawl writes to.").default(USUAL_FOLDER, USUAL_FOLDER),
    ),
    "redis",
  );

export const stateName = ({ redisAddress, outputDir }: StateOptions): string =>
  redisAddress === undefined ? outputDir : `Redis at ${redisAddress}`;

export const stateConfig = ({ outputDir, redisAddress }: StateOptions): StateConfig => ({
  outputDir,
  redisAddress: redisAddress ?? null,
  share: null,
});
