/** A process killed with SIGKILL among its commits, again and again: what is left is the first of them, each whole. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Known } from "../ledger.ts";
import { PER_COMMIT, RECORD_MODULE } from "../testing/kill-child.ts";
import type { TestRecord } from "../testing/ledger-harness.ts";
import { seededRandom } from "../testing/random.ts";
import { readTestRecords } from "../testing/test-records.ts";
import { SqliteLedger } from "./ledger.ts";

const CHILD = fileURLToPath(new URL("../testing/kill-child.ts", import.meta.url));

/** Lets a child commit from `first` on, kills it after `commits` of them, and tells the last it called durable. */
async function killAfter(path: string, first: number, commits: number): Promise<number> {
  const child = spawn(process.execPath, [CHILD, path, `${first}`], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise<NodeJS.Signals | null>((resolve) => child.once("exit", (_, signal) => resolve(signal)));
  let last = first - 1;
  for await (const line of createInterface({ input: child.stdout })) {
    last = Number(line);
    if (last - first + 1 === commits) child.kill("SIGKILL");
  }
  assert.equal(await exited, "SIGKILL");
  return last;
}

/** Opens what is left and checks all of it; tells how many commits it holds. */
async function checkLeft(path: string): Promise<number> {
  const ledger = new SqliteLedger<TestRecord>(path, RECORD_MODULE);
  const known: Known[] = [];
  const { lanes, notes, open } = await ledger.open((each) => known.push(each));
  const commits = Number(notes.get("commits")?.value);
  const admitted = commits * PER_COMMIT;
  const isSettled = (id: number) => id <= admitted - PER_COMMIT && id % PER_COMMIT !== 0;
  assert.equal(known.length, admitted);
  for (const [index, { id, state }] of known.entries()) {
    assert.equal(id, index + 1);
    assert.equal(state, isSettled(id) ? "done" : "open", `task ${id} of ${commits} commits`);
  }
  assert.equal(lanes.get("lane")?.spent, commits);
  const tasks = await ledger.take("lane", 0, admitted);
  assert.equal(open.get("lane"), tasks.length);
  assert.deepEqual(
    tasks.filter((task) => task.attempt > 0).map((task) => task.id),
    Array.from({ length: commits - 1 }, (_, i) => (i + 1) * PER_COMMIT),
  );
  await ledger.close();
  const db = new DatabaseSync(path, { readOnly: true });
  const written = readTestRecords(db).map(({ id }) => id);
  assert.deepEqual(
    db
      .prepare("PRAGMA integrity_check")
      .all()
      .map((row) => ({ ...row })),
    [{ integrity_check: "ok" }],
  );
  db.close();
  assert.deepEqual(
    written,
    known.filter(({ id }) => isSettled(id)).map(({ id }) => id),
    "one record for each settled task",
  );
  return commits;
}

it("kill -9 among commits loses none that was durable and halves none", async () => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-kill-"));
  const path = join(folder, "crawl.db");
  const random = seededRandom(7);
  let commits = 0;
  for (let round = 0; round < 5; round++) {
    const durable = await killAfter(path, commits + 1, 1 + Math.floor(random() * 60));
    const left = await checkLeft(path);
    assert.ok(left >= durable, `${durable} commits were durable, ${left} are left`);
    commits = left;
  }
  rmSync(folder, { recursive: true, force: true });
});
