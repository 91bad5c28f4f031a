/** The power goes while a commit is written: each of its files may end anywhere. All of it counts, or none of it. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import fc from "fast-check";
import { freshLane } from "../../kernel/lane.ts";
import type { Batch, Settled } from "../../kernel/ledger.ts";
import type { Verdict } from "../../kernel/task.ts";
import { type LedgerHarness, reopen, type TestRecord } from "../../kernel/testing/ledger-harness.ts";
import { aBatch, anAdmitted, type PlainMeta } from "../../kernel/testing/samples.ts";
import { checkLedger } from "./check.ts";
import { ledgerPaths } from "./ledger-files.ts";
import { type FileHarness, fileHarness } from "./testing/file-harness.ts";

const done = (id: number, verdict: Verdict | null = null): Settled<TestRecord> => ({
  id,
  state: "done",
  verdict,
  record: { text: `record ${id}` },
});
const SKIP: Verdict = { action: "skip", reason: "denied", rule: "a rule" };
const robots = (text: string) => ({
  key: "robots:https://a.example",
  value: JSON.stringify({ kind: "rules", why: "", text, expiresAt: 5_000 }),
});

const FIRST: Batch<TestRecord, PlainMeta> = aBatch({
  admitted: [1, 2, 3, 4].map((id) => anAdmitted(id)),
  settled: [done(1)],
  lanes: new Map([["lane", { ...freshLane(), spent: 1 }]]),
  notes: [robots("one"), { key: "other", value: "one" }],
});

/** Writes to every file. */
const SECOND: Batch<TestRecord, PlainMeta> = aBatch({
  admitted: [anAdmitted(5, { parent: 2 }), anAdmitted(6, { lane: "", verdict: SKIP }), anAdmitted(7)],
  settled: [done(2), done(3, SKIP), done(7)],
  retried: [{ id: 4, attempt: 2, notBefore: 900 }],
  lanes: new Map([["lane", { ...freshLane(), spent: 2 }]]),
  notes: [robots("two"), { key: "other", value: "two" }],
});

/** Everything that can be asked of a ledger, and its records. */
async function stateOf(harness: LedgerHarness) {
  const { ledger, known, recovered } = await reopen(harness);
  const tasks = await ledger.take("lane", 0, 100);
  await ledger.close();
  return { known, recovered, tasks, records: await harness.records() };
}

async function withHarness<T>(harness: FileHarness, use: (harness: FileHarness) => Promise<T>): Promise<T> {
  try {
    return await use(harness);
  } finally {
    await harness.dispose();
  }
}

const after = (...batches: Batch<TestRecord, PlainMeta>[]) =>
  withHarness(fileHarness(), async (harness) => {
    const { ledger } = await reopen(harness);
    for (const batch of batches) await ledger.commit(batch);
    await harness.crash();
    return stateOf(harness);
  });

const namesIn = (folder: string): string[] => readdirSync(folder).filter((name) => name !== "seal.json");

/** Of the files that a commit writes to. */
const lengths = (folder: string): Map<string, number> =>
  new Map(namesIn(folder).map((name) => [name, statSync(join(folder, name)).size]));

/** The seal follows the commit: one that was cut short is not in it. */
function dropLastSeal(folder: string): void {
  const { seal } = ledgerPaths(folder);
  const lines = readFileSync(seal, "utf8").split(/(?<=\n)/);
  writeFileSync(seal, lines.slice(0, -1).join(""));
}

it("a commit cut at any byte of any file is all there or not at all, and can be rebuilt", async () => {
  const [before, both] = [await after(FIRST), await after(FIRST, SECOND)];
  assert.notDeepEqual(before, both);
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const property = fc.asyncProperty(
    fc.array(share, { minLength: 8, maxLength: 8 }),
    fc.boolean(),
    (shares, isWhole) => {
      let committed = new Map<string, number>();
      const cut = (folder: string): void => {
        if (isWhole) return;
        dropLastSeal(folder);
        // The line of the commit is written when all others are on the disk.
        for (const [at, [name, end]] of [...lengths(folder)].entries()) {
          const start = committed.get(name)!;
          const most = name === "commits.jsonl" ? end - 1 : end;
          truncateSync(join(folder, name), start + Math.round((most - start) * shares[at]!));
        }
      };
      return withHarness(fileHarness(cut), async (harness) => {
        const { ledger } = await reopen(harness);
        await ledger.commit(FIRST);
        committed = lengths(harness.folder);
        await ledger.commit(SECOND);
        assert.ok([...lengths(harness.folder)].every(([name, length]) => length > committed.get(name)!));
        await harness.crash();
        assert.deepEqual(await checkLedger(ledgerPaths(harness.folder)), [], "a crash is not damage");
        const left = await stateOf(harness);
        assert.deepEqual(left, isWhole ? both : before);
        if (isWhole) return;
        const again = await reopen(harness);
        await again.ledger.commit(SECOND);
        await again.ledger.close();
        assert.deepEqual(await stateOf(harness), both);
      });
    },
  );
  await fc.assert(property, { numRuns: 40, seed: 3 });
});

it("says what it dropped, and does not say it again", () =>
  withHarness(
    fileHarness((folder) => {
      dropLastSeal(folder);
      truncateSync(join(folder, "commits.jsonl"), statSync(join(folder, "commits.jsonl")).size - 5);
    }),
    async (harness) => {
      const first = await reopen(harness);
      await first.ledger.commit(FIRST);
      await harness.crash();
      assert.deepEqual(await checkLedger(ledgerPaths(harness.folder)), []);
      await (await reopen(harness)).ledger.close();
      assert.equal(harness.notices.length, 4);
      assert.match(
        harness.notices[0]!,
        /^commits\.jsonl: \d+ bytes of an unfinished write were dropped from its end\.$/,
      );
      await (await reopen(harness)).ledger.close();
      assert.equal(harness.notices.length, 4);
    },
  ));

it("records from before the first commit belong to another ledger", () =>
  withHarness(fileHarness(), async (harness) => {
    const first = await reopen(harness);
    await first.ledger.commit(FIRST);
    await first.ledger.close();
    for (const name of readdirSync(harness.folder)) if (name !== "records.jsonl") rmSync(join(harness.folder, name));
    await (await reopen(harness)).ledger.close();
    assert.match(readFileSync(join(harness.folder, "records.jsonl"), "utf8"), /record 1/);
  }));
