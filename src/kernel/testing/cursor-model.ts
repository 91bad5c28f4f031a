/** Random use of a cursor ledger, with crashes, compared with the plain set of what was settled. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import type { CursorLedger } from "../ledger.ts";
import { type LedgerHarness, type MakeHarness, reopen, type TestRecord } from "./ledger-harness.ts";
import { cursorOf, keyOf, offered, readTo } from "./number-source.ts";
import { batch, done, range } from "./promise-samples.ts";
import { anAdmitted } from "./samples.ts";

type Step = { admit: number; settle: number[]; crash: boolean };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    admit: fc.nat({ max: 6 }),
    settle: fc.array(fc.nat({ max: 1_000 }), { maxLength: 8 }),
    crash: fc.nat({ max: 9 }).map((dice) => dice === 0),
  }),
  { maxLength: 30 },
);

/** Reads a source, settles in any order and crashes: what is offered afterwards is what was not settled, each once. */
async function wander(harness: LedgerHarness, plan: Step[]): Promise<void> {
  const many = 100;
  const settled = new Set<number>();
  let ledger = (await reopen(harness)).ledger as CursorLedger<TestRecord>;
  let read = 0;
  let nextId = 1;
  let open: { id: number; number: number }[] = [];
  for (const { admit, settle, crash } of plan) {
    const upTo = Math.min(many, read + admit);
    const keys = await ledger.unsettled(range(read + 1, upTo).map(keyOf));
    const fresh = keys.map((key) => ({ id: nextId++, number: Number(key.slice(4)) }));
    open.push(...fresh);
    read = upTo;
    const over = new Set(open.length === 0 ? [] : settle.map((pick) => open[pick % open.length]!));
    open = open.filter((task) => !over.has(task));
    await ledger.commit(
      batch({
        admitted: fresh.map(({ id, number }) => anAdmitted(id, { key: keyOf(number) })),
        settled: [...over].map(({ id, number }) => done(id, { record: { text: keyOf(number) } })),
        notes: [readTo(read)],
      }),
    );
    for (const { number } of over) settled.add(number);
    if (!crash) continue;
    await harness.crash();
    const again = await reopen(harness);
    ledger = again.ledger as CursorLedger<TestRecord>;
    read = cursorOf(again.recovered);
    open = [];
    for (const number of range(1, read)) assert.ok(settled.has(number), `the cursor ${read} passed ${number}`);
  }
  await ledger.close();
  const { cursor, left } = await offered(harness, many);
  assert.deepEqual(
    [...range(1, cursor).filter((number) => !settled.has(number)), ...left],
    range(1, many).filter((number) => !settled.has(number)),
  );
  const texts = (await harness.records()).map(({ record }) => record.text);
  assert.deepEqual(texts.sort(), [...settled].map(keyOf).sort(), "a record for each, once");
}

export function cursorProperties(name: string, makeHarness: MakeHarness, runs: number): void {
  it(`${name}: any order of settling with any crashes forgets nothing and records nothing twice`, async () => {
    const property = fc.asyncProperty(steps, async (plan) => {
      const harness = await makeHarness();
      try {
        await wander(harness, plan);
      } finally {
        await harness.dispose();
      }
    });
    await fc.assert(property, { numRuns: runs, seed: 3 });
  });
}
