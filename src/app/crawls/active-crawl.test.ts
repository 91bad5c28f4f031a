import assert from "node:assert/strict";
import { test } from "node:test";
import type { CrawlEnd, CrawlState } from "../../kernel/crawl.ts";
import { FakeClock } from "../../kernel/testing/fake-clock.ts";
import { decideEnd } from "../../site/crawl-end.ts";
import type { SiteCrawl } from "../../site/site-crawl.ts";
import { NO_FACTS } from "../../site/store/end-facts.ts";
import { ActiveCrawl } from "./active-crawl.ts";
import type { LiveCounts } from "./live-counts.ts";
import type { CrawlRecord, CrawlUpdate } from "./registry.ts";

/** A crawl that does what the test says, a page each time it is told. */
class FakeSite {
  state: CrawlState = "running";
  crawled = 0;
  errors = 0;
  readonly #ended = Promise.withResolvers<CrawlEnd>();

  get ended(): Promise<CrawlEnd> {
    return this.#ended.promise;
  }

  progress() {
    const { state, crawled, errors } = this;
    return {
      state,
      crawled,
      errors,
      ...{ discovered: crawled, open: 1, recorded: 0, skipped: 0, retries: 0, inFlight: 0 },
    };
  }

  reasons() {
    return new Map([
      ["external", 3],
      ["withdrawn", 0],
      ["nofollow", 5],
    ]);
  }

  async pause() {
    this.state = "paused";
  }

  resume() {
    this.state = "running";
  }

  stop() {
    this.end({ state: "stopped", parked: [], error: null });
    return this.ended;
  }

  end(end: CrawlEnd) {
    this.state = end.state;
    this.#ended.resolve(end);
  }
}

function activeCrawl(over: Partial<CrawlRecord> = {}, beforeSave: () => void = () => {}) {
  const site = new FakeSite();
  const clock = new FakeClock();
  const updates: CrawlUpdate[] = [];
  const record = { id: 7, mode: "site", durationMs: 10_000, ...over } as CrawlRecord;
  let released = 0;
  const active = new ActiveCrawl({
    record,
    site: site as unknown as SiteCrawl,
    counts: {
      get pages() {
        return site.crawled;
      },
      badAnswers: 0,
      statuses: () => [{ value: 200, count: 4 }],
    } as unknown as LiveCounts,
    decide: (end) => ({ ending: decideEnd(end, { ...NO_FACTS, pages: site.crawled }), pages: site.crawled }),
    clock,
    monotonic: () => clock.now(),
    asked: () => null,
    audit: async () => {},
    save: (update) => {
      beforeSave();
      updates.push(update);
    },
    release: () => {
      released++;
      return { ...record, ...updates.at(-1) } as CrawlRecord;
    },
  });
  return { site, clock, updates, active, released: () => released };
}

test("active crawl: is measured once a second, and the registry gets every figure", async () => {
  const { site, clock, updates, active } = activeCrawl();
  let measured = 0;
  active.onMeasured = () => void measured++;
  assert.equal(updates.length, 1, "others see it at once");
  for (let second = 1; second <= 3; second++) {
    site.crawled += 10;
    await clock.advance(1_000);
  }
  assert.equal(measured, 3);
  const { state, durationMs, crawled, progress } = updates.at(-1)!;
  assert.deepEqual([state, durationMs, crawled, progress!.pagesPerSecond], ["running", 13_000, 30, 10]);
  assert.deepEqual(progress!.statuses, [{ value: 200, count: 4 }]);
  assert.deepEqual(progress!.reasons, [
    { value: "nofollow", count: 5 },
    { value: "external", count: 3 },
  ]);
  assert.equal(active.samples.length, 3);
});

test("active crawl: a pause is in neither duration nor speed, and nothing is written meanwhile", async () => {
  const { site, clock, updates, active } = activeCrawl();
  site.crawled = 10;
  await clock.advance(1_000);
  await active.pause();
  const before = updates.length;
  assert.equal(updates.at(-1)!.state, "paused");
  await clock.advance(3_600_000);
  assert.deepEqual([updates.length, active.durationMs, active.progress().pagesPerSecond], [before, 11_000, 0]);
  active.resume();
  assert.equal(updates.at(-1)!.state, "running");
  site.crawled = 20;
  await clock.advance(1_000);
  assert.equal(active.durationMs, 12_000);
  assert.deepEqual(
    active.samples.map(({ pagesPerSecond }) => pagesPerSecond),
    [10, 10],
  );
});

test("active crawl: how it ended is written before the lock goes, and no timer is left", async () => {
  const ends: [CrawlEnd, Partial<FakeSite>, string, string | null][] = [
    [{ state: "completed", parked: [], error: null }, { crawled: 5 }, "completed", null],
    [{ state: "stopped", parked: [], error: null }, { crawled: 5 }, "paused", null],
    [
      { state: "completed", parked: ["a.test"], error: null },
      { crawled: 5 },
      "paused",
      "a.test stopped answering. Resume the crawl when it answers again.",
    ],
    [{ state: "failed", parked: [], error: new Error("disk full") }, {}, "failed", "disk full"],
  ];
  for (const [end, facts, state, message] of ends) {
    const { site, clock, active, released } = activeCrawl();
    Object.assign(site, facts);
    await clock.advance(500);
    assert.equal(released(), 0);
    site.end(end);
    const { record } = await active.ended;
    assert.deepEqual([record.state, record.message, record.durationMs], [state, message, 10_500]);
    assert.deepEqual([released(), clock.timers], [1, 0]);
    await clock.advance(60_000);
    assert.equal(active.durationMs, 10_500, "it stands still");
  }
});

test("active crawl: a registry that cannot be written ends no crawl, and keeps no lock", async () => {
  let isFull = false;
  const { site, clock, active, updates, released } = activeCrawl({}, () => {
    if (isFull) throw new Error("disk is full");
  });
  isFull = true;
  await clock.advance(3_000);
  assert.equal(updates.length, 1);
  isFull = false;
  await clock.advance(1_000);
  assert.equal(updates.length, 2, "it is told again once there is room");
  isFull = true;
  site.end({ state: "completed", parked: [], error: null });
  const { state, error, record } = await active.ended;
  assert.deepEqual([state, (error as Error).message, record.state], ["failed", "disk is full", "running"]);
  assert.equal(released(), 1);
});

test("active crawl: stopping it ends it; leaving it for later keeps it paused", async () => {
  const stopped = activeCrawl();
  await stopped.active.stop();
  assert.deepEqual(
    [(await stopped.active.ended).record.state, stopped.updates.at(-1)!.ending!.cause],
    ["stopped", "stopped"],
  );
  const left = activeCrawl();
  await left.active.leave();
  assert.equal((await left.active.ended).record.state, "paused");
});
