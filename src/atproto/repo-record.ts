/** What the crawl keeps of a repo that is over: how it ended, and when its block is on disk. */

import { ERROR_CLASSES, type ErrorClass } from "./error-classes.ts";
import type { WrittenRepo } from "./rca/write/segment-writer.ts";
import type { SettledDid } from "./state/crawl-state.ts";

export interface RepoRecord {
  did: string;
  pds: string;
  /** Null when it is stored. May turn when its block finds no room in a segment. */
  failure: ErrorClass | null;
  detail: string | null;
  /** Resolves when its block is on disk, with its place; null when there is none. */
  durable: Promise<WrittenRepo | null> | null;
}

export const endingOf = ({ failure, detail }: Pick<RepoRecord, "failure" | "detail">): Omit<SettledDid, "did"> => ({
  failure,
  isFinal: failure === null || ERROR_CLASSES[failure].isFinal,
  detail,
});
