/** What a test needs of a ledger to be tested: how to open one, how to crash it, and what it wrote. */
import type { Known, Ledger, Recovered } from "../ledger.ts";
import type { PlainMeta } from "./samples.ts";

export interface TestRecord {
  text: string;
}

/** A record that no harness's record store can write: the commit that holds it fails. */
export const UNSTORABLE = { text: null } as unknown as TestRecord;

/** One place to store a ledger in, for one test. */
export interface LedgerHarness {
  /** A ledger on that place, not opened yet. Called again after `close` or `crash`. */
  ledger(): Ledger<TestRecord, PlainMeta>;
  /** Ends the ledger in use without a warning. What was committed stays; what was under way may or may not. */
  crash(): Promise<void>;
  /** Every record stored, one entry per time it was written. Called while no ledger is open. */
  records(): Promise<{ id: number; record: TestRecord }[]>;
  /** Deletes the place. */
  dispose(): Promise<void>;
}

export type MakeHarness = () => Promise<LedgerHarness>;

/** Opens a ledger and keeps what it told. */
export async function reopen(
  harness: Pick<LedgerHarness, "ledger">,
): Promise<{ ledger: Ledger<TestRecord, PlainMeta>; known: Known[]; recovered: Recovered }> {
  const ledger = harness.ledger();
  const known: Known[] = [];
  const recovered = await ledger.open((each) => known.push(each));
  return { ledger, known, recovered };
}
