/** Where the records of a fleet crawl are read from: PostgreSQL, next to its URLs, or ClickHouse. */
export interface StoredRecord {
  id: number;
  /**
   * The URL that had this id when it was stored. A lost commit may have left a row with another URL; such rows are not
   * used.
   */
  url?: string;
  bytes: Uint8Array;
}

export interface RecordSource {
  /** The existing records among these ids of a partition, some at a time. `ids` ascend. */
  batches(part: number, ids: readonly number[]): AsyncIterable<StoredRecord[]>;
}
