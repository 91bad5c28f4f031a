/**
 * The record log of a ledger, as the ledger sees it: a file that someone else writes, and whose extent each commit
 * states.
 */
import type { ReadCommits } from "./committed-lines.ts";

/** How far a record log goes: its length, and the running sum of its lines. */
export interface RecordMark {
  bytes: number;
  sum: number;
}

/** Where the records go: a log that grows, and that can be cut back to what the ledger has committed. */
export interface RecordLog<Rec> {
  readonly mark: RecordMark;
  /**
   * Adds records in this order. Resolves once they are durable, and everything else that must be there before the commit
   * counts. Called for every commit, with no records too.
   */
  append(records: readonly Rec[]): Promise<RecordMark>;
  /**
   * Called when the ledger opens, before it changes anything. Throws when what it committed is no longer there; otherwise
   * drops what follows: records of a commit that never ended, whose tasks will be fetched again.
   */
  recover(committed: CommittedRecords): Promise<void>;
}

export interface CommittedRecords {
  /** Null when this ledger has never committed. Has no sum in ledgers from before there were sums. */
  mark: { bytes: number; sum: number | null } | null;
  /** The ledger was closed after its last commit: nothing may follow. */
  isClosed: boolean;
}

/** What the commits of a ledger say about its record log. */
export function committedRecords({ records, isClosed }: ReadCommits): CommittedRecords {
  if (records === null) return { mark: null, isClosed };
  const [bytes, sum] = typeof records === "number" ? [records, null] : records;
  return { mark: { bytes, sum }, isClosed };
}
