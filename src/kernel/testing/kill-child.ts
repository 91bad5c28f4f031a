/**
 * A process that commits without end, to be killed: `node kill-child.ts <database> <first commit>`.
 *
 * Commit n is always the same, so that whoever reopens the database can tell what should be in it. The number of each
 * commit that the ledger called durable is written to standard output, a line each.
 */
import { writeSync } from "node:fs";
import { freshLane } from "../lane.ts";
import type { Batch, Ledger } from "../ledger.ts";
import { SqliteLedger } from "../sqlite/ledger.ts";
import type { TestRecord } from "./ledger-harness.ts";
import { aBatch, anAdmitted, PLAIN_META, type PlainMeta } from "./samples.ts";

/** Tasks that each commit admits; the next commit settles all but the last of them, which is tried again. */
export const PER_COMMIT = 30;
/** Commits under way at once: a kill always finds some. */
const PIPELINE = 4;

export const RECORD_MODULE = new URL("./test-records.ts", import.meta.url).href;

function commitNumber(number: number): Batch<TestRecord, PlainMeta> {
  const batch = aBatch<TestRecord>();
  const first = (number - 1) * PER_COMMIT + 1;
  for (let id = first; id < first + PER_COMMIT; id++) {
    batch.admitted.push(anAdmitted(id, { depth: number, key: `https://example.com/${id}/${"x".repeat(id % 400)}` }));
  }
  for (let id = first - PER_COMMIT; id > 0 && id < first - 1; id++) {
    batch.settled.push({ id, state: "done", verdict: null, record: { text: `record ${id} ${"y".repeat(id % 900)}` } });
  }
  if (number > 1) batch.retried.push({ id: first - 1, attempt: 1, notBefore: number });
  batch.lanes.set("lane", { ...freshLane(), spent: number });
  batch.notes.push({ key: "commits", value: `${number}` });
  return batch;
}

export async function commitWithoutEnd(ledger: Ledger<TestRecord, PlainMeta>, first: number): Promise<void> {
  await ledger.open(() => {});
  const underWay: Promise<void>[] = [];
  for (let number = first; ; number++) {
    underWay.push(ledger.commit(commitNumber(number)).then(() => void writeSync(1, `${number}\n`)));
    if (underWay.length >= PIPELINE) await underWay.shift();
  }
}

if (import.meta.main) {
  await commitWithoutEnd(
    new SqliteLedger<TestRecord, PlainMeta>(process.argv[2]!, RECORD_MODULE, PLAIN_META),
    Number(process.argv[3]),
  );
}
