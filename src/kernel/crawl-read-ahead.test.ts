/** Sources that are slower than the crawl: what lands meanwhile is applied and committed, not kept waiting. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CrawlContext } from "./product.ts";
import type { Found } from "./task.ts";
import { FakeClock } from "./testing/fake-clock.ts";
import { aFound } from "./testing/samples.ts";
import { simulate, simulation } from "./testing/simulate.ts";

const page = (number: number) => [aFound(`a/${number}`)];

/** A page of the source each minute. */
async function* slowly(clock: FakeClock, pages: number): AsyncGenerator<Found[]> {
  for (let number = 1; number <= pages; number++) {
    await clock.sleep(60_000);
    yield page(number);
  }
}

describe("a crawl that reads ahead", () => {
  it("applies outcomes while it waits for its source", async () => {
    const clock = new FakeClock();
    const sim = simulation({ clock, links: () => [], readAhead: true, sources: () => [slowly(clock, 3)] });
    await sim.crawl.start();
    await clock.advance(61_000);
    assert.deepEqual(
      sim.ledger.records.map(({ record }) => record.key),
      ["a/1"],
    );
    assert.equal(sim.crawl.state, "running");
    const end = await clock.settle(sim.crawl.ended);
    assert.equal(end.state, "completed");
    assert.equal(sim.ledger.records.length, 3);
  });

  it("without it they wait: the order of finds must not depend on timing", async () => {
    const clock = new FakeClock();
    const sim = simulation({ clock, links: () => [], sources: () => [slowly(clock, 3)] });
    await sim.crawl.start();
    await clock.advance(61_000);
    assert.equal(sim.ledger.records.length, 0);
    await clock.settle(sim.crawl.ended);
    assert.equal(sim.ledger.records.length, 3);
  });

  it("reads all sources, one after the other, and no further than it has room", async () => {
    let read = 0;
    async function* counted(from: number): AsyncGenerator<Found[]> {
      for (let number = from; number < from + 20; number++) {
        read++;
        yield page(number);
      }
    }
    const clock = new FakeClock();
    const { crawl, ledger } = simulation({
      clock,
      links: () => [],
      readAhead: true,
      latency: () => 1_000,
      limits: { highWater: 5, parallelism: 1 },
      sources: () => [counted(0), counted(100)],
    });
    await crawl.start();
    await clock.advance(500);
    assert.ok(read <= 7, `${read} pages were read`);
    assert.equal((await clock.settle(crawl.ended)).state, "completed");
    assert.equal(ledger.records.length, 40);
  });

  it("stops without waiting for its source, and pauses with a page in hand", async () => {
    const clock = new FakeClock();
    const sim = simulation({ clock, links: () => [], readAhead: true, sources: () => [slowly(clock, 3)] });
    await sim.crawl.start();
    await clock.settle(sim.crawl.pause());
    await clock.advance(90_000);
    assert.equal(sim.product.visits.length, 0);
    sim.crawl.resume();
    await clock.advance(1_000);
    assert.deepEqual(
      sim.product.visits.map(({ key }) => key),
      ["a/1"],
    );
    assert.equal((await clock.settle(sim.crawl.stop())).state, "stopped");
    assert.equal(sim.ledger.records.length, 1);
  });

  it("sends nothing for a source while it is paused", async () => {
    const clock = new FakeClock();
    const sim = simulation({
      clock,
      links: () => [],
      readAhead: true,
      policy: () => ({ intervalMs: 1_000 }),
      sources: () => [turning],
    });
    let granted = 0;
    async function* turning(context: CrawlContext): AsyncGenerator<Found[]> {
      for (let turn = 0; turn < 3; turn++) {
        const { done } = await context.turn("a");
        granted++;
        done({ kind: "ok" });
      }
      yield page(1);
    }
    await sim.crawl.start();
    await clock.advance(100);
    assert.equal(granted, 1);
    await clock.settle(sim.crawl.pause());
    await clock.advance(10_000);
    assert.equal(granted, 1);
    sim.crawl.resume();
    assert.equal((await clock.settle(sim.crawl.ended)).state, "completed");
    assert.equal(granted, 3);
  });

  it("fails with its source", async () => {
    async function* broken(): AsyncGenerator<Found[]> {
      yield page(1);
      throw new Error("no more");
    }
    const { end, ledger } = await simulate({ links: () => [], readAhead: true, sources: () => [broken()] });
    assert.equal(end.state, "failed");
    assert.equal((end.error as Error).message, "no more");
    assert.ok(ledger.closed);
  });

  it("goes on reading when all that is open waits for a lane that was given up", async () => {
    const { end, ledger } = await simulate({
      links: () => [],
      readAhead: true,
      limits: { highWater: 1 },
      policy: () => ({ blockAfter: 1, giveUpAfter: 0 }),
      answer: (task) =>
        task.lane === "dead" ? { result: "retry", signal: { kind: "unreachable" } } : { result: "done" },
      sources: () => [
        (async function* (): AsyncGenerator<Found[]> {
          yield [aFound("dead/1")];
          yield [aFound("a/1")];
        })(),
      ],
    });
    assert.deepEqual(end.parked, ["dead"]);
    assert.deepEqual(
      ledger.records.map(({ record }) => record.key),
      ["a/1"],
    );
  });
});
