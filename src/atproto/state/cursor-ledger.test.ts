/** Completed means on disk: the state hears of a DID when its record is durable, and not before. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { drain } from "../../kernel/testing/fake-clock.ts";
import { aBatch, anAdmitted, type PlainMeta } from "../../kernel/testing/samples.ts";
import type { CrawlState, StateChange } from "./crawl-state.ts";
import { StateLedger } from "./cursor-ledger.ts";

interface Record {
  durable: Promise<void>;
  failure: string | null;
}

function ledgerWith(changes: StateChange[], order: string[] = []): StateLedger<Record, PlainMeta> {
  const state: Partial<CrawlState> = {
    take: async () => void order.push("take"),
    read: async () => {
      order.push("read");
      const stats = { total_crawled: 0, bytes_written: 0 };
      return { lanes: new Map(), notes: new Map(), progress: { stats, segmentNumber: 0 } };
    },
    commit: async (change) => void changes.push(change),
    close: async () => void order.push("close"),
  };
  return new StateLedger<Record, PlainMeta>({
    state: state as CrawlState,
    durable: ({ durable }) => durable,
    endingOf: (_, record) => ({
      failure: record!.failure,
      isFinal: record!.failure === null,
      detail: null,
      host: null,
      retryAt: 0,
    }),
    refusalOf: ({ reason }) =>
      reason === null ? null : { failure: reason, isFinal: false, detail: null, host: null, retryAt: 0 },
    begin: async () => void order.push("begin"),
    end: async () => void order.push("end"),
  });
}

const settled = (id: number, record: Record) => ({ id, state: "done" as const, verdict: null, record });

test("nothing is committed before every record of the batch is on disk", async () => {
  const changes: StateChange[] = [];
  const ledger = ledgerWith(changes);
  await ledger.open();
  const slow = Promise.withResolvers<void>();
  const records = [Promise.resolve(), slow.promise].map((durable) => ({ durable, failure: null }));
  const committed = ledger.commit(
    aBatch({ admitted: [anAdmitted(1), anAdmitted(2)], settled: records.map((record, at) => settled(at + 1, record)) }),
  );
  const next = ledger.commit(aBatch({ notes: [{ key: "n", value: "1" }] }));
  await drain();
  assert.equal(changes.length, 0, "and none that was given after");
  slow.resolve();
  await Promise.all([committed, next]);
  assert.deepEqual(
    changes.map(({ settled: over }) => over.map(({ did }) => did)),
    [["key 1", "key 2"], []],
  );
  await ledger.close();
});

test("a record that cannot be written is settled nowhere", async () => {
  const changes: StateChange[] = [];
  const ledger = ledgerWith(changes);
  await ledger.open();
  const broken = { durable: Promise.reject(new Error("disk full")), failure: null };
  await assert.rejects(
    ledger.commit(aBatch({ admitted: [anAdmitted(1)], settled: [settled(1, broken)] })),
    /disk full/,
  );
  await assert.rejects(ledger.commit(aBatch({ notes: [{ key: "n", value: "1" }] })), /disk full/);
  assert.equal(changes.length, 0);
  await ledger.close();
});

test("what a record turned out to be while it was written is what counts", async () => {
  const changes: StateChange[] = [];
  const ledger = ledgerWith(changes);
  await ledger.open();
  const record: Record = { durable: Promise.resolve(), failure: null };
  record.durable = drain().then(() => {
    record.failure = "too_large";
  });
  await ledger.commit(aBatch({ admitted: [anAdmitted(1)], settled: [settled(1, record)] }));
  assert.deepEqual(changes[0]!.settled, [
    { did: "key 1", failure: "too_large", isFinal: false, detail: null, host: null, retryAt: 0 },
  ]);
  await ledger.close();
});

test("admitting writes nothing; DIDs that the source reports as deleted are remembered", async () => {
  const changes: StateChange[] = [];
  const ledger = ledgerWith(changes);
  await ledger.open();
  await ledger.commit(aBatch({ admitted: [anAdmitted(1)] }));
  assert.equal(changes.length, 0);
  const verdict = { action: "skip", reason: "deactivated", rule: null } as const;
  await ledger.commit(aBatch({ admitted: [anAdmitted(2, { lane: "", verdict })] }));
  assert.deepEqual(changes[0]!.settled, [
    { did: "key 2", failure: "deactivated", isFinal: false, detail: null, host: null, retryAt: 0 },
  ]);
  await ledger.close();
});

test("order of events: taken, begun, read; ended, closed", async () => {
  const order: string[] = [];
  const ledger = ledgerWith([], order);
  await ledger.open();
  await ledger.close();
  assert.deepEqual(order, ["take", "begin", "read", "end", "close"]);
});
