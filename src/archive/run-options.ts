/** What the two halves of the archive, the crawl and the scrape of a spool, are both told to run with. */
import type { Clock } from "../kernel/clock.ts";
import type { ArchiveEvents } from "./archive-product.ts";
import type { PauseReason } from "./control/pauses.ts";
import type { Reach } from "./fetch/archive-client.ts";
import type { Workspace } from "./workspace.ts";

export interface RunOptions {
  workspace: Workspace;
  reach?: Reach;
  events?: ArchiveEvents & {
    onNotice?: (text: string) => void;
    onPause?: (reasons: PauseReason[]) => void;
  };
  clock?: Clock;
  random?: () => number;
  freeBytes?: (folder: string) => Promise<number>;
}
