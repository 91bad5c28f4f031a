/** What the kernel is told about a finished task. */
import type { LaneSignal } from "../kernel/lane.ts";
import type { CrawlContext, Outcome } from "../kernel/product.ts";
import type { Task } from "../kernel/task.ts";
import type { ArchiveMeta } from "./policy/policy.ts";
import type { MetadataRecord } from "./store/metadata-record.ts";

export type ArchiveOutcome = Outcome<MetadataRecord, ArchiveMeta> & { newOrigins?: string[] };

/** One fetch of a page. `request` numbers the requests of this run. */
export interface Attempt {
  task: Task<ArchiveMeta>;
  request: number;
  context: CrawlContext;
}

/** The page is not to blame, so this does not count as one of its attempts. */
export const later = (task: Task<ArchiveMeta>, signal: LaneSignal, retryAt = 0): ArchiveOutcome => ({
  result: "retry",
  retryAt,
  attempts: task.attempt,
  signal,
  settle: () => null,
});
