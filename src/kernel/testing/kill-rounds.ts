/** A ledger whose process is killed with SIGKILL among its commits, again and again, and what must be left each time. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { PER_COMMIT } from "./kill-child.ts";
import { type LedgerHarness, reopen } from "./ledger-harness.ts";
import { seededRandom } from "./random.ts";

export interface KillRounds {
  /** A script that commits without end: `commitWithoutEnd` on a ledger in `place`. */
  script: string;
  place: string;
  harness: Pick<LedgerHarness, "ledger" | "records">;
}

const ROUNDS = 5;
const MOST_COMMITS = 60;

/** Every commit that was called durable is left, and of all that is left each is whole. */
export async function killRounds({ script, place, harness }: KillRounds): Promise<void> {
  const random = seededRandom(7);
  let commits = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const durable = await killAfter(script, place, commits + 1, 1 + Math.floor(random() * MOST_COMMITS));
    const left = await checkLeft(harness);
    assert.ok(left >= durable, `${durable} commits were durable, ${left} are left`);
    commits = left;
  }
}

/** Lets a child commit from `first` on, kills it after `commits` of them, and tells the last it called durable. */
async function killAfter(script: string, place: string, first: number, commits: number): Promise<number> {
  const child = spawn(process.execPath, [script, place, `${first}`], { stdio: ["ignore", "pipe", "inherit"] });
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
async function checkLeft(harness: KillRounds["harness"]): Promise<number> {
  const { ledger, known, recovered } = await reopen(harness);
  const commits = Number(recovered.notes.get("commits")?.value);
  const admitted = commits * PER_COMMIT;
  const isSettled = (id: number) => id <= admitted - PER_COMMIT && id % PER_COMMIT !== 0;
  assert.deepEqual(
    known.map(({ id, state }) => [id, state]),
    Array.from({ length: admitted }, (_, at) => [at + 1, isSettled(at + 1) ? "done" : "open"]),
  );
  assert.equal(recovered.lanes.get("lane")?.spent, commits);
  const tasks = await ledger.take("lane", 0, admitted);
  assert.equal(recovered.open.get("lane"), tasks.length);
  assert.deepEqual(
    tasks.filter((task) => task.attempt > 0).map((task) => task.id),
    Array.from({ length: commits - 1 }, (_, at) => (at + 1) * PER_COMMIT),
  );
  await ledger.close();
  assert.deepEqual(
    (await harness.records()).map(({ id }) => id),
    known.filter(({ id }) => isSettled(id)).map(({ id }) => id),
    "one record for each settled task",
  );
  return commits;
}
