/** What every ledger promises, whether it stores what is queued or has its sources read again. */
import assert from "node:assert/strict";
import { freshLane } from "../lane.ts";
import type { Task } from "../task.ts";
import { reopen } from "./ledger-harness.ts";
import { batch, done, ids, type Promises } from "./promise-samples.ts";
import { anAdmitted } from "./samples.ts";

export function commonPromises(promise: Promises): void {
  promise("a new ledger knows nothing", async (harness) => {
    const { ledger, known, recovered } = await reopen(harness);
    assert.deepEqual(known, []);
    const { isResumed = false, ...remembered } = recovered;
    assert.equal(isResumed, false);
    assert.deepEqual(remembered, { lanes: new Map(), open: new Map(), notes: new Map() });
    assert.deepEqual(await ledger.take("lane", 0, 10), []);
    await ledger.close();
  });

  promise("gives a task back as it was admitted", async (harness) => {
    const { ledger } = await reopen(harness);
    const admitted = anAdmitted(7, {
      key: "k",
      place: 70,
      depth: 3,
      parent: 2,
      meta: { via: 4, kind: 5 },
      hops: 6,
      lane: "here",
    });
    await ledger.commit(batch({ admitted: [admitted] }));
    const { verdict, ...found } = admitted;
    const expected: Task[] = [{ ...found, attempt: 0, notBefore: 0 }];
    assert.deepEqual(
      (await ledger.take("here", 0, 10)).map((task) => ({ ...task })),
      expected,
    );
    await ledger.close();
  });

  promise("takes in the order of places, and behind a place", async (harness) => {
    const { ledger } = await reopen(harness);
    const places = [12, 5, 9, 6, 13, 10, 7];
    await ledger.commit(batch({ admitted: places.map((place, i) => anAdmitted(i + 1, { place, depth: i % 2 })) }));
    await ledger.commit(batch({ admitted: [anAdmitted(8, { place: 8, lane: "other" })] }));
    assert.deepEqual(ids(await ledger.take("lane", 0, 100)), [2, 4, 7, 3, 6, 1, 5]);
    assert.deepEqual(ids(await ledger.take("lane", 0, 3)), [2, 4, 7]);
    assert.deepEqual(ids(await ledger.take("lane", 6, 3)), [7, 3, 6]);
    assert.deepEqual(ids(await ledger.take("lane", 8, 2)), [3, 6], "a place of nobody in the lane");
    assert.deepEqual(ids(await ledger.take("lane", 13, 100)), []);
    assert.deepEqual(ids(await ledger.take("nobody", 0, 100)), []);
    await ledger.close();
  });

  promise("take sees every commit given before it, awaited or not", async (harness) => {
    const { ledger } = await reopen(harness);
    const first = ledger.commit(batch({ admitted: [anAdmitted(1), anAdmitted(2)] }));
    const second = ledger.commit(batch({ settled: [done(1)] }));
    const taken = ledger.take("lane", 0, 10);
    assert.deepEqual(ids(await taken), [2]);
    await Promise.all([first, second]);
    await ledger.close();
  });

  promise("keeps its own copy: a batch may be changed after it was given", async (harness) => {
    const { ledger } = await reopen(harness);
    const admitted = [anAdmitted(1)];
    const given = ledger.commit(batch({ admitted }));
    admitted.push(anAdmitted(2));
    await given;
    assert.deepEqual(ids(await ledger.take("lane", 0, 10)), [1]);
    await ledger.close();
  });

  promise("reads lanes and notes back as they were last written", async (harness) => {
    const first = await reopen(harness);
    const slow = { ...freshLane(), nextAt: 1_700_000_000_123.5, pace: 0.25, throttles: 3, spent: 9 };
    const strange = { ...freshLane(), blocks: 2, blockedUntil: 1_700_000_000_000 };
    const lanes = new Map([
      ["a", freshLane()],
      ["日本'\"", strange],
    ]);
    const notes = [
      { key: "robots a", value: "1" },
      { key: "robots b", value: "line\nline\u0001'\"🦑" },
      { key: "robots a", value: "2" },
    ];
    await first.ledger.commit(batch({ lanes, notes }));
    await first.ledger.commit(batch({ lanes: new Map([["a", slow]]), notes: [{ key: "robots c", value: "" }] }));
    await harness.crash();
    const { ledger, recovered } = await reopen(harness);
    assert.deepEqual(Object.fromEntries(recovered.lanes), { a: slow, "日本'\"": strange });
    assert.deepEqual(Object.fromEntries([...recovered.notes].map(([key, note]) => [key, { ...note }])), {
      "robots a": notes[2],
      "robots b": notes[1],
      "robots c": { key: "robots c", value: "" },
    });
    await ledger.close();
  });

  promise("settles nothing that was never admitted", async (harness) => {
    const { ledger } = await reopen(harness);
    await ledger.commit(batch({ settled: [done(99)] }));
    await ledger.close();
    assert.deepEqual(await harness.records(), []);
    const again = await reopen(harness);
    assert.deepEqual(again.known, []);
    await again.ledger.close();
  });

  promise("an empty commit is a commit", async (harness) => {
    const { ledger } = await reopen(harness);
    await ledger.commit(batch({}));
    await ledger.close();
  });

  promise("answers nobody after close, and leaves nobody waiting", async (harness) => {
    const { ledger } = await reopen(harness);
    await ledger.close();
    await assert.rejects(ledger.commit(batch({ admitted: [anAdmitted(1)] })));
    await assert.rejects(ledger.take("lane", 0, 1));
  });
}
