import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fastFolder } from "../../storage/testing/files.ts";
import { OpenSeal, readSeal, writeSeal } from "./seal.ts";

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
