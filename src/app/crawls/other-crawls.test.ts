import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../kernel/testing/fake-clock.ts";
import { watchOtherCrawls } from "./other-crawls.ts";
import type { CrawlRecord } from "./registry.ts";

const record = (id: number, durationMs = 0, state: CrawlRecord["state"] = "running") =>
  ({ id, projectId: id + 100, durationMs, state }) as CrawlRecord;

/** A registry whose crawls the test changes, and what was told of them in each second. */
function watching() {
  const clock = new FakeClock();
  const told: string[] = [];
  const problems: unknown[] = [];
  const registry = new Map<number, CrawlRecord>([[1, record(1)]]);
  const world = { clock, problems, registry, isBroken: false, own: new Set<number>(), held: new Set<number>() };
  const end = watchOtherCrawls(
    {
      running() {
        if (world.isBroken) throw new Error("the disk is gone");
        return [...registry.values()].filter(({ id, state }) => state === "running" && !world.own.has(id));
      },
      get(id) {
        const found = registry.get(id);
        if (found === undefined) throw new Error("deleted");
        return found;
      },
      isElsewhere: (id) => world.held.has(id) && !world.own.has(id),
      clock,
      onProblem: (error) => problems.push(error),
    },
    ({ type, crawlId, projectId }) => told.push(`${type} ${crawlId} of ${projectId}`),
  );
  const second = async (): Promise<string[]> => {
    await clock.advance(1_000);
    return told.splice(0);
  };
  return { ...world, world, end, second };
}

test("other crawls: begin, progress and end in every way; those already running are not announced as new", async () => {
  const { world, registry, problems, clock, end, second } = watching();
  assert.deepEqual(await second(), []);
  registry.set(1, record(1, 900)).set(2, record(2)).set(3, record(3));
  assert.deepEqual(await second(), ["crawl:progress 1 of 101", "crawl:started 2 of 102", "crawl:started 3 of 103"]);
  world.isBroken = true;
  assert.deepEqual(await second(), []);
  assert.equal(problems.length, 1);
  world.isBroken = false;
  registry
    .set(1, record(1, 1_000, "completed"))
    .set(2, record(2, 1, "paused"))
    .delete(3);
  assert.deepEqual(await second(), ["crawl:completed 1 of 101", "crawl:stopped 2 of 102", "crawl:stopped 3 of 103"]);
  end();
  assert.equal(clock.timers, 0);
});

test("other crawls: a pause is reported as progress, and so is what follows it", async () => {
  const { registry, held, end, second } = watching();
  held.add(1);
  registry.set(1, record(1, 5, "paused"));
  assert.deepEqual(await second(), ["crawl:progress 1 of 101"]);
  assert.deepEqual(await second(), []);
  registry.set(1, record(1, 5));
  assert.deepEqual(await second(), ["crawl:progress 1 of 101"]);
  registry.set(1, record(1, 5, "paused"));
  assert.deepEqual(await second(), ["crawl:progress 1 of 101"]);
  held.delete(1);
  assert.deepEqual(await second(), ["crawl:stopped 1 of 101"]);
  end();
});

test("other crawls: one that this process takes over has not ended", async () => {
  const { own, held, end, second } = watching();
  held.add(1);
  own.add(1);
  assert.deepEqual(await second(), []);
  end();
});
