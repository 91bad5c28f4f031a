/** The memory ledger passes what the real ones pass, so that tests built on it prove something. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Batch } from "../ledger.ts";
import { ledgerConformance } from "./conformance.ts";
import type { LedgerHarness, TestRecord } from "./ledger-harness.ts";
import { ledgerProperties } from "./ledger-model.ts";
import { MemoryLedger } from "./memory-ledger.ts";
import { aBatch, anAdmitted } from "./samples.ts";

async function memoryHarness(): Promise<LedgerHarness> {
  const onCommit = (_: number, batch: Batch<unknown>) => {
    if (batch.settled.some(({ record }) => (record as TestRecord | null)?.text === null)) throw new Error("unstorable");
  };
  let current = new MemoryLedger<TestRecord>({ onCommit });
  return {
    ledger() {
      current = current.crash();
      return current;
    },
    async crash() {
      current = current.crash();
    },
    records: async () => current.records,
    async dispose() {},
  };
}

ledgerConformance("MemoryLedger", memoryHarness);
ledgerProperties("MemoryLedger", memoryHarness, 200);

it("a crashed memory ledger is not heard of again", async () => {
  const ledger = new MemoryLedger<TestRecord>();
  let answered = false;
  ledger.commit(aBatch({ admitted: [anAdmitted(1)] })).then(() => {
    answered = true;
  });
  const after = ledger.crash();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(answered, false);
  assert.deepEqual(after.rows, []);
});
