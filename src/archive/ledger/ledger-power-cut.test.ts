/** A power cut at any point: after it the ledger is as after some commit, and never before one that was promised. */
import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { freshLane } from "../../kernel/lane.ts";
import type { Batch, Known, Note, Settled } from "../../kernel/ledger.ts";
import type { Verdict } from "../../kernel/task.ts";
import type { TestRecord } from "../../kernel/testing/ledger-harness.ts";
import { aBatch, anAdmitted, type PlainMeta } from "../../kernel/testing/samples.ts";
import { type FileSystem, realFileSystem } from "../../storage/file-system.ts";
import { addSum } from "../../storage/line-sums.ts";
import { fastFolder } from "../../storage/testing/files.ts";
import { assertCrashSafe } from "../../storage/testing/replay-crashes.ts";
import { encodeRow } from "./frontier-line.ts";
import { ledgerPaths } from "./ledger-files.ts";
import { repairLedger } from "./repair.ts";
import { writeSeal } from "./seal.ts";
import { RECORDS_FILE, TestLedger } from "./testing/file-harness.ts";
import { readRecords } from "./testing/test-record-log.ts";

type Work = Batch<TestRecord, PlainMeta>;

const SKIP: Verdict = { action: "skip", reason: "denied", rule: "a rule" };
const done = (id: number, verdict: Verdict | null = null): Settled<TestRecord> => ({
  id,
  state: "done",
  verdict,
  record: { text: `record ${id}` },
});
const robots = (text: string, origin = "https://a.example"): Note => ({
  key: `robots:${origin}`,
  value: JSON.stringify({ kind: "rules", why: "", text, expiresAt: 5_000 }),
});
const clock = (spent: number) => new Map([["lane", { ...freshLane(), spent }]]);

const COMMITS: Work[] = [
  aBatch({
    admitted: [1, 2, 3, 4].map((id) => anAdmitted(id)),
    settled: [done(1)],
    lanes: clock(1),
    notes: [robots("one"), { key: "other", value: "one" }],
  }),
  // Writes to every file.
  aBatch({
    admitted: [anAdmitted(5, { parent: 2 }), anAdmitted(6, { lane: "", verdict: SKIP }), anAdmitted(7)],
    settled: [done(2), done(3, SKIP), done(7)],
    retried: [{ id: 4, attempt: 2, notBefore: 900 }],
    lanes: clock(2),
    notes: [robots("two"), { key: "other", value: "two" }],
  }),
  // Admits what was refused, and settles without a line in the frontier.
  aBatch({ admitted: [anAdmitted(6, { place: 8 })], settled: [done(4)] }),
];

async function open(folder: string, fs?: FileSystem) {
  const ledger = new TestLedger(folder, () => {}, fs);
  const known: Known[] = [];
  const recovered = await ledger.open((each) => known.push(each));
  return { ledger, known, recovered };
}

/** Everything that can be asked of a ledger, and its records; what `recover` itself notes apart. */
async function stateOf({ ledger, known, recovered }: Awaited<ReturnType<typeof open>>, folder: string) {
  const tasks = await ledger.take("lane", 0, 100);
  const notes = [...recovered.notes.values()].filter(({ key }) => key !== AGAIN);
  return JSON.stringify({
    known,
    tasks,
    notes: notes.sort((a, b) => (a.key < b.key ? -1 : 1)),
    lanes: [...recovered.lanes],
    open: [...recovered.open],
    records: readRecords(join(folder, RECORDS_FILE)),
  });
}

const AGAIN = "again";

/** The states after 0, 1, 2, … commits. */
async function statesAfter(t: TestContext, commits: readonly Work[]): Promise<string[]> {
  const states: string[] = [];
  for (let count = 0; count <= commits.length; count++) {
    const folder = await fastFolder(t);
    const first = await open(folder);
    for (const commit of commits.slice(0, count)) await first.ledger.commit(commit);
    await first.ledger.close();
    const second = await open(folder);
    states.push(await stateOf(second, folder));
    await second.ledger.close();
  }
  return states;
}

/** The record log is not the ledger's own: its file is there already. */
const withRecords = async (folder: string): Promise<void> => writeFileSync(join(folder, RECORDS_FILE), "");

async function assertAtomic(
  t: TestContext,
  commits: readonly Work[],
  options: {
    prepare?: (folder: string) => Promise<void>;
    /** Commits that are there before. */
    before?: number;
    /** Closed, with compaction, and opened again after this commit. */
    closeAfter?: number;
    needless?: Record<string, string>;
  } = {},
) {
  const { prepare = withRecords, before = 0, closeAfter, needless } = options;
  const states = await statesAfter(t, commits);
  return assertCrashSafe<number>(t, {
    prepare,
    needless,
    async work({ folder, fs, promise }) {
      let { ledger } = await open(folder, fs);
      promise(before);
      for (let number = before + 1; number <= commits.length; number++) {
        await ledger.commit(commits[number - 1]!);
        promise(number);
        if (number !== closeAfter) continue;
        await ledger.close();
        ({ ledger } = await open(folder, fs));
      }
      await ledger.close();
    },
    async recover({ folder, fs, promised }) {
      const opened = await open(folder, fs);
      try {
        const at = states.indexOf(await stateOf(opened, folder));
        assert.notEqual(at, -1, "half a commit is there");
        assert.ok(at >= (promised.at(-1) ?? 0), `promised ${promised.at(-1)} commits, found ${at}`);
        // Goes on from here: what was cut off must not come back with the next commit.
        await opened.ledger.commit(aBatch({ notes: [{ key: AGAIN, value: "" }] }));
      } finally {
        await opened.ledger.close();
      }
    },
  });
}

