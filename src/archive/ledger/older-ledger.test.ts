/** Ledgers from before there were sums are opened, lose nothing, and have sums from then on. */
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import type { Settled } from "../../kernel/ledger.ts";
import type { Verdict } from "../../kernel/task.ts";
import { reopen, type TestRecord } from "../../kernel/testing/ledger-harness.ts";
import { aBatch, anAdmitted } from "../../kernel/testing/samples.ts";
import { hexOf, withoutSum } from "../../storage/line-sums.ts";
import { checkLedger } from "./check.ts";
import type { Commit } from "./commit-line.ts";
import { type LedgerPaths, ledgerPaths } from "./ledger-files.ts";
import { fileHarness } from "./testing/file-harness.ts";

const SKIP: Verdict = { action: "skip", reason: "denied", rule: "a rule" };
const done = (id: number): Settled<TestRecord> => ({ id, state: "done", verdict: null, record: { text: `${id}` } });
const robots = {
  key: "robots:https://a.example",
  value: JSON.stringify({ kind: "rules", why: "", text: "all", expiresAt: 5_000 }),
};
const linesOf = (path: string): string[] => readFileSync(path, "utf8").split("\n").slice(0, -1);
const write = (path: string, lines: string[]): void => writeFileSync(path, lines.map((line) => `${line}\n`).join(""));

/** The files as they were written before. */
function makeOld({ frontier, refused, robots: robotsPath, commits, seal }: LedgerPaths): void {
  for (const path of [frontier, refused, robotsPath]) {
    write(
      path,
      linesOf(path).map((line) => withoutSum(Buffer.from(line))),
    );
  }
  const old = linesOf(commits).map((line) => {
    const { sums: _, rewrites: __, records, ...rest } = JSON.parse(withoutSum(Buffer.from(line))) as Commit;
    const said = {
      ...rest,
      lines: [0, 0],
      ...(records !== undefined && { records: (records as [number, number])[0] }),
    };
    const text = JSON.stringify(said).slice(0, -1);
    return `${text},"sum":"${hexOf(crc32(text))}"}`;
  });
  write(commits, old);
  rmSync(seal);
}

test("a ledger without sums is opened, loses nothing, and has sums from then on", async (t) => {
  const harness = fileHarness();
  t.after(() => harness.dispose());
  const paths = ledgerPaths(harness.folder);
  const first = await reopen(harness);
  const refused = anAdmitted(4, { lane: "", verdict: SKIP });
  await first.ledger.commit(aBatch({ admitted: [...[1, 2, 3].map((id) => anAdmitted(id)), refused], notes: [robots] }));
  await first.ledger.commit(
    aBatch({
      settled: [done(1)],
      retried: [{ id: 2, attempt: 2, notBefore: 9 }],
      notes: [{ key: "other", value: "x" }],
    }),
  );
  await first.ledger.close();
  const stateOf = async () => {
    const { ledger, known, recovered } = await reopen(harness);
    const tasks = await ledger.take("lane", 0, 9);
    await ledger.close();
    const notes = [...recovered.notes.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    return { known, tasks, notes, open: recovered.open, records: await harness.records() };
  };
  const expected = await stateOf();
  makeOld(paths);
  assert.deepEqual(await checkLedger(paths), [], "verify reads it by the rules of its time");
  assert.deepEqual(await stateOf(), expected);
  assert.deepEqual(await checkLedger(paths), []);
  for (const path of [paths.frontier, paths.refused, paths.robots, paths.commits]) {
    for (const line of linesOf(path)) assert.match(line, /,"sum":"[0-9a-f]{16}"\}$/);
  }
  assert.deepEqual(await stateOf(), expected);
  write(paths.frontier, linesOf(paths.frontier).slice(1));
  await assert.rejects(reopen(harness), { code: "ARCHIVE_DAMAGED" });
});

test("an upgrade that was interrupted starts over: lines may have sums already", async (t) => {
  const harness = fileHarness();
  t.after(() => harness.dispose());
  const paths = ledgerPaths(harness.folder);
  const first = await reopen(harness);
  await first.ledger.commit(aBatch({ admitted: [1, 2, 3].map((id) => anAdmitted(id)) }));
  await first.ledger.close();
  const withSums = readFileSync(paths.frontier);
  makeOld(paths);
  writeFileSync(paths.frontier, withSums);
  const { known, ledger } = await reopen(harness);
  assert.equal(known.length, 3);
  await ledger.commit(aBatch({ settled: [done(1)] }));
  await ledger.close();
  assert.deepEqual(await checkLedger(paths), []);
});
