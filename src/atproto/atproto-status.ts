/** `status` and `reset`: what a crawl has come to, asked of its state alone, and how to begin anew. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { PLC_FILE } from "./crawl-sources.ts";
import { segmentNames } from "./rca/segment-names.ts";
import type { StateSummary } from "./state/crawl-state.ts";
import { openState, STATE_FILE, type StateConfig } from "./state/open-state.ts";

/** May be asked while a crawl runs. */
export async function atprotoStatus(config: StateConfig): Promise<StateSummary> {
  const state = openState(config);
  try {
    return await state.summary();
  } finally {
    await state.close();
  }
}

export interface ResetResult {
  /** Files that were removed. */
  removed: string[];
}

/** Forgets the state and deletes the segments. Refuses while a crawl runs. */
export async function resetAtproto(config: StateConfig): Promise<ResetResult> {
  const state = openState(config);
  const removed: string[] = [];
  try {
    await state.take();
    await state.reset();
    for (const { path } of await segmentNames(config.outputDir)) {
      rmSync(path, { force: true });
      removed.push(path);
    }
  } finally {
    await state.close();
  }
  const leftovers = [PLC_FILE, ...(config.redisAddress === null ? [STATE_FILE, `${STATE_FILE}.lock`] : [])];
  for (const name of leftovers.flatMap((file) => [file, `${file}-wal`, `${file}-shm`])) {
    rmSync(join(config.outputDir, name), { force: true });
  }
  return { removed };
}
