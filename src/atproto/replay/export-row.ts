/** What an export has of a collection of a repo, and the interface of the formats that its records are written in. */

export interface ExportSource {
  repo: string;
  collection: string;
  /** Unix microseconds. */
  crawledAt: bigint;
}

/** The rows of one file, until they are written as a group. */
export interface RowEncoder {
  readonly rows: number;
  /** What they take in memory, roughly. */
  readonly bytes: number;
  /** `json` is copied. */
  add(source: ExportSource, rkey: string, json: Buffer): void;
  /** The rows so far, as they stand in the file; they are forgotten. */
  group(): Uint8Array;
  /** What stands behind the last group. */
  end(): Uint8Array;
}
