/** The fixed numbers of the `.rca` format, and the limits that reader and writer share. */

export const VERSION = 1;
export const HEADER_SIZE = 64;
export const FOOTER_SIZE = 32;

/** Size, three empty strings, CrawledAt, CollectionCount, CRC32: no block is smaller. */
export const MIN_BLOCK_SIZE = 4 + 2 + 2 + 2 + 8 + 2 + 4;

/** What one call to the system reads or writes; the format itself would allow twice as much. */
export const MAX_BLOCK_SIZE = 2 ** 31 - 1;

/** What one collection may hold unpacked: ten times a repo of the default cap, and memory that most machines have. */
export const MAX_CONTENT_SIZE = 2 ** 30;

/** An `.rca` holds records as JSON; the `.rcx` beside it is the same container with their CIDs. */
export type SegmentKind = "rca" | "rcx";

export const MAGIC: Readonly<Record<SegmentKind, Buffer>> = {
  rca: Buffer.from("REPOARCH", "latin1"),
  rcx: Buffer.from("REPOCIDS", "latin1"),
};
