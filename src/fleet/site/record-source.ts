/** Where the records of a fleet crawl are read: in PostgreSQL next to its URLs, or in ClickHouse. */
export interface StoredRecord {
  id: number;
  /** The URL that had this id when it was stored, where a commit that was lost may have left a row; such rows are not used. */
  url?: string;
  bytes: Uint8Array;
}

export interface RecordSource {
  /** The records of these ids of a partition that there are, some at a time. `ids` ascend. */
  batches(part: number, ids: readonly number[]): AsyncIterable<StoredRecord[]>;
}
