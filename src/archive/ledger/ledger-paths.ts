/** The files of a ledger. The first three have the names and formats of seed 003; the others stand beside them. */
import { join } from "node:path";

export interface LedgerPaths {
  /** URLs that wait to be fetched, a JSON line each. */
  frontier: string;
  /** URLs that were fetched, a line each. */
  fetched: string;
  /** robots.txt of each origin, with its expiry. */
  robots: string;
  /** URLs that are not to be fetched, with the reason. */
  refused: string;
  /** One line a commit. */
  commits: string;
}

export const ledgerPaths = (folder: string): LedgerPaths => ({
  frontier: join(folder, "frontier.jsonl"),
  fetched: join(folder, "fetched_urls.txt"),
  robots: join(folder, "robots_cache.jsonl"),
  refused: join(folder, "refused.jsonl"),
  commits: join(folder, "commits.jsonl"),
});
