/** Damage done by hand: it is named by file and line, and repairing loses the damaged line and nothing else. */
import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { TrawlError } from "../../errors.ts";
import { freshLane } from "../../kernel/lane.ts";
import type { Known, Settled } from "../../kernel/ledger.ts";
import type { Verdict } from "../../kernel/task.ts";
import { reopen, type TestRecord } from "../../kernel/testing/ledger-harness.ts";
import { aBatch, anAdmitted } from "../../kernel/testing/samples.ts";
import { checkLedger, type DamagedLine } from "./check.ts";
import { type LedgerPaths, ledgerPaths } from "./ledger-files.ts";
import { type LedgerRepair, repairLedger } from "./repair.ts";
import { goodCommits } from "./repaired-commits.ts";
import { type FileHarness, fileHarness, RECORDS_FILE } from "./testing/file-harness.ts";

const NOW = 1_700_000_000_000;
const SKIP: Verdict = { action: "skip", reason: "denied", rule: "a rule" };
const keyOf = (id: number): string => `https://a.example/${id}`;
const admit = (id: number) =>
  id % 5 === 0
    ? anAdmitted(id, { key: keyOf(id), lane: "", verdict: SKIP })
    : anAdmitted(id, { key: keyOf(id), lane: "a.example" });
const done = (id: number): Settled<TestRecord> => ({
  id,
  state: id % 2 === 0 ? "done" : "failed",
  verdict: null,
  record: { text: `${id}` },
});
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const stateAt = (id: number) => (id % 5 === 0 ? null : id > 16 ? "open" : id % 2 === 0 ? "done" : "failed");
const ALL = range(1, 24).map((id) => ({ id, key: keyOf(id), state: stateAt(id) }));

/** A ledger at rest: 24 URLs in six commits, of which a fifth is refused and the first sixteen have ended. */
async function filled(): Promise<{ harness: FileHarness; paths: LedgerPaths }> {
  const harness = fileHarness();
  const { ledger } = await reopen(harness);
  for (const first of [1, 5, 9, 13, 17, 21]) {
    const admitted = range(first, first + 3).map(admit);
    const settled = range(first - 4, first - 1).map(done);
    const robots = { kind: "rules", why: "", text: `${first}`, expiresAt: 5_000 };
    const notes = [{ key: `robots:https://${first}.example`, value: JSON.stringify(robots) }];
    const lanes = new Map([["a.example", { ...freshLane(), spent: first }]]);
    await ledger.commit(aBatch({ admitted, settled: first <= 17 ? settled : [], lanes, notes }));
  }
  await ledger.close();
  return { harness, paths: ledgerPaths(harness.folder) };
}

const repair = (paths: LedgerPaths, folder: string, reopen: { url: string }[] = []): Promise<LedgerRepair> =>
  repairLedger({
    paths,
    stateFolder: folder,
    now: NOW,
    records: null,
    reopen,
    kindOf: () => 3,
    pageType: (kind) => `kind ${kind}`,
  });

const NOTHING: LedgerRepair = {
  damaged: [],
  damagedFile: null,
  kept: [],
  reopened: 0,
  restored: 0,
  mayLackUrls: false,
};

const told = (known: Known[]) => known.map(({ id, key, state }) => ({ id, key, state }));
const placesOf = (damaged: DamagedLine[]): string[] => damaged.map(({ file, line }) => `${file} ${line}`);
const linesOf = (path: string): string[] => readFileSync(path, "utf8").split("\n").slice(0, -1);
const write = (path: string, lines: string[]): void => writeFileSync(path, lines.map((line) => `${line}\n`).join(""));

/** Changes one line (from 1), or takes it out. */
function change(path: string, number: number, to: (line: string) => string | null): void {
  const lines = linesOf(path);
  const changed = to(lines[number - 1]!);
  lines.splice(number - 1, 1, ...(changed === null ? [] : [changed]));
  write(path, lines);
}

