import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type CommitLimits, Committer } from "./commit.ts";
import { freshLane } from "./lane.ts";
import type { Batch, Ledger } from "./ledger.ts";
import { Meters } from "./meters.ts";
import { drain, FakeClock } from "./testing/fake-clock.ts";
import { anAdmitted } from "./testing/samples.ts";

const LIMITS: CommitLimits = { settled: 3, admitted: 5, ms: 50, pending: 2 };

/** A committer on a ledger that writes when it is told to. */
function setUp(limits = LIMITS) {
  const clock = new FakeClock();
  const given: { batch: Batch<string>; write: () => void; fail: (error: unknown) => void }[] = [];
  const errors: unknown[] = [];
  const meters = new Meters();
  const ledger = {
    commit(batch: Batch<string>) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      given.push({ batch, write: resolve, fail: reject });
      return promise;
    },
  } as Ledger<string>;
  const committer = new Committer(ledger, clock, limits, meters, (error) => errors.push(error));
  return { clock, given, errors, committer, meters };
}

const settled = (id: number) => ({ id, state: "done" as const, verdict: null, record: `record ${id}` });

describe("a batch goes", () => {
  it("when it holds enough settled tasks", () => {
    const { committer, given } = setUp();
    for (const id of [1, 2]) committer.settle(settled(id), "lane", freshLane());
    assert.equal(given.length, 0);
    committer.settle(settled(3), "lane", { ...freshLane(), spent: 3 });
    assert.equal(given.length, 1);
    assert.deepEqual(
      given[0]!.batch.settled.map(({ id }) => id),
      [1, 2, 3],
    );
    assert.equal(given[0]!.batch.lanes.get("lane")?.spent, 3, "the lane's clock as it was last");
  });

  it("when it holds enough admitted keys", () => {
    const { committer, given } = setUp();
    for (let id = 1; id <= 6; id++) committer.admit(anAdmitted(id));
    assert.equal(given.length, 1);
    assert.equal(given[0]!.batch.admitted.length, 5);
  });

  it("with the place of each note among the keys that it admits", async () => {
    const { committer, given } = setUp();
    for (const id of [1, 2]) committer.admit(anAdmitted(id));
    committer.note({ key: "a", value: "1" });
    committer.admit(anAdmitted(3));
    committer.note({ key: "b", value: "2" });
    committer.flush();
    assert.deepEqual(
      given[0]!.batch.notes.map(({ key, admittedBefore }) => [key, admittedBefore]),
      [
        ["a", 2],
        ["b", 3],
      ],
    );
  });

  it("when its oldest entry is old enough, and not again when there is nothing", async () => {
    const { clock, committer, given } = setUp();
    committer.note({ key: "a", value: "1" });
    await clock.advance(30);
    committer.retry({ id: 1, attempt: 1, notBefore: 0 }, "lane", freshLane());
    await clock.advance(19);
    assert.equal(given.length, 0);
    await clock.advance(1);
    assert.equal(given.length, 1);
    assert.equal(given[0]!.batch.notes.length + given[0]!.batch.retried.length, 2);
    await clock.advance(1_000);
    assert.equal(given.length, 1);
    assert.equal(clock.timers, 0);
  });

  it("when it is flushed, which leaves no timer and resolves when all is durable", async () => {
    const { clock, committer, given } = setUp();
    committer.admit(anAdmitted(1));
    const first = committer.flush();
    committer.admit(anAdmitted(2));
    let durable = 0;
    first.then(() => durable++);
    committer.flush().then(() => durable++);
    committer.flush().then(() => durable++);
    assert.equal(given.length, 2, "the third had nothing to send");
    assert.equal(clock.timers, 0);
    given[1]!.write();
    await drain();
    assert.equal(durable, 0, "the second is durable when the first is too");
    given[0]!.write();
    await drain();
    assert.equal(durable, 3);
  });
});

describe("room", () => {
  it("is there until enough batches are under way, and again when one is durable", async () => {
    const { committer, given } = setUp();
    assert.equal(committer.room(), undefined);
    for (const id of [1, 2]) {
      committer.admit(anAdmitted(id));
      committer.flush();
    }
    let hasRoom = false;
    committer.room()!.then(() => {
      hasRoom = true;
    });
    await drain();
    assert.equal(hasRoom, false);
    given[0]!.write();
    await drain();
    assert.equal(hasRoom, true);
    assert.equal(committer.room(), undefined);
  });
});

describe("a commit that fails", () => {
  it("takes back what the meters counted since the last one that is durable", async () => {
    const { committer, given, meters } = setUp();
    meters.admit(anAdmitted(1).verdict);
    committer.admit(anAdmitted(1));
    committer.flush();
    given[0]!.write();
    await drain();
    meters.settle("done", null);
    meters.admit({ action: "skip", reason: "depth", rule: null });
    committer.settle(settled(1), "lane", freshLane());
    const flushed = committer.flush();
    given[1]!.fail(new Error("disk full"));
    await assert.rejects(flushed);
    assert.deepEqual([meters.open, meters.settled, meters.discovered], [0, 1, 2]);
    committer.restoreMeters();
    assert.deepEqual([meters.open, meters.settled, meters.settledNow, meters.discovered], [1, 0, 0, 1]);
    assert.deepEqual([...meters.reasons], []);
  });

  it("is reported once, rejects every flush, and releases whoever waits for room", async () => {
    const { committer, given, errors } = setUp({ ...LIMITS, pending: 1 });
    committer.admit(anAdmitted(1));
    const flushed = committer.flush();
    const room = committer.room();
    given[0]!.fail(new Error("disk full"));
    await assert.rejects(flushed, /disk full/);
    await room;
    assert.equal(errors.length, 1);
    await assert.rejects(committer.flush(), /disk full/);
  });

  it("is the last: what follows could settle what was never admitted", async () => {
    const { clock, committer, given } = setUp();
    committer.admit(anAdmitted(1));
    committer.flush().catch(() => {});
    given[0]!.fail(new Error("disk full"));
    await drain();
    committer.settle(settled(1), "lane", freshLane());
    await assert.rejects(committer.flush(), /disk full/);
    await clock.advance(1_000);
    assert.equal(given.length, 1);
    assert.equal(clock.timers, 0);
  });
});
