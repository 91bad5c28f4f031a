/** What the tests of ledgers' promises are written with. */
import type { Batch, Settled } from "../ledger.ts";
import type { LedgerHarness, TestRecord } from "./ledger-harness.ts";
import { aBatch, type PlainMeta } from "./samples.ts";

/** States one promise: a test that gets a place of its own to store in. */
export type Promises = (title: string, body: (harness: LedgerHarness) => Promise<void>) => void;

export const done = (id: number, more: Partial<Settled<TestRecord>> = {}): Settled<TestRecord> => ({
  id,
  state: "done",
  verdict: null,
  record: { text: `record ${id}` },
  ...more,
});

export const batch = (more: Partial<Batch<TestRecord, PlainMeta>>): Batch<TestRecord, PlainMeta> => aBatch(more);
export const ids = (tasks: { id: number }[]): number[] => tasks.map((task) => task.id);
export const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

export const STRANGE_KEYS = [
  "https://example.com/",
  "https://example.com/?q='; DROP TABLE urls; --",
  'https://example.com/"quoted"\\back\\slash',
  "https://example.com/日本語/émoji-🦑/\u202eright-to-left",
  `https://example.com/${"long/".repeat(800)}`,
  "https://example.com/%00%0a?a=1&b=2#",
  " leading and trailing ",
  "e\u0301 is not \u00e9",
  "\u00e9 is not e\u0301",
  "case",
  "CASE",
  "tab\tand\u2028separator",
];
