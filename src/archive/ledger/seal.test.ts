import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { aBatch, anAdmitted } from "../../kernel/testing/samples.ts";
import { fastFolder } from "../../storage/testing/files.ts";
import { readCommitted } from "./committed-lines.ts";
import { ledgerPaths } from "./ledger-files.ts";
import { goodCommits } from "./repaired-commits.ts";
import { OpenSeal, readSeal, sealSince, writeSeal } from "./seal.ts";
import { fileHarness } from "./testing/file-harness.ts";

test("a seal in use says which commit must be there, whatever a power cut did to its later lines", async (t) => {
  const path = join(await fastFolder(t), "seal.json");
  assert.equal(await readSeal(path), "missing");
  const seal = await OpenSeal.open(path, 4);
  assert.deepEqual(await readSeal(path), { commit: 4, closed: false });
  for (const commit of [5, 6, 7]) await seal.advance(commit);
  assert.deepEqual(await readSeal(path), { commit: 7, closed: false });
  const lines = readFileSync(path, "utf8").split(/(?<=\n)/);
  const [first, second, third, last] = lines as [string, string, string, string];
  const zeros = "\0".repeat(third.length);
  for (const [text, commit] of [
    [first + second + third + last.slice(0, 9), 6],
    [first + second + zeros, 5],
    [first + second + zeros + last, 5],
    [`${first}${second}spoilt\n${last}`, 7],
  ] as const) {
    writeFileSync(path, text);
    assert.deepEqual(await readSeal(path), { commit, closed: false });
  }
  for (const text of ["", "\n", last.slice(1), zeros + last, first + third + second]) {
    writeFileSync(path, text);
    assert.equal(await readSeal(path), "damaged", JSON.stringify(text));
  }
  await seal.whenClosed(7);
  await seal.close();
  assert.deepEqual(await readSeal(path), { commit: 7, closed: true });
  appendFileSync(path, last);
  assert.equal(await readSeal(path), "damaged", "nothing follows in a ledger that was closed");
  await writeSeal(path, { commit: 8, closed: false });
  assert.deepEqual(await readSeal(path), { commit: 8, closed: false });
});

test("a seal in use does not grow without end", async (t) => {
  const path = join(await fastFolder(t), "seal.json");
  const seal = await OpenSeal.open(path, 0);
  for (let commit = 1; commit <= 3_000; commit++) await seal.advance(commit);
  assert.ok(readFileSync(path).length < 70_000);
  assert.deepEqual(await readSeal(path), { commit: 3_000, closed: false });
  await seal.close();
});

test("what another process commits while a ledger is read is neither missing nor damage", async (t) => {
  const path = join(await fastFolder(t), "seal.json");
  const seals = [
    [
      { commit: 4, closed: false },
      { commit: 6, closed: true },
      { commit: 4, closed: false },
    ],
    [
      { commit: 4, closed: true },
      { commit: 4, closed: true },
      { commit: 4, closed: true },
    ],
    [
      { commit: 4, closed: true },
      { commit: 4, closed: false },
      { commit: 4, closed: false },
    ],
    [
      { commit: 4, closed: true },
      { commit: 6, closed: true },
      { commit: 4, closed: false },
    ],
    ["missing", { commit: 2, closed: false }, { commit: -1, closed: false }],
  ] as const;
  assert.equal(await sealSince(path, "missing"), "missing");
  assert.equal(await sealSince(path, { commit: 4, closed: true }), "missing");
  for (const [before, now, expected] of seals) {
    await writeSeal(path, now);
    assert.deepEqual(await sealSince(path, before), expected);
  }
});

test("a ledger is read without a complaint while another process opens, uses and closes it", async (t) => {
  const harness = fileHarness();
  t.after(() => harness.dispose());
  const paths = ledgerPaths(harness.folder);
  let isOver = false;
  const use = async (): Promise<void> => {
    for (let id = 1; id <= 100; ) {
      const ledger = harness.ledger();
      await ledger.open(() => {});
      for (const end = id + 20; id < end; id++) await ledger.commit(aBatch({ admitted: [anAdmitted(id)] }));
      await ledger.close();
    }
  };
  const using = use().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await readCommitted(
      paths,
      (file, line, what) => assert.fail(`${file} line ${line} ${what}`),
      () => {},
    );
    const { isEmpty, isEndLost } = await goodCommits(paths);
    assert.ok(isEmpty || !isEndLost);
  }
  await using;
});
