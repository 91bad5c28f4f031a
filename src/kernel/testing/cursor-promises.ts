/** What a cursor ledger promises: nothing admitted is forgotten, because its source is read again from the cursor. */
import assert from "node:assert/strict";
import { type CursorLedger, cursorNote } from "../ledger.ts";
import { reopen, type TestRecord, UNSTORABLE } from "./ledger-harness.ts";
import { cursorOf, offered, readTo } from "./number-source.ts";
import { batch, done, ids, type Promises, range, STRANGE_KEYS } from "./promise-samples.ts";
import { anAdmitted } from "./samples.ts";

export function cursorPromises(promise: Promises): void {
  promise("the cursor waits for the first key that is not settled", async (harness) => {
    const { ledger } = await reopen(harness);
    await ledger.commit(batch({ admitted: range(1, 3).map((id) => anAdmitted(id)), notes: [readTo(3)] }));
    await ledger.commit(batch({ admitted: range(4, 6).map((id) => anAdmitted(id)), notes: [readTo(6)] }));
    await ledger.commit(batch({ settled: [2, 3, 4, 5, 6].map((id) => done(id)) }));
    await harness.crash();
    assert.deepEqual(await offered(harness, 7), { cursor: 0, left: [1, 7] });
  });

  promise("the cursor moves with the commit that settles the last key before it", async (harness) => {
    const { ledger } = await reopen(harness);
    await ledger.commit(batch({ admitted: range(1, 3).map((id) => anAdmitted(id)), notes: [readTo(3)] }));
    await ledger.commit(batch({ admitted: [anAdmitted(4)], notes: [readTo(4)], settled: [done(1), done(2)] }));
    await ledger.commit(batch({ settled: [done(3)] }));
    await harness.crash();
    assert.deepEqual(await offered(harness, 5), { cursor: 3, left: [4, 5] });
  });

  promise(
    "a cursor waits for what was admitted before it, not for what its own batch admits behind it",
    async (harness) => {
      const { ledger } = await reopen(harness);
      const notes = [
        { ...readTo(2), admittedBefore: 2 },
        { ...readTo(4), admittedBefore: 4 },
      ];
      await ledger.commit(batch({ admitted: range(1, 4).map((id) => anAdmitted(id)), notes }));
      await ledger.commit(batch({ settled: [1, 2, 4].map((id) => done(id)) }));
      await harness.crash();
      assert.deepEqual(await offered(harness, 5), { cursor: 2, left: [3, 5] });
    },
  );

  promise("a page with nothing new moves the cursor; a note other than a cursor waits for nothing", async (harness) => {
    const { ledger } = await reopen(harness);
    await ledger.commit(batch({ notes: [readTo(3)] }));
    await ledger.commit(batch({ admitted: [anAdmitted(4)], notes: [readTo(4), { key: "other", value: "here" }] }));
    await harness.crash();
    const { ledger: again, recovered } = await reopen(harness);
    assert.equal(cursorOf(recovered), 3);
    assert.equal(recovered.notes.get("other")?.value, "here");
    await again.close();
  });

  promise("sources have cursors of their own", async (harness) => {
    const { ledger } = await reopen(harness);
    const notes = [cursorNote("a", "1"), cursorNote("b c", "2'\"日本"), cursorNote("a", "3")];
    await ledger.commit(batch({ notes }));
    await ledger.close();
    const { ledger: again, recovered } = await reopen(harness);
    assert.deepEqual(Object.fromEntries([...recovered.notes].map(([key, note]) => [key, note.value])), {
      "cursor a": "3",
      "cursor b c": "2'\"日本",
    });
    await again.close();
  });

  promise("what waits to be tried again is not passed, and is taken with its attempts", async (harness) => {
    const { ledger } = await reopen(harness);
    await ledger.commit(batch({ admitted: range(1, 3).map((id) => anAdmitted(id)), notes: [readTo(3)] }));
    await ledger.commit(batch({ settled: [done(1), done(3)], retried: [{ id: 2, attempt: 2, notBefore: 5 }] }));
    const tasks = await ledger.take("lane", 0, 10);
    assert.deepEqual(
      tasks.map(({ id, attempt, notBefore }) => ({ id, attempt, notBefore })),
      [{ id: 2, attempt: 2, notBefore: 5 }],
    );
    await harness.crash();
    assert.deepEqual(await offered(harness, 3), { cursor: 0, left: [2] });
  });

  promise("what was not to be fetched keeps nobody waiting", async (harness) => {
    const { ledger } = await reopen(harness);
    const verdict = { action: "skip", reason: "NOT_WANTED", rule: null } as const;
    await ledger.commit(batch({ admitted: [anAdmitted(1, { lane: "", verdict }), anAdmitted(2)], notes: [readTo(2)] }));
    await ledger.commit(batch({ settled: [done(2, { state: "failed", verdict, record: null })] }));
    assert.deepEqual(await ledger.take("lane", 0, 10), []);
    await harness.crash();
    const { ledger: again, recovered } = await reopen(harness);
    assert.equal(cursorOf(recovered), 2);
    await again.close();
  });

  promise("writes a record once, however often its task is settled", async (harness) => {
    const { ledger } = await reopen(harness);
    await ledger.commit(batch({ admitted: [anAdmitted(1)], settled: [done(1), done(1)] }));
    await ledger.commit(batch({ settled: [done(1, { state: "failed", record: { text: "second" } })] }));
    await ledger.close();
    assert.deepEqual(await harness.records(), [{ id: 1, record: { text: "record 1" } }]);
  });

  promise("takes big batches", async (harness) => {
    const many = 12_345;
    const { ledger } = await reopen(harness);
    await ledger.commit(batch({ admitted: range(1, many).map((id) => anAdmitted(id)), notes: [readTo(many)] }));
    assert.equal((await ledger.take("lane", 100, many)).length, many - 100);
    const even = range(1, many).filter((id) => id % 2 === 0);
    await ledger.commit(batch({ settled: even.map((id) => done(id)) }));
    await harness.crash();
    const { cursor, left } = await offered(harness, many);
    assert.equal(cursor, 0);
    assert.deepEqual(
      left,
      range(1, many).filter((id) => id % 2 === 1),
    );
    assert.deepEqual(ids(await harness.records()), even);
  });

  promise("strange keys are settled to the character", async (harness) => {
    const { ledger } = await reopen(harness);
    await ledger.commit(batch({ admitted: STRANGE_KEYS.map((key, index) => anAdmitted(index + 1, { key })) }));
    const odd = STRANGE_KEYS.filter((_, index) => index % 2 === 1);
    await ledger.commit(batch({ settled: odd.map((key) => done(STRANGE_KEYS.indexOf(key) + 1)) }));
    await harness.crash();
    const { ledger: again } = await reopen(harness);
    const left = await (again as CursorLedger<TestRecord>).unsettled(STRANGE_KEYS);
    assert.deepEqual(
      left,
      STRANGE_KEYS.filter((key) => !odd.includes(key)),
    );
    await again.close();
  });

  promise("a crash among commits keeps the first of them, each whole", async (harness) => {
    const { ledger } = await reopen(harness);
    for (const id of range(1, 40)) {
      const settled = id === 1 ? [] : [done(id - 1)];
      ledger.commit(batch({ admitted: [anAdmitted(id)], settled, notes: [readTo(id)] })).catch(() => {});
    }
    await harness.crash();
    const { cursor, left } = await offered(harness, 40);
    assert.deepEqual(left, range(cursor + 1, 40), "what the cursor has not passed is not settled");
    const written = ids(await harness.records());
    // A record is on disk before its key is called settled, so a crash may leave some more; never fewer.
    assert.deepEqual(written.slice(0, cursor), range(1, cursor));
  });

  promise("a commit that fails settles nothing, and none after it is carried out", async (harness) => {
    const { ledger } = await reopen(harness);
    await ledger.commit(batch({ admitted: [anAdmitted(1), anAdmitted(2), anAdmitted(3)], notes: [readTo(3)] }));
    const failing = ledger.commit(
      batch({ settled: [done(2, { record: UNSTORABLE })], notes: [{ key: "failed", value: "" }] }),
    );
    const following = ledger.commit(batch({ settled: [done(1), done(3)] }));
    await assert.rejects(failing);
    await assert.rejects(following);
    await assert.rejects(ledger.commit(batch({ notes: [{ key: "late", value: "" }] })));
    await ledger.close();
    const { ledger: again, recovered } = await reopen(harness);
    assert.equal(recovered.notes.size, 0);
    await again.close();
    assert.deepEqual(await offered(harness, 3), { cursor: 0, left: [1, 2, 3] });
    assert.deepEqual(await harness.records(), []);
  });

  promise("close waits for everything given", async (harness) => {
    const { ledger } = await reopen(harness);
    const commits = range(1, 20).map((id) =>
      ledger.commit(batch({ admitted: [anAdmitted(id)], settled: [done(id)], notes: [readTo(id)] })),
    );
    await ledger.close();
    await Promise.all(commits);
    assert.deepEqual(await offered(harness, 20), { cursor: 20, left: [] });
  });
}
