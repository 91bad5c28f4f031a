import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../kernel/testing/fake-clock.ts";
import { watchOtherCrawls } from "./other-crawls.ts";
import type { CrawlRecord } from "./registry.ts";

const record = (id: number, durationMs = 0, state: CrawlRecord["state"] = "running") =>
  ({ id, projectId: id + 100, durationMs, state }) as CrawlRecord;

test("other crawls: begin, go on, and end in each way; those there from the first are not told as new", async () => {
  const clock = new FakeClock();
  const told: string[] = [];
  const problems: unknown[] = [];
  const registry = new Map<number, CrawlRecord>([[1, record(1)]]);
  let isBroken = false;
  const end = watchOtherCrawls(
    {
      running() {
        if (isBroken) throw new Error("the disk is gone");
        return [...registry.values()].filter(({ state }) => state === "running");
      },
      get(id) {
        const found = registry.get(id);
        if (found === undefined) throw new Error("deleted");
        return found;
      },
      clock,
      onProblem: (error) => problems.push(error),
    },
    ({ type, crawlId, projectId }) => told.push(`${type} ${crawlId} of ${projectId}`),
  );
  const second = async (): Promise<string[]> => {
    await clock.advance(1_000);
    return told.splice(0);
  };
  assert.deepEqual(await second(), []);
  registry.set(1, record(1, 900)).set(2, record(2)).set(3, record(3));
  assert.deepEqual(await second(), ["crawl:progress 1 of 101", "crawl:started 2 of 102", "crawl:started 3 of 103"]);
  isBroken = true;
  assert.deepEqual(await second(), []);
  assert.equal(problems.length, 1);
  isBroken = false;
  registry
    .set(1, record(1, 1_000, "completed"))
    .set(2, record(2, 1, "paused"))
    .delete(3);
  assert.deepEqual(await second(), ["crawl:completed 1 of 101", "crawl:stopped 2 of 102", "crawl:stopped 3 of 103"]);
  end();
  assert.equal(clock.timers, 0);
});
