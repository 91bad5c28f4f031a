/** Where the records go: one file that grows, and that can be cut back to what the ledger has committed. */

export interface RecordLog<Rec> {
  /** Bytes it holds. */
  readonly length: number;
  /** Adds records in this order. Resolves, when they are durable, to the length with them. */
  append(records: readonly Rec[]): Promise<number>;
  /** Forgets what lies behind: records of a commit that never ended, whose tasks will be fetched again. */
  truncateTo(length: number): Promise<void>;
}
