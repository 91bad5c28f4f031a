/** The state that a config names: in Redis, or in a file beside the segments. */
import { join } from "node:path";
import type { Clock } from "../../kernel/clock.ts";
import type { AtprotoConfig } from "../atproto-config.ts";
import { ERROR_CLASS_NAMES } from "../error-classes.ts";
import { STATE_FILE } from "../folder-files.ts";
import type { CrawlState } from "./crawl-state.ts";
import { RedisState } from "./redis-state.ts";
import { SqliteState } from "./sqlite-state.ts";

export type StateConfig = Pick<AtprotoConfig, "outputDir" | "redisAddress" | "share">;

export const openState = ({ outputDir, redisAddress, share }: StateConfig, clock?: Clock): CrawlState =>
  redisAddress === null
    ? new SqliteState(join(outputDir, STATE_FILE))
    : new RedisState({ address: redisAddress, classes: ERROR_CLASS_NAMES, share: share ?? "", clock });
