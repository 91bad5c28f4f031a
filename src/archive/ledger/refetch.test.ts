/** A task that is fetched once more: open until it ends again, and its URL is in fetched_urls.txt once. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Known } from "../../kernel/ledger.ts";
import { aBatch, anAdmitted } from "../../kernel/testing/samples.ts";
import { ledgerPaths } from "./ledger-files.ts";
import { fileHarness, type TestLedger } from "./testing/file-harness.ts";

const settled = (id: number, state: "done" | "failed", record: unknown) =>
  ({ id, state, verdict: null, record }) as never;

test("a settled task is open again, across crashes and compaction, until it ends again", async (t) => {
  const harness = fileHarness();
  t.after(() => harness.dispose());
  const open = async () => {
    const ledger = harness.ledger() as TestLedger;
    const known: Known[] = [];
    await ledger.open((one) => known.push(one));
    return { ledger, known: known.map(({ id, state }) => `${id} ${state}`) };
  };
  const crashed = async () => {
    await harness.crash();
    return open();
  };
  const fetched = () => readFileSync(ledgerPaths(harness.folder).fetched, "utf8");
  const urls = "key 1\nkey 2\n";

  let { ledger, known } = await open();
  await ledger.commit(aBatch({ admitted: [anAdmitted(1), anAdmitted(2)] }));
  await ledger.commit(aBatch({ settled: [settled(1, "failed", { n: 1 }), settled(2, "done", { n: 2 })] }));
  assert.deepEqual([ledger.stateOf(1), ledger.stateOf(2), ledger.stateOf(3)], ["failed", "done", null]);

  await ledger.commit(aBatch({ admitted: [anAdmitted(1, { place: 3 }), anAdmitted(2, { place: 4, refetch: true })] }));
  assert.deepEqual([ledger.stateOf(1), ledger.stateOf(2)], ["failed", "open"], "only what is to be fetched once more");
  assert.deepEqual(
    (await ledger.take("lane", 0, 9)).map(({ id, refetch }) => [id, refetch]),
    [[2, true]],
  );

  ({ ledger, known } = await crashed());
  assert.deepEqual(known, ["1 failed", "2 open"]);
  await ledger.commit(aBatch({ admitted: [anAdmitted(1, { place: 5, refetch: true })] }));
  await ledger.commit(aBatch({ settled: [settled(1, "done", { n: 3 })] }));
  assert.equal(fetched(), urls);

  ({ ledger, known } = await crashed());
  assert.deepEqual(known, ["1 done", "2 open"], "the line that asked for it stays dead");
  await ledger.close();
  ({ ledger, known } = await open());
  assert.deepEqual(known, ["1 done", "2 open"]);
  await ledger.commit(aBatch({ settled: [settled(2, "failed", { n: 4 })] }));
  // Once more, and settled in the same commit.
  await ledger.commit(
    aBatch({ admitted: [anAdmitted(2, { place: 6, refetch: true })], settled: [settled(2, "done", { n: 5 })] }),
  );
  await ledger.commit(aBatch({ settled: [settled(2, "failed", { n: 6 })] }));
  await ledger.close();
  ({ known } = await crashed());
  assert.deepEqual(known, ["1 done", "2 done"]);
  assert.equal(fetched(), urls);
  assert.deepEqual(
    (await harness.records()).map(({ record }) => (record as unknown as { n: number }).n),
    [1, 2, 3, 4, 5],
    "every fetch has its record, and a task that is not open gets none",
  );
});