const saysDamaged = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof TrawlError);
  assert.equal(error.code, "ARCHIVE_DAMAGED");
  assert.match(error.message, message);
  assert.match(error.hint, /verify --repair/);
  return true;
};

async function using(use: (harness: FileHarness, paths: LedgerPaths) => Promise<void>): Promise<void> {
  const { harness, paths } = await filled();
  try {
    await use(harness, paths);
  } finally {
    await harness.dispose();
  }
}

it("a ledger that is whole stays as it is", () =>
  using(async (harness, paths) => {
    assert.deepEqual(await checkLedger(paths), []);
    assert.deepEqual(await repair(paths, harness.folder), NOTHING);
    const { known, recovered } = await reopen(harness);
    assert.deepEqual(told(known), ALL);
    assert.deepEqual(recovered.open, new Map([["a.example", 7]]));
    assert.equal(recovered.lanes.get("a.example")?.spent, 21);
    assert.equal(recovered.notes.size, 6);
  }));

const GARBLE = (line: string) => `${line.slice(0, 12)}#!${line.slice(12)}`.replace('":', "");

it("a changed line of any file is named, set aside, and nothing else is lost", async () => {
  const cases: [keyof LedgerPaths, number, (number: number) => number[]][] = [
    // The URL whose line it was is lost; of robots.txt only the answer, of a commit nothing that matters.
    ["frontier", 3, () => [19]],
    ["refused", 2, () => [10]],
    ["fetched", 6, () => [7]],
    ["robots", 2, () => []],
    ["commits", 4, () => []],
  ];
  for (const [name, number, lost] of cases) {
    await using(async (harness, paths) => {
      const before = linesOf(paths[name])[number - 1]!;
      change(paths[name], number, GARBLE);
      const file = paths[name].split("/").at(-1)!;
      const where =
        name === "commits" ? /fetched_urls\.txt|commits\.jsonl line 4/ : new RegExp(`${file} line ${number} `);
      const found = await checkLedger(paths);
      assert.ok(
        found.some((each) => each.file === file && each.line === number),
        `${name}: ${JSON.stringify(found)}`,
      );
      await assert.rejects(reopen(harness), saysDamaged(where));
      const { damaged, damagedFile, kept } = await repair(paths, harness.folder);
      assert.ok(damaged.some((each) => each.file === file && each.line === number));
      assert.ok(kept.includes(join(harness.folder, "damaged-1700000000", file)));
      assert.equal(damagedFile, join(harness.folder, "damaged-1700000000.txt"));
      assert.equal(readFileSync(damagedFile!, "utf8"), `${GARBLE(before)}\n`);
      const { known } = await reopen(harness);
      const keys = ALL.filter(({ id }) => !lost(id).includes(id)).map(({ key }) => key);
      assert.deepEqual(known.map(({ key }) => key).sort(), [...keys].sort(), name);
      assert.equal(new Set(known.map(({ id }) => id)).size, known.length);
    });
  }
});

it("URLs whose commit is lost go on counting as fetched", () =>
  using(async (harness, paths) => {
    change(paths.commits, 3, () => null);
    await assert.rejects(reopen(harness), saysDamaged(/commits\.jsonl line 3 does not follow the line before it/));
    await repair(paths, harness.folder);
    const { known } = await reopen(harness);
    assert.deepEqual(
      ALL.map(({ key }) => [key, known.find((each) => each.key === key)?.state === "open"]),
      ALL.map(({ key, state }) => [key, state === "open"]),
    );
  }));

it("without any commits nothing is discarded unasked, and everything is found again", () =>
  using(async (harness, paths) => {
    rmSync(paths.commits);
    assert.deepEqual(placesOf(await checkLedger(paths)), ["commits.jsonl 1", "commits.jsonl 1"]);
    await assert.rejects(reopen(harness), saysDamaged(/commits\.jsonl line 1 is missing/));
    await repair(paths, harness.folder);
    const { known } = await reopen(harness);
    const states = new Map(known.map(({ key, state }) => [key, state]));
    for (const { key, state } of ALL) assert.equal(states.get(key), state === "failed" ? "done" : state);
  }));

