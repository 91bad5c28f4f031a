/** Any byte or line of any file of a ledger that was closed, changed in any way: it is noticed, and the ledger does not open. */
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
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

test("in a ledger that was closed, the queue as it was before closing is noticed: it has URLs that were fetched", async (t) => {
  const harness = fileHarness();
  t.after(() => harness.dispose());
  const { frontier } = ledgerPaths(harness.folder);
  const { ledger } = await reopen(harness);
  await ledger.commit(aBatch({ admitted: [1, 2, 3].map((id) => anAdmitted(id)) }));
  await ledger.commit(aBatch({ settled: [done(1)] }));
  const before = readFileSync(frontier);
  await ledger.close();
  assert.ok(readFileSync(frontier).length < before.length, "closing drops what is dead");
  writeFileSync(frontier, before);
  const [found] = await checkLedger(ledgerPaths(harness.folder));
  assert.deepEqual([found?.file, found?.what], ["frontier.jsonl", "is missing"]);
  await assert.rejects(reopen(harness), { code: "ARCHIVE_DAMAGED", message: /frontier\.jsonl line/ });
});

/** `TRAWL_EXHAUSTIVE=1` tries every byte, which takes minutes. */
const STEP = process.env["TRAWL_EXHAUSTIVE"] === "1" ? 1 : 7;

function* allDamages(good: Buffer): Generator<Damage> {
  yield* byteDamages(good, STEP);
  yield* lineDamages(good);
}

test("after a kill, all damage to the commits is noticed, but what looks like the beginning of another one", async (t) => {
  const { harness } = await filled(t);
  const { ledger } = await reopen(harness);
  await ledger.commit(aBatch({ admitted: [anAdmitted(8)], settled: [done(3)] }));
  // They write nothing to the files whose lines say which commit they belong to.
  await ledger.commit(aBatch({ settled: [done(4)] }));
  await ledger.commit(aBatch({ settled: [done(5)] }));
  await harness.crash();
  const paths: LedgerPaths = ledgerPaths(harness.folder);
  assert.deepEqual(await checkLedger(paths), []);
  const good = readFileSync(paths.commits);
  let noticed = 0;
  for (const { how, bytes } of allDamages(good)) {
    if (bytes.equals(good)) continue;
    writeFileSync(paths.commits, bytes);
    const found = await checkLedger(paths);
    if (found.length > 0) noticed++;
    else assert.ok(bytes.subarray(0, good.length).equals(good), how);
  }
  assert.ok(noticed > 100);
});

test("after a kill, commits that are cut off at the end of a line are missed, however many", async (t) => {
  const { harness } = await filled(t);
  const { ledger } = await reopen(harness);
  for (const id of [3, 4, 5]) await ledger.commit(aBatch({ settled: [done(id)] }));
  await harness.crash();
  const paths = ledgerPaths(harness.folder);
  const lines = readFileSync(paths.commits, "utf8").split(/(?<=\n)/);
  for (const lost of [1, 2, 3]) {
    writeFileSync(paths.commits, lines.slice(0, -lost).join(""));
    const [found] = await checkLedger(paths);
    assert.deepEqual([found?.file, found?.line, found?.what], ["commits.jsonl", lines.length - lost + 1, "is missing"]);
    await assert.rejects(reopen(harness), { code: "ARCHIVE_DAMAGED", message: /commits\.jsonl line \d+ is missing/ });
  }
});
