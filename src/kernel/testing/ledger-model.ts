/** Random use of a ledger, with crashes, compared with a model that is too simple to be wrong. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { freshLane, type LaneState } from "../lane.ts";
import type { Batch, Ledger, TaskState } from "../ledger.ts";
import type { Task, Verdict } from "../task.ts";
import { type LedgerHarness, type MakeHarness, reopen, type TestRecord } from "./ledger-harness.ts";
import { aBatch, anAdmitted } from "./samples.ts";

const LANES = ["a", "b", "c"];
const CRAWLED: Verdict = { action: "crawl", reason: null, rule: null };
const REFUSED: Verdict = { action: "record", reason: "NOFOLLOW", rule: "a rule" };

type Step =
  | {
      do: "commit";
      admit: [lane: number, depth: number, refused: boolean][];
      settle: number[];
      retry: number[];
      again: number;
    }
  | { do: "take"; lane: number; after: number; max: number }
  | { do: "crash" }
  | { do: "close" };

const small = fc.nat({ max: 1_000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("commit" as const),
      admit: fc.array(fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 4 }), fc.boolean()), { maxLength: 8 }),
      settle: fc.array(small, { maxLength: 5 }),
      retry: fc.array(small, { maxLength: 3 }),
      again: small,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("take" as const),
      lane: fc.nat({ max: 2 }),
      after: fc.nat({ max: 60 }),
      max: fc.integer({ min: 1, max: 10 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "crash" }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "close" }) },
);

interface ModelRow extends Task {
  verdict: Verdict;
  state: TaskState | null;
}

/** What the ledger should hold. */
class Model {
  rows: ModelRow[] = [];
  lanes: Record<string, LaneState> = {};
  notes: Record<string, string> = {};
  records: { id: number; record: TestRecord }[] = [];
  #commits = 0;
  #nextPlace = 1;

  /** Makes a batch out of random numbers, and does to the model what the ledger should do with it. */
  next({ admit, settle, retry, again }: Extract<Step, { do: "commit" }>): Batch<TestRecord> {
    const number = ++this.#commits;
    const batch = aBatch<TestRecord>();
    const refusedRows = this.rows.filter((row) => row.state === null);
    const readmitted = refusedRows[again % (refusedRows.length + 2)];
    if (readmitted !== undefined) {
      const more = { key: readmitted.key, place: this.#nextPlace++, lane: "a", depth: 1, parent: 3 };
      batch.admitted.push(anAdmitted(readmitted.id, more));
      Object.assign(readmitted, { ...more, verdict: CRAWLED, state: "open" });
    }
    for (const [lane, depth, refused] of admit) {
      const id = this.rows.length + 1;
      const verdict = refused ? REFUSED : CRAWLED;
      const row = anAdmitted(id, { place: this.#nextPlace++, lane: refused ? "" : LANES[lane]!, depth, verdict });
      batch.admitted.push(row);
      this.rows.push({ ...row, state: refused ? null : "open", attempt: 0, notBefore: 0 });
    }
    // Settled twice now and then, also in one batch.
    for (const pick of settle) {
      const id = (pick % (this.rows.length + 1)) + 1;
      const state = pick % 2 === 0 ? "done" : "failed";
      const record = pick % 3 === 0 ? null : { text: `${id} by commit ${number}` };
      batch.settled.push({ id, state, verdict: null, record });
      const row = this.rows[id - 1];
      if (row?.state !== "open") continue;
      row.state = state;
      if (record !== null) this.records.push({ id, record });
    }
    for (const pick of retry) {
      const id = (pick % (this.rows.length + 1)) + 1;
      batch.retried.push({ id, attempt: pick, notBefore: pick * 1_000 });
      const row = this.rows[id - 1];
      if (row?.state === "open") Object.assign(row, { attempt: pick, notBefore: pick * 1_000 });
    }
    const lane = { ...freshLane(), spent: number };
    batch.lanes.set(LANES[number % 3]!, lane);
    this.lanes[LANES[number % 3]!] = lane;
    batch.notes.push({ key: `note ${number % 2}`, value: `${number}` });
    this.notes[`note ${number % 2}`] = `${number}`;
    return batch;
  }

  open(lane: string): ModelRow[] {
    return this.rows.filter((row) => row.state === "open" && row.lane === lane).sort((a, b) => a.place - b.place);
  }
}

/** Opens the ledger again and compares all that it tells. */
async function compare(harness: LedgerHarness, model: Model): Promise<Ledger<TestRecord>> {
  const { ledger, known, recovered } = await reopen(harness);
  assert.deepEqual(
    known,
    model.rows.map(({ id, place, key, lane, verdict, state }) => ({
      id,
      place,
      key,
      lane,
      action: verdict.action,
      reason: verdict.reason,
      state,
    })),
  );
  const counts = LANES.map((lane) => [lane, model.open(lane).length] as const).filter(([, open]) => open > 0);
  assert.deepEqual(Object.fromEntries(recovered.open), Object.fromEntries(counts));
  assert.deepEqual(Object.fromEntries(recovered.lanes), model.lanes);
  assert.deepEqual(Object.fromEntries([...recovered.notes].map(([key, note]) => [key, note.value])), model.notes);
  return ledger;
}

async function run(harness: LedgerHarness, steps: Step[]): Promise<void> {
  const model = new Model();
  let ledger = await compare(harness, model);
  for (const step of steps) {
    switch (step.do) {
      case "commit":
        await ledger.commit(model.next(step));
        break;
      case "take": {
        const lane = LANES[step.lane]!;
        const expected = model.open(lane).filter((row) => row.place > step.after);
        const tasks = await ledger.take(lane, step.after, step.max);
        assert.deepEqual(
          tasks.map((task) => ({ ...task })),
          expected.slice(0, step.max).map(({ verdict, state, ...task }) => task),
        );
        break;
      }
      case "crash":
        await harness.crash();
        ledger = await compare(harness, model);
        break;
      case "close":
        await ledger.close();
        ledger = await compare(harness, model);
        break;
    }
  }
  await ledger.close();
  assert.deepEqual(await harness.records(), model.records);
}

export function ledgerProperties(name: string, makeHarness: MakeHarness, runs: number): void {
  it(`${name}: any use with any crashes leaves what the model says`, async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const harness = await makeHarness();
      try {
        await run(harness, steps);
      } finally {
        await harness.dispose();
      }
    });
    await fc.assert(property, { numRuns: runs, seed: 1 });
  });
}
