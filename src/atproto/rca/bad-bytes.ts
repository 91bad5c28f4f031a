/** Bytes that are not what the format says; whoever reads a file turns it into a report with the offset. */
export class BadBytes extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "BadBytes";
  }
}

/** A place of a segment that could not be read, as it is told to people. */
export interface Damage {
  path: string;
  /** Where it begins in the file. */
  offset: number;
  /** Whose repo it was, where that is known. */
  did: string | null;
  reason: string;
  /** The end of an unfinished segment, where a block is cut off: what a crash leaves, or a writer that is at work. */
  torn: boolean;
}

/** The reason of bad bytes; any other error is thrown on. */
export function reasonOf(error: unknown): string {
  if (error instanceof BadBytes) return error.message;
  throw error;
}
