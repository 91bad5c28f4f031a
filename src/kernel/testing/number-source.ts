/** A source of numbered keys, for tests of cursor ledgers: it can be read again from any number. */
import { type CursorLedger, cursorNote, type Note, type Recovered } from "../ledger.ts";
import { type LedgerHarness, reopen, type TestRecord } from "./ledger-harness.ts";
import { range } from "./promise-samples.ts";

const SOURCE = "numbers";
export const keyOf = (id: number): string => `key ${id}`;
export const readTo = (id: number): Note => cursorNote(SOURCE, `${id}`);
export const cursorOf = ({ notes }: Recovered): number => Number(notes.get(`cursor ${SOURCE}`)?.value ?? 0);

/** Opens the ledger, reads the source of `many` numbers again from the cursor, and tells which of them are offered. */
export async function offered(harness: LedgerHarness, many: number): Promise<{ cursor: number; left: number[] }> {
  const { ledger, recovered } = await reopen(harness);
  const cursor = cursorOf(recovered);
  const left = await (ledger as CursorLedger<TestRecord>).unsettled(range(cursor + 1, many).map(keyOf));
  await ledger.close();
  return { cursor, left: left.map((key) => Number(key.slice(4))) };
}