it("lines cut off at the end of a file are missed", async () => {
  for (const name of ["frontier", "fetched"] as const) {
    await using(async (harness) => {
      const { ledger } = await reopen(harness);
      await ledger.commit(aBatch({ admitted: [admit(26), admit(27)], settled: [done(17)] }));
      await harness.crash();
      const moved = ledgerPaths(harness.folder);
      const lines = linesOf(moved[name]);
      write(moved[name], lines.slice(0, -1));
      const file = moved[name].split("/").at(-1)!;
      assert.deepEqual(placesOf(await checkLedger(moved)), [`${file} ${name === "frontier" ? 9 : 14}`]);
      await assert.rejects(
        reopen(harness),
        saysDamaged(/(frontier\.jsonl line 9|fetched_urls\.txt line 14) is missing/),
      );
      await repair(moved, harness.folder);
      const { known } = await reopen(harness);
      assert.equal(known.length, name === "frontier" ? 25 : 26);
    });
  }
});

it("lines taken out, put in or changed in fetched_urls.txt cost those lines and no others", async () => {
  const edit = fc.record({ do: fc.constantFrom("cut", "garble", "add"), at: fc.nat({ max: 20 }) });
  const property = fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) =>
    using(async (harness, paths) => {
      const lines = linesOf(paths.fetched);
      const original = new Set(lines);
      for (const [number, { do: action, at }] of edits.entries()) {
        const place = at % Math.max(lines.length, 1);
        if (action === "add") lines.splice(place, 0, `not a URL ${number}`);
        else lines.splice(place, 1, ...(action === "garble" ? [`spoilt ${number}`] : []));
      }
      write(paths.fetched, lines);
      await repair(paths, harness.folder);
      const { known, ledger } = await reopen(harness);
      await ledger.close();
      const left = lines.filter((line) => original.has(line));
      assert.deepEqual(linesOf(paths.fetched), left);
      const keys = new Set(left);
      const expected = ALL.filter(({ key, state }) => (state !== "done" && state !== "failed") || keys.has(key));
      assert.deepEqual(told(known), expected);
    }),
  );
  await fc.assert(property, { numRuns: 20, seed: 11 });
});

it("a page whose record is lost is open again, in its old place", () =>
  using(async (harness, paths) => {
    const { reopened } = await repair(paths, harness.folder, [{ url: keyOf(4) }, { url: "https://a.example/unknown" }]);
    assert.equal(reopened, 1);
    const { known, ledger } = await reopen(harness);
    assert.deepEqual(
      told(known),
      ALL.map((each) => (each.id === 4 ? { ...each, state: "open" } : each)),
    );
    const [task] = await ledger.take("a.example", 0, 1);
    assert.equal(task!.key, keyOf(4));
    assert.equal(task!.meta.kind, 3);
    assert.ok(!linesOf(paths.fetched).includes(keyOf(4)));
    await ledger.commit(aBatch({ settled: [done(4)] }));
    await ledger.close();
    assert.ok(linesOf(paths.fetched).includes(keyOf(4)));
  }));

it("the length of the records that count is known before anything is repaired", () =>
  using(async (harness, paths) => {
    const length = statSync(join(harness.folder, RECORDS_FILE)).size;
    const said = async () => (await goodCommits(paths)).records;
    assert.deepEqual(await said(), [length, crc32(readFileSync(join(harness.folder, RECORDS_FILE)))]);
    appendFileSync(paths.commits, "torn");
    assert.equal(((await said()) as [number, number])[0], length);
    rmSync(paths.commits);
    assert.equal(await said(), null);
  }));

it("creates what is missing", async () => {
  const harness = fileHarness();
  const folder = join(harness.folder, "new");
  mkdirSync(folder);
  await repair(ledgerPaths(folder), folder);
  assert.ok(existsSync(ledgerPaths(folder).frontier));
  await harness.dispose();
});
