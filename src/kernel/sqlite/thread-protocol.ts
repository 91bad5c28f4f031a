/** The messages between a crawl and its store thread. */
import type { Known } from "../ledger.ts";
import type { PackedBatch } from "./store.ts";

export interface StoreThreadData {
  path: string;
  /** URL of the module whose default export is a RecordStore. */
  recordModule: string | null;
}

export type Question = { id: number } & (
  | { ask: "open" }
  | { ask: "commit"; batch: PackedBatch<unknown> }
  | { ask: "take"; lane: string; after: number; max: number }
  | { ask: "close" }
);

export type Answer =
  | { known: Known[] }
  | { to: number; value: unknown }
  | { to: number; error: { message: string; code: string | null } };
