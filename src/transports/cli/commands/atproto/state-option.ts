/** Where a crawl's state is: in Redis, or in the file beside its segments. */
import type { Command } from "commander";
import type { CrawlState } from "../../../../atproto/state/crawl-state.ts";
import type { JsonOption } from "../../cli.ts";
import { addConnections, type RedisOption } from "./connection-options.ts";
import { USUAL_FOLDER } from "./folder-option.ts";

export interface StateOptions extends RedisOption, JsonOption {
  outputDir: string;
}

export const addState = (command: Command): Command =>
  addConnections(
    command.option(
      "--output-dir <folder>",
      `The folder that the crawl writes to. (default: ${USUAL_FOLDER})`,
      USUAL_FOLDER,
    ),
    "redis",
  );

export const stateName = ({ redisAddress, outputDir }: StateOptions): string =>
  redisAddress === undefined ? outputDir : `Redis at ${redisAddress}`;

export async function withState<T>(options: StateOptions, use: (state: CrawlState) => Promise<T>): Promise<T> {
  const { openState } = await import("../../../../atproto/state/open-state.ts");
  const { outputDir, redisAddress = null } = options;
  const state = openState({ outputDir, redisAddress, share: null });
  try {
    return await use(state);
  } finally {
    await state.close();
  }
}
