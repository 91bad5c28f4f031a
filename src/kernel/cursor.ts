/**
 * Sources that can be read again, and the ledger over them: it stores what is settled and how far each source was read,
 * and nothing that is queued. After a crash the sources are read again from there.
 *
 * A source says how far it was read with a note, given when the batch before that place has been admitted. The ledger
 * holds the note back until all that was admitted before it is settled: the cursor never passes an unsettled key.
 */
import type { Ledger, Note } from "./ledger.ts";

export interface CursorLedger<Rec, Meta = unknown> extends Ledger<Rec, Meta> {
  /**
   * Those of the keys that are not settled for good, in their order. A source asks before it offers what it read: what
   * was settled ahead of the cursor is read once more after a crash.
   */
  unsettled(keys: readonly string[]): Promise<string[]>;
}

const PREFIX = "cursor ";

export const cursorNote = (source: string, value: string): Note => ({ key: PREFIX + source, value });

/** The source that a note is about; null when it is no cursor. */
export const cursorSource = ({ key }: Note): string | null =>
  key.startsWith(PREFIX) ? key.slice(PREFIX.length) : null;
