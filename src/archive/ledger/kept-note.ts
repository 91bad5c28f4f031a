/** A note as the ledger holds it: those of robots.txt have a line in robots_cache.jsonl, all others are in the commits. */

export interface KeptNote {
  /** Empty while it runs for one that has a line: a robots.txt may be half a megabyte. */
  value: string;
  /** The commit that wrote it: the same key may have stood in the other file before. */
  commit: number;
  /** Its line in robots_cache.jsonl. */
  line: { offset: number; bytes: number } | null;
}
