/** Look-ups in a sorted run: few reads however many records, and every place from which a reader may go on. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../rca/testing/samples.ts";
import { type CatalogueEntry, keyOf, readEntry } from "./catalogue-record.ts";
import { LogRecords } from "./log-records.ts";
import { mergedRecords, mergeRuns } from "./merge-runs.ts";
import { RecordBatch } from "./record-batch.ts";
import { SortedRun } from "./sorted-run.ts";

const LETTERS = "234567abcdefghijklmnopqrstuvwxyz";
const plc = (number: number): string => {
  const digest = createHash("sha256").update(`${number}`).digest();
  return `did:plc:${[...digest.subarray(0, 24)].map((byte) => LETTERS[byte % 32]).join("")}`;
};
const web = (number: number): string => `did:web:${number}.example`;
const entry = (did: string, number: number): CatalogueEntry => ({
  did,
  place: { segment: 1, offset: number, size: 100, crc: 7 },
  rev: "3l3qo2vuowo2b",
  status: "stored",
  nextAttempt: 0,
  at: 1n,
});

async function runOf(folder: string, dids: readonly string[]): Promise<SortedRun> {
  const batch = new RecordBatch();
  for (const [number, did] of dids.entries()) batch.add(entry(did, number));
  const path = join(folder, `run-${dids.length}`);
  await mergeRuns([batch], path);
  return new SortedRun(path);
}

test("a look-up takes two reads of a large run, whatever the kind of DID, and finds what is there", async (t) => {
  const plcs = Array.from({ length: 300_000 }, (_, number) => plc(number));
  const webs = Array.from({ length: 3_000 }, (_, number) => web(number));
  const run = await runOf(await temporaryFolder(t), [...plcs, ...webs]);
  t.after(() => run.close());
  const readsOf = (did: string, isThere: boolean): number => {
    const before = run.reads;
    const record = run.find(keyOf(did));
    assert.equal(record !== null, isThere, did);
    if (record !== null) assert.equal(readEntry(record, 0, did).did, did);
    return run.reads - before;
  };
  readsOf(web(1), true);
  const reads: number[] = [];
  for (let at = 0; at < 3_000; at++) {
    reads.push(readsOf(plcs[at * 97]!, true), readsOf(plc(1_000_000 + at), false));
    reads.push(readsOf(webs[at]!, true), readsOf(web(1_000_000 + at), false));
  }
  reads.sort((a, b) => a - b);
  assert.ok(reads.at(-1)! <= 5, `${reads.at(-1)} reads at most`);
  assert.ok(reads[Math.floor(reads.length * 0.99)]! <= 2, `${reads[Math.floor(reads.length * 0.99)]} reads in 99 %`);
});

test("keys that are not spread like hashes are found too", async (t) => {
  const crowded = Array.from({ length: 5_000 }, (_, number) => `did:plc:${"a".repeat(18)}${plc(number).slice(-6)}`);
  const dids = [...new Set([...crowded, ...Array.from({ length: 50 }, (_, number) => plc(number))])];
  const run = await runOf(await temporaryFolder(t), dids);
  t.after(() => run.close());
  for (const did of dids) assert.notEqual(run.find(keyOf(did)), null, did);
  assert.equal(run.find(keyOf(`did:plc:${"a".repeat(24)}`)), null);
  assert.equal(run.find(keyOf(`did:plc:${"2".repeat(24)}`)), null);
  assert.equal(run.find(keyOf(`did:plc:${"z".repeat(24)}`)), null);
});

test("runs of few records, and reading on behind any key", async (t) => {
  const folder = await temporaryFolder(t);
  for (const count of [0, 1, 2, 300]) {
    const dids = [...Array.from({ length: count }, (_, number) => plc(number)), ...(count > 1 ? [web(1), web(2)] : [])];
    const sorted = dids.map(keyOf).sort(Buffer.compare);
    const run = await runOf(folder, dids);
    for (const did of dids) assert.notEqual(run.find(keyOf(did)), null);
    const logs = new LogRecords([]);
    for (const did of [...dids, plc(9_999), web(9_999), `did:plc:${"2".repeat(24)}`, `did:plc:${"z".repeat(24)}`]) {
      const after = keyOf(did);
      const found = [...mergedRecords([run, logs], after)].filter((record) => record !== null).length;
      assert.equal(found, sorted.filter((key) => Buffer.compare(key, after) > 0).length);
    }
    run.close();
  }
});

test("logs are searched as they are, and sorted for those who look up many: with the same answers", () => {
  const writer = new RecordBatch();
  const parts = Array.from({ length: 100 }, (_, number) => writer.add(entry(plc(number), number)));
  const newer = writer.add({ ...entry(plc(7), 1_000), at: 2n });
  // The last one was torn by a crash.
  const logs = [Buffer.concat(parts), Buffer.concat([newer, parts[1]!.subarray(0, 50)])];
  const few = (did: string) => new LogRecords(logs).find(keyOf(did));
  const many = new LogRecords(logs);
  for (let number = 0; number < 120; number++) {
    const record = few(plc(number));
    assert.deepEqual(many.find(keyOf(plc(number))), record);
    const offset = number === 7 ? 1_000 : number;
    assert.equal(record === null ? null : readEntry(record, 0).place?.offset, number < 100 ? offset : null);
  }
});
