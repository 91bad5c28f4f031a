/** Any byte or line of any file of a ledger that was closed, changed in any way: it is noticed, and the ledger does not open. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { type TestContext, test } from "node:test";
import type { Settled } from "../../kernel/ledger.ts";
import type { Verdict } from "../../kernel/task.ts";
import { reopen, type TestRecord } from "../../kernel/testing/ledger-harness.ts";
import { aBatch, anAdmitted } from "../../kernel/testing/samples.ts";
import { byteDamages, type Damage, lineDamages } from "../../storage/testing/damage.ts";
import { checkLedger } from "./check.ts";
import { type LedgerPaths, ledgerPaths } from "./ledger-files.ts";
import { fileHarness } from "./testing/file-harness.ts";

const SKIP: Verdict = { action: "skip", reason: "denied", rule: "a rule" };
const done = (id: number): Settled<TestRecord> => ({ id, state: "done", verdict: null, record: { text: `${id}` } });
const robots = (text: string) => ({
  key: `robots:https://${text}.example`,
  value: JSON.stringify({ kind: "rules", why: "", text, expiresAt: 5_000 }),
});
const refused = (id: number) => anAdmitted(id, { lane: "", verdict: SKIP });

/** Two lines or more in every file. */
async function filled(t: TestContext) {
  const harness = fileHarness();
  t.after(() => harness.dispose());
  const { ledger } = await reopen(harness);
  await ledger.commit(aBatch({ admitted: [1, 2, 3, 4, 5].map((id) => anAdmitted(id)), notes: [robots("a")] }));
  await ledger.commit(
    aBatch({ admitted: [refused(6), refused(7)], settled: [done(1), done(2)], notes: [robots("b")] }),
  );
  await ledger.close();
  return { harness, paths: ledgerPaths(harness.folder) };
}

test("in a ledger that was closed, all damage is noticed, and named by file and line", async (t) => {
  const { harness, paths } = await filled(t);
  assert.deepEqual(await checkLedger(paths), []);
  const tried = new Map<string, number>();
  for (const path of Object.values(paths)) {
    const good = readFileSync(path);
    let count = 0;
    for (const { how, bytes } of allDamages(good)) {
      if (bytes.equals(good)) continue;
      count++;
      writeFileSync(path, bytes);
      const where = `${basename(path)}: ${how}`;
      const found = await checkLedger(paths);
      assert.ok(found.length > 0, where);
      assert.ok(
        found.every(({ line }) => line > 0),
        where,
      );
      // Opening reads the same lines in the same way, and costs more.
      if (count % 11 === 0) await assert.rejects(reopen(harness), { code: "ARCHIVE_DAMAGED" }, where);
      assert.ok(readFileSync(path).equals(bytes), `${where}: nothing may be changed`);
    }
    tried.set(basename(path), count);
    rmSync(path);
    assert.ok((await checkLedger(paths)).length > 0, `${basename(path)} removed`);
    writeFileSync(path, good);
  }
  assert.deepEqual(await checkLedger(paths), []);
  t.diagnostic(`damages tried, all noticed: ${[...tried].map(([name, count]) => `${name} ${count}`).join(", ")}`);
});

/** `TRAWL_EXHAUSTIVE=1` tries every byte, which takes minutes. */
const STEP = process.env["TRAWL_EXHAUSTIVE"] === "1" ? 1 : 7;

function* allDamages(good: Buffer): Generator<Damage> {
  yield* byteDamages(good, STEP);
  yield* lineDamages(good);
}

test("after a kill, damage before the last commit is noticed, and the last commit is made again", async (t) => {
  const { harness } = await filled(t);
  const { ledger } = await reopen(harness);
  await ledger.commit(aBatch({ admitted: [anAdmitted(8)], settled: [done(3)] }));
  await ledger.commit(aBatch({ admitted: [anAdmitted(9)], settled: [done(4)] }));
  await harness.crash();
  const paths: LedgerPaths = ledgerPaths(harness.folder);
  const good = readFileSync(paths.commits);
  const lastAt = good.lastIndexOf("\n", good.length - 2) + 1;
  let [noticed, cut] = [0, 0];
  for (const { how, bytes } of allDamages(good)) {
    if (bytes.equals(good)) continue;
    writeFileSync(paths.commits, bytes);
    const found = await checkLedger(paths);
    const keepsLast = bytes.subarray(0, lastAt).equals(good.subarray(0, lastAt));
    if (found.length > 0) noticed++;
    else {
      cut++;
      assert.ok(keepsLast, how);
    }
  }
  assert.ok(noticed > cut && cut > 0);
  assert.ok(existsSync(paths.seal));
});