/** The seal, which is written before the first commit, syncs the same folder. */
const NAMES_BY_SEAL = { "sync . (AppendFile.open in append-file.ts)": "the seal makes the names durable" };

test("commits, and the compaction at the end", async (t) => {
  const { states } = await assertAtomic(t, COMMITS, { closeAfter: 2, needless: NAMES_BY_SEAL });
  assert.ok(states > 150, `${states} states`);
});

test("compaction of commits and robots.txt", async (t) => {
  const long = "x".repeat(40_000);
  const commits = [1, 2, 3, 4].map((number) =>
    aBatch<TestRecord>({
      // No file is empty when it is opened again: the folder of one that is would be synced, and with it these names.
      admitted: [anAdmitted(number), anAdmitted(number + 10, { lane: "", verdict: SKIP })],
      settled: number > 1 ? [done(number - 1)] : [],
      notes: [robots(`${number}${long}`), { key: "long", value: `${number}${long}` }],
    }),
  );
  await assertAtomic(t, commits, { closeAfter: 3, needless: NAMES_BY_SEAL });
});

test("what an earlier crash left is cut off for good", async (t) => {
  await assertAtomic(t, [COMMITS[0]!, aBatch({ lanes: clock(3) })], {
    before: 1,
    needless: {
      "sync commits.jsonl (AppendFile.truncate in append-file.ts)": "what lies behind the last commit is cut off again",
      "sync . (replaceFile in durable.ts)": "the seal of a ledger that was not closed is still true",
    },
    async prepare(folder) {
      const { ledger } = await open(folder);
      await ledger.commit(COMMITS[0]!);
      await ledger.close();
      const commit = Number(/.*"commit":(\d+)/s.exec(readFileSync(join(folder, "commits.jsonl"), "utf8"))![1]) + 1;
      await writeSeal(join(folder, "seal.json"), { commit: commit - 1, closed: false });
      const { meta, ...admitted } = anAdmitted(9);
      const row = { ...admitted, ...meta, pageType: "kind 0", referrer: null, discoveredAt: 1, commit };
      appendFileSync(join(folder, "frontier.jsonl"), addSum(encodeRow(row), 0).line);
      appendFileSync(
        join(folder, "refused.jsonl"),
        addSum(encodeRow({ ...row, id: 10, lane: "", verdict: SKIP }), 0).line,
      );
      appendFileSync(join(folder, "fetched_urls.txt"), "https://example.com/unfinished\n");
      appendFileSync(join(folder, "commits.jsonl"), '{"commit":');
      appendFileSync(join(folder, RECORDS_FILE), '{"id":9,"record":{"text":"unfinished"}}\n');
      appendFileSync(join(folder, "robots_cache.jsonl"), robotsLine(commit));
    },
  });
});

const robotsLine = (commit: number): Buffer =>
  addSum(
    JSON.stringify({
      domain: "b.example",
      content: "",
      fetched_at: 1,
      expires_at: 5,
      origin: "https://b.example",
      why: "",
      commit,
    }),
    0,
  ).line;

test("repair: bad lines are set aside before they go, and repairing again does the rest", async (t) => {
  const NOW = 1_700_000_000_000;
  const BAD = ["a bad line of the frontier", "a bad line of refused.jsonl", "a bad line of fetched_urls.txt"];
  const repair = (folder: string, fs: FileSystem) =>
    repairLedger({
      paths: ledgerPaths(folder),
      stateFolder: join(folder, "state"),
      now: NOW,
      records: null,
      // One record is lost as well: its task is open again, and the commits no longer count it.
      reopen: [{ url: COMMITS[0]!.admitted[0]!.key }],
      kindOf: () => 0,
      pageType: (kind) => `kind ${kind}`,
      fs,
    });
  const prepend = (path: string, line: string) => writeFileSync(path, `${line}\n${readFileSync(path, "utf8")}`);
  const prepare = async (folder: string): Promise<void> => {
    const { ledger } = await open(folder);
    for (const commit of COMMITS) await ledger.commit(commit);
    await ledger.close();
    prepend(join(folder, "frontier.jsonl"), BAD[0]!);
    prepend(join(folder, "refused.jsonl"), BAD[1]!);
    prepend(join(folder, "fetched_urls.txt"), BAD[2]!);
  };
  const stateIn = async (folder: string, fs: FileSystem): Promise<string> => {
    const opened = await open(folder, fs);
    try {
      return await stateOf(opened, folder);
    } finally {
      await opened.ledger.close();
    }
  };
  const whole = await fastFolder(t);
  await prepare(whole);
  await repair(whole, realFileSystem);
  const expected = await stateIn(whole, realFileSystem);
  await assertCrashSafe<"repaired">(t, {
    prepare,
    needless: {
      "sync state (makeFolder in durable.ts)": "the file of bad lines, which comes next, syncs the same folder",
    },
    async work({ folder, fs, promise }) {
      await repair(folder, fs);
      promise("repaired");
    },
    async recover({ folder, fs, promised }) {
      if (promised.length === 0) await repair(folder, fs);
      assert.equal(await stateIn(folder, fs), expected);
      const aside = readFileSync(join(folder, `state/damaged-${NOW / 1_000}.txt`), "utf8");
      for (const line of BAD) assert.ok(aside.includes(line), `${line} is lost`);
      for (const [at, name] of ["frontier.jsonl", "refused.jsonl", "fetched_urls.txt"].entries()) {
        const kept = readFileSync(join(folder, `state/damaged-${NOW / 1_000}/${name}`), "utf8");
        assert.ok(kept.startsWith(`${BAD[at]}\n`), "the damaged file was kept");
      }
    },
  });
});
