/** What a queue ledger promises: what is admitted is stored until it is settled, and told back. */
import assert from "node:assert/strict";
import type { Verdict } from "../task.ts";
import { reopen, UNSTORABLE } from "./ledger-harness.ts";
import { batch, done, ids, type Promises, range, STRANGE_KEYS } from "./promise-samples.ts";
import { anAdmitted } from "./samples.ts";

export function queuePromises(promise: Promises): void {
  promise("tells everything back, oldest first, after it was closed", async (harness) => {
    const first = await reopen(harness);
    const skip: Verdict = { action: "skip", reason: "TOO_DEEP", rule: "max-depth 3" };
    const record: Verdict = { action: "record", reason: "OFF_SITE", rule: null };
    await first.ledger.commit(
      batch({
        admitted: [
          anAdmitted(1),
          anAdmitted(2, { lane: "", verdict: skip }),
          anAdmitted(3, { lane: "", verdict: record }),
          anAdmitted(4, { lane: "other" }),
        ],
      }),
    );
    await first.ledger.commit(batch({ admitted: [anAdmitted(5), anAdmitted(6)], settled: [done(1)] }));
    await first.ledger.commit(batch({ settled: [done(5, { state: "failed", record: null })] }));
    await first.ledger.close();
    const { ledger, known, recovered } = await reopen(harness);
    const crawl = { action: "crawl", reason: null };
    assert.deepEqual(known, [
      { id: 1, place: 1, key: "key 1", lane: "lane", ...crawl, state: "done" },
      { id: 2, place: 2, key: "key 2", lane: "", action: "skip", reason: "TOO_DEEP", state: null },
      { id: 3, place: 3, key: "key 3", lane: "", action: "record", reason: "OFF_SITE", state: null },
      { id: 4, place: 4, key: "key 4", lane: "other", ...crawl, state: "open" },
      { id: 5, place: 5, key: "key 5", lane: "lane", ...crawl, state: "failed" },
      { id: 6, place: 6, key: "key 6", lane: "lane", ...crawl, state: "open" },
    ]);
    assert.deepEqual(recovered.open, new Map([...recovered.open].sort()));
    assert.deepEqual(Object.fromEntries(recovered.open), { lane: 1, other: 1 });
    await ledger.close();
    assert.deepEqual(await harness.records(), [{ id: 1, record: { text: "record 1" } }]);
  });

  promise("remembers attempts and when to try again", async (harness) => {
    const first = await reopen(harness);
    await first.ledger.commit(batch({ admitted: [anAdmitted(1), anAdmitted(2)] }));
    await first.ledger.commit(batch({ retried: [{ id: 1, attempt: 1, notBefore: 1_700_000_000_000 }] }));
    await first.ledger.commit(batch({ retried: [{ id: 1, attempt: 2, notBefore: 1_700_000_060_000 }] }));
    await harness.crash();
    const { ledger } = await reopen(harness);
    const tasks = await ledger.take("lane", 0, 10);
    assert.deepEqual(
      tasks.map(({ id, attempt, notBefore }) => ({ id, attempt, notBefore })),
      [
        { id: 1, attempt: 2, notBefore: 1_700_000_060_000 },
        { id: 2, attempt: 0, notBefore: 0 },
      ],
    );
    await ledger.commit(batch({ settled: [done(1)], retried: [{ id: 1, attempt: 3, notBefore: 0 }] }));
    assert.deepEqual(ids(await ledger.take("lane", 0, 10)), [2], "a retry does not bring back a settled task");
    await ledger.close();
  });

  promise("a verdict turned at settling leaves nothing open", async (harness) => {
    const first = await reopen(harness);
    await first.ledger.commit(batch({ admitted: [anAdmitted(1), anAdmitted(2)] }));
    const verdict: Verdict = { action: "record", reason: "ROBOTS", rule: "Disallow: /" };
    await first.ledger.commit(batch({ settled: [done(1, { state: "failed", verdict, record: null })] }));
    assert.deepEqual(ids(await first.ledger.take("lane", 0, 10)), [2]);
    await first.ledger.close();
    const { ledger, known, recovered } = await reopen(harness);
    assert.deepEqual(
      { ...known[0], lane: "" },
      {
        id: 1,
        place: 1,
        key: "key 1",
        lane: "",
        action: "record",
        reason: "ROBOTS",
        state: null,
      },
    );
    assert.deepEqual(recovered.open, new Map([["lane", 1]]));
    await ledger.close();
  });

  promise("a key that was not crawled may be admitted again with another verdict", async (harness) => {
    const first = await reopen(harness);
    const nofollow: Verdict = { action: "record", reason: "NOFOLLOW", rule: null };
    const refused = [anAdmitted(1, { lane: "", verdict: nofollow }), anAdmitted(2, { lane: "", verdict: nofollow })];
    await first.ledger.commit(batch({ admitted: [...refused, anAdmitted(3)] }));
    const again = anAdmitted(1, { place: 5, depth: 4, parent: 3, hops: 1, meta: { via: 1, kind: 2 } });
    await first.ledger.commit(batch({ admitted: [again, anAdmitted(4, { depth: 1 })], settled: [done(3)] }));
    await harness.crash();
    const { ledger, known } = await reopen(harness);
    assert.deepEqual(
      known.map(({ key, ...rest }) => rest),
      [
        { id: 1, place: 5, action: "crawl", reason: null, state: "open", lane: "lane" },
        { id: 2, place: 2, action: "record", reason: "NOFOLLOW", state: null, lane: "" },
        { id: 3, place: 3, action: "crawl", reason: null, state: "done", lane: "lane" },
        { id: 4, place: 4, action: "crawl", reason: null, state: "open", lane: "lane" },
      ],
    );
    const { verdict, ...found } = again;
    const tasks = await ledger.take("lane", 0, 10);
    assert.deepEqual(ids(tasks), [4, 1]);
    assert.deepEqual({ ...tasks[1] }, { ...found, attempt: 0, notBefore: 0 });
    await ledger.commit(batch({ settled: [done(1)] }));
    const skipped: Verdict = { action: "skip", reason: "LATE", rule: null };
    await ledger.commit(
      batch({ admitted: [anAdmitted(1), anAdmitted(3), anAdmitted(4, { lane: "", verdict: skipped })] }),
    );
    assert.deepEqual(ids(await ledger.take("lane", 0, 10)), [4], "one that was ever crawled stays as it is");
    await ledger.close();
    assert.deepEqual(ids(await harness.records()), [3, 1]);
  });

  promise("writes a record once, however often its task is settled", async (harness) => {
    const first = await reopen(harness);
    await first.ledger.commit(batch({ admitted: [anAdmitted(1)], settled: [done(1), done(1)] }));
    await first.ledger.commit(batch({ settled: [done(1, { state: "failed", record: { text: "second" } })] }));
    await first.ledger.close();
    const { ledger, known } = await reopen(harness);
    await ledger.commit(batch({ settled: [done(1)] }));
    await ledger.close();
    assert.equal(known[0]!.state, "done");
    assert.deepEqual(await harness.records(), [{ id: 1, record: { text: "record 1" } }]);
  });

  promise("takes big batches, and tells them back in order", async (harness) => {
    const first = await reopen(harness);
    const many = 12_345;
    await first.ledger.commit(batch({ admitted: range(1, many).map((id) => anAdmitted(id, { depth: id % 3 })) }));
    const half = range(1, many).filter((id) => id % 2 === 0);
    await first.ledger.commit(batch({ settled: half.map((id) => done(id)) }));
    await harness.crash();
    const { ledger, known, recovered } = await reopen(harness);
    assert.deepEqual(ids(known), range(1, many));
    assert.equal(recovered.open.get("lane"), many - half.length);
    const open = await ledger.take("lane", 0, many);
    assert.equal(open.length, many - half.length);
    await ledger.close();
    assert.deepEqual(ids(await harness.records()), half);
  });

  promise("strange keys come back to the character", async (harness) => {
    const first = await reopen(harness);
    const admitted = STRANGE_KEYS.map((key, i) => anAdmitted(i + 1, { key, lane: key.slice(0, 200) }));
    await first.ledger.commit(batch({ admitted }));
    await harness.crash();
    const { ledger, known } = await reopen(harness);
    assert.deepEqual(
      known.map(({ key }) => key),
      STRANGE_KEYS,
    );
    for (const row of admitted) {
      const tasks = await ledger.take(row.lane, 0, 100);
      assert.ok(tasks.some((task) => task.key === row.key && task.lane === row.lane));
    }
    await ledger.close();
  });

  promise("a crash after a commit keeps it, a crash before it forgets it whole", async (harness) => {
    let open = await reopen(harness);
    await open.ledger.commit(batch({ admitted: [anAdmitted(1), anAdmitted(2)] }));
    await harness.crash();
    open = await reopen(harness);
    assert.deepEqual(ids(open.known), [1, 2]);
    await open.ledger.commit(batch({ admitted: [anAdmitted(3)], settled: [done(1)] }));
    await harness.crash();
    await harness.crash();
    open = await reopen(harness);
    assert.deepEqual(ids(await open.ledger.take("lane", 0, 10)), [2, 3]);
    await open.ledger.close();
    assert.deepEqual(ids(await harness.records()), [1]);
  });

  promise("a crash among commits keeps the first of them, each whole", async (harness) => {
    const first = await reopen(harness);
    await first.ledger.commit(batch({ admitted: [anAdmitted(1, { parent: 0 })] }));
    // Never awaited: the crash comes first. Each settles what the one before it admitted.
    for (const id of range(2, 40)) {
      first.ledger.commit(batch({ admitted: [anAdmitted(id)], settled: [done(id - 1)] })).catch(() => {});
    }
    await harness.crash();
    const { ledger, known } = await reopen(harness);
    const last = known.at(-1)!.id;
    assert.deepEqual(ids(known), range(1, last));
    assert.deepEqual(ids(await ledger.take("lane", 0, 100)), [last], "all but the newest are settled");
    await ledger.close();
    assert.deepEqual(ids(await harness.records()), range(1, last - 1));
  });

  promise("a commit that fails leaves nothing of itself, and none after it is carried out", async (harness) => {
    const first = await reopen(harness);
    await first.ledger.commit(batch({ admitted: [anAdmitted(1)] }));
    const admitted = [anAdmitted(2), anAdmitted(3)];
    const failing = first.ledger.commit(
      batch({ admitted, settled: [done(1), done(2, { record: UNSTORABLE })], notes: [{ key: "failed", value: "" }] }),
    );
    // Given while the failing one was under way: it builds on what that one was to store.
    const following = first.ledger.commit(batch({ admitted: [anAdmitted(4)], settled: [done(1), done(3)] }));
    await assert.rejects(failing);
    await assert.rejects(following);
    await assert.rejects(first.ledger.commit(batch({ notes: [{ key: "late", value: "" }] })));
    await first.ledger.close();
    const { ledger, known, recovered } = await reopen(harness);
    assert.deepEqual(ids(known), [1]);
    assert.equal(known[0]!.state, "open");
    assert.equal(recovered.notes.size, 0);
    await ledger.commit(batch({ settled: [done(1)] }));
    await ledger.close();
    assert.deepEqual(ids(await harness.records()), [1]);
  });

  promise("close waits for everything given", async (harness) => {
    const { ledger } = await reopen(harness);
    const commits = range(1, 20).map((id) => ledger.commit(batch({ admitted: [anAdmitted(id)] })));
    await ledger.close();
    await Promise.all(commits);
    const again = await reopen(harness);
    assert.deepEqual(ids(again.known), range(1, 20));
    await again.ledger.close();
  });
}
