/** Lines are found where they begin, near or far, short or long. */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import fc from "fast-check";
import { freshLane } from "../../kernel/lane.ts";
import type { Settled } from "../../kernel/ledger.ts";
import { reopen, type TestRecord } from "../../kernel/testing/ledger-harness.ts";
import { aBatch, anAdmitted } from "../../kernel/testing/samples.ts";
import { AppendFile } from "../../storage/append-file.ts";
import { ledgerPaths, linesAt } from "./ledger-files.ts";
import { type FileHarness, fileHarness } from "./testing/file-harness.ts";

it("gives any lines of a file, in the order asked for", async () => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-lines-"));
  const file = await AppendFile.open(join(folder, "lines"));
  const lines = Array.from({ length: 400 }, (_, at) => `${at}:${"x".repeat(at % 50 === 0 ? at * 100 : at % 90)}`);
  const offsets: number[] = [];
  let length = 0;
  for (const line of lines) {
    offsets.push(length);
    length += line.length + 1;
  }
  await file.append(Buffer.from(`${lines.join("\n")}\n`));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: lines.length - 1 }), { maxLength: 60 }), async (wanted) => {
      const found = await linesAt(
        file,
        wanted.map((at) => offsets[at]!),
      );
      assert.deepEqual(
        found.map((each) => each.toString()),
        wanted.map((at) => lines[at]),
      );
    }),
  );
  await file.close();
  rmSync(folder, { recursive: true });
});

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const long = (id: number) => anAdmitted(id, { key: `https://a.example/${id}/${"x".repeat(1_000)}` });
const done = (id: number): Settled<TestRecord> => ({ id, state: "done", verdict: null, record: null });
const linesOf = (path: string): string[] => readFileSync(path, "utf8").split("\n").slice(0, -1);

async function using(use: (harness: FileHarness) => Promise<void>): Promise<void> {
  const harness = fileHarness();
  try {
    await use(harness);
  } finally {
    await harness.dispose();
  }
}

it("a frontier that is mostly dead is rewritten while the crawl runs, and goes on being right", () =>
  using(async (harness) => {
    const { ledger } = await reopen(harness);
    const { frontier } = ledgerPaths(harness.folder);
    await ledger.commit(aBatch({ admitted: range(1, 2_000).map(long) }));
    await ledger.commit(
      aBatch({ settled: range(1, 900).map(done), retried: [{ id: 1_500, attempt: 1, notBefore: 9 }] }),
    );
    assert.equal(linesOf(frontier).length, 2_000, "most of it is still needed");
    await ledger.commit(aBatch({ settled: range(901, 1_400).map(done) }));
    assert.equal(linesOf(frontier).length, 600);
    await ledger.commit(aBatch({ admitted: [long(2_001)] }));
    const tasks = await ledger.take("lane", 0, 2_000);
    assert.deepEqual(
      tasks.map(({ id, key, attempt }) => ({ id, key, attempt })),
      range(1_401, 2_001).map((id) => ({ id, key: long(id).key, attempt: id === 1_500 ? 1 : 0 })),
    );
    await harness.crash();
    const again = await reopen(harness);
    assert.deepEqual(await again.ledger.take("lane", 0, 2_000), tasks);
    assert.deepEqual(
      again.known.map(({ id }) => id),
      range(1, 2_001),
    );
  }));

it("at the end the frontier holds what waits, and nothing else", () =>
  using(async (harness) => {
    const { ledger } = await reopen(harness);
    await ledger.commit(aBatch({ admitted: range(1, 5).map(long) }));
    await ledger.commit(aBatch({ settled: [done(2), done(5)] }));
    await ledger.close();
    const { frontier, fetched } = ledgerPaths(harness.folder);
    assert.deepEqual(
      linesOf(frontier).map((line) => JSON.parse(line).id),
      [1, 3, 4],
    );
    assert.deepEqual(linesOf(fetched), [long(2).key, long(5).key]);
  }));

it("commits and robots.txt do not grow without bound", () =>
  using(async (harness) => {
    const first = await reopen(harness);
    const { commits, robots } = ledgerPaths(harness.folder);
    const note = (number: number) => ({
      key: "robots:https://a.example",
      value: JSON.stringify({ kind: "rules", why: `${number}`, text: "x".repeat(200_000), expiresAt: 1 }),
    });
    await first.ledger.commit(aBatch({ admitted: [long(1), long(2), long(3)], settled: [done(1)] }));
    for (const number of range(1, 20)) {
      await first.ledger.commit(
        aBatch<TestRecord>({
          lanes: new Map([["lane", { ...freshLane(), spent: number }]]),
          notes: [note(number), { key: "plain", value: `${number}${"y".repeat(100_000)}` }],
          retried: [{ id: 3, attempt: number, notBefore: number }],
        }),
      );
    }
    assert.ok(statSync(commits).size < 1_300_000);
    assert.ok(statSync(robots).size < 1_600_000);
    await harness.crash();
    const { ledger, recovered, known } = await reopen(harness);
    assert.equal(recovered.notes.get("robots:https://a.example")?.value, note(20).value);
    assert.match(recovered.notes.get("plain")!.value, /^20y/);
    assert.equal(recovered.lanes.get("lane")?.spent, 20);
    assert.deepEqual(
      known.map(({ state }) => state),
      ["done", "open", "open"],
    );
    assert.equal((await ledger.take("lane", 0, 9))[1]!.attempt, 20);
    await ledger.close();
  }));

it("an unfinished copy that a crash left is removed", () =>
  using(async (harness) => {
    const leftover = join(harness.folder, "frontier.jsonl.4711.tmp");
    writeFileSync(leftover, "half");
    await (await reopen(harness)).ledger.close();
    assert.equal(existsSync(leftover), false);
  }));
