/** Pause, resume, stop and failure: nothing is sent after, nothing is lost, nobody is left waiting. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { Found, Task } from "./task.ts";
import { drain } from "./testing/fake-clock.ts";
import type { GraphRecord } from "./testing/graph-product.ts";
import { MemoryLedger } from "./testing/memory-ledger.ts";
import { randomOf } from "./testing/random.ts";
import { aFound } from "./testing/samples.ts";
import { decisions, linksOf, randomGraph, type Simulation, simulate, simulation } from "./testing/simulate.ts";

const graph = randomGraph(8, 400);
const links = linksOf(graph);
const start = [graph.keys[0]!];
const latency = (task: Task) => 1 + randomOf(2, task.key) * 300;
const plain = { links, start, latency, policy: () => ({ concurrency: 50 }) };

const unhandled: unknown[] = [];
const onUnhandled = (error: unknown) => void unhandled.push(error);
beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", onUnhandled);
});
afterEach(async () => {
  await drain();
  process.off("unhandledRejection", onUnhandled);
  assert.deepEqual(unhandled, []);
});

const underWay = async (options: Parameters<typeof simulation>[0], visits = 60): Promise<Simulation> => {
  const sim = simulation(options);
  await sim.crawl.start();
  await sim.clock.until(() => sim.product.visits.length >= visits);
  return sim;
};

/** Everything a crawl holds on to must be gone. */
function assertReleased(sim: Simulation): void {
  assert.equal(sim.clock.timers, 0, "no timer is left");
  assert.equal(sim.product.closed, true);
  assert.equal(sim.product.flying, 0);
  assert.equal(sim.ledger.closed, true);
}

describe("pause", () => {
  it("before the start sends nothing until it is resumed", async () => {
    const sim = simulation(plain);
    const paused = sim.crawl.pause();
    await sim.crawl.start();
    await sim.clock.settle(paused);
    assert.deepEqual([sim.crawl.state, sim.product.visits.length], ["paused", 0]);
    sim.crawl.resume();
    assert.equal((await sim.clock.settle(sim.crawl.ended)).state, "completed");
    assert.ok(sim.product.visits.length > 0);
  });

  it("that is withdrawn before the start is forgotten", async () => {
    const sim = simulation(plain);
    const paused = sim.crawl.pause();
    sim.crawl.resume();
    await paused;
    await sim.crawl.start();
    assert.equal((await sim.clock.settle(sim.crawl.ended)).state, "completed");
  });

  it("takes nothing more, lets requests in flight end, and resolves when everything is durable", async () => {
    const sim = await underWay(plain);
    const paused = sim.crawl.pause();
    const visits = sim.product.visits.length;
    await sim.clock.settle(paused);
    assert.equal(sim.crawl.state, "paused");
    assert.equal(sim.crawl.inFlight, 0);
    assert.equal(sim.product.visits.length, visits);
    assert.equal(sim.ledger.records.length, visits, "every flight landed in the ledger");
    await sim.clock.advance(1_000_000);
    assert.equal(sim.product.visits.length, visits);
    sim.crawl.resume();
    const end = await sim.clock.settle(sim.crawl.ended);
    assert.equal(end.state, "completed");
    assert.equal(sim.ledger.records.length, graph.keys.length);
    assertReleased(sim);
  });

  it("changes nothing of what is found", async () => {
    const { ledger } = await simulate(plain);
    const sim = await underWay(plain);
    for (let i = 0; i < 5; i++) {
      await sim.clock.settle(sim.crawl.pause());
      sim.crawl.resume();
      await sim.clock.advance(100 * i);
    }
    await sim.clock.settle(sim.crawl.ended);
    assert.deepEqual(decisions(sim.ledger), decisions(ledger));
  });

  it("may be taken back before it came about", async () => {
    const sim = await underWay(plain);
    const paused = sim.crawl.pause();
    sim.crawl.resume();
    await paused;
    const end = await sim.clock.settle(sim.crawl.ended);
    assert.equal(end.state, "completed");
  });

  it("resolves for every caller, also for a second call and after the end", async () => {
    const sim = await underWay(plain);
    await sim.clock.settle(Promise.all([sim.crawl.pause(), sim.crawl.pause()]));
    await sim.crawl.pause();
    sim.crawl.resume();
    await sim.clock.settle(sim.crawl.ended);
    await sim.crawl.pause();
    sim.crawl.resume();
    assert.equal(sim.crawl.state, "completed");
  });

  it("of a crawl that has nothing left to do ends when it is resumed", async () => {
    const sim = simulation({ links: () => [], start: ["a/1"], latency: () => 100 });
    await sim.crawl.start();
    await sim.clock.until(() => sim.product.visits.length === 1);
    await sim.clock.settle(sim.crawl.pause());
    sim.crawl.resume();
    const end = await sim.clock.settle(sim.crawl.ended);
    assert.equal(end.state, "completed");
  });

  it("resolves when the crawl is stopped instead", async () => {
    const sim = await underWay(plain);
    const paused = sim.crawl.pause();
    await sim.clock.settle(sim.crawl.stop());
    await sim.clock.settle(paused);
    assertReleased(sim);
  });
});

describe("stop", () => {
  it("aborts flights, sends nothing more, and keeps everything resumable", async () => {
    const expected = await simulate(plain);
    const sim = await underWay({ ...plain, limits: { parallelism: 50 } });
    assert.ok(sim.product.flying > 10);
    const end = await sim.clock.settle(sim.crawl.stop());
    assert.deepEqual(end, { state: "stopped", parked: [], error: null });
    assertReleased(sim);
    const visits = sim.product.visits.length;
    await sim.clock.advance(1_000_000);
    assert.equal(sim.product.visits.length, visits, "no request follows");
    const again = await simulate({ ...plain, ledger: sim.ledger.crash(), clock: sim.clock });
    assert.equal(again.end.state, "completed");
    assert.deepEqual(decisions(again.ledger), decisions(expected.ledger), "as if it had never been stopped");
    assert.deepEqual(
      again.ledger.records.map(({ id }) => id).sort((a, b) => a - b),
      expected.ledger.records.map(({ id }) => id).sort((a, b) => a - b),
    );
  });

  it("at any moment keeps everything resumable", async () => {
    const expected = await simulate(plain);
    for (const ms of [0, 1, 10, 50, 51, 100, 333, 700, 1_500]) {
      let sim = simulation(plain);
      await sim.crawl.start();
      await sim.clock.advance(ms);
      await sim.clock.settle(sim.crawl.stop());
      assertReleased(sim);
      sim = await simulate({ ...plain, ledger: sim.ledger.crash() });
      assert.deepEqual(decisions(sim.ledger), decisions(expected.ledger), `stopped after ${ms} ms`);
    }
  });

  it("stops a crawl that is paused", async () => {
    const sim = await underWay(plain);
    await sim.clock.settle(sim.crawl.pause());
    const end = await sim.clock.settle(sim.crawl.stop());
    assert.equal(end.state, "stopped");
    assertReleased(sim);
  });

  it("stops a crawl that waits for the disk", async () => {
    const sim = simulation({ ...plain, limits: { commit: { settled: 5, admitted: 50, ms: 5, pending: 1 } } });
    const slow = new MemoryLedger<GraphRecord>({ delay: () => sim.clock.sleep(5_000) });
    const waiting = await underWay({ ...plain, ledger: slow, clock: sim.clock }, 20);
    await waiting.clock.settle(waiting.crawl.stop());
    assertReleased(waiting);
  });

  it("refuses waiting turns and later ones", async () => {
    const refused: string[] = [];
    const sim = simulation({
      ...plain,
      policy: () => ({ intervalMs: 60_000 }),
      prepare: async (_, context) => {
        await context.turn("slow").catch(() => refused.push("first"));
        await context.turn("slow").catch(() => refused.push("second"));
        await context.pace("slow").catch(() => refused.push("pace"));
      },
    });
    await sim.crawl.start();
    await sim.clock.until(() => sim.product.visits.length === 1);
    await sim.clock.advance(2_000);
    await sim.clock.settle(sim.crawl.stop());
    assert.deepEqual(refused, ["second", "pace"]);
    assertReleased(sim);
  });

  it("does not wait for a source that gives nothing", async () => {
    let returned = false;
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<IteratorResult<Found[]>>(() => {}),
        return: async () => {
          returned = true;
          return { done: true as const, value: undefined };
        },
      }),
    };
    const sim = simulation({ ...plain, sources: () => [source] });
    await sim.crawl.start();
    await drain();
    const end = await sim.clock.settle(sim.crawl.stop());
    assert.equal(end.state, "stopped");
    assert.equal(returned, true, "the source may let go of its files");
    assertReleased(sim);
  });

  it("before the start ends the crawl", async () => {
    const sim = simulation(plain);
    const end = await sim.clock.settle(sim.crawl.stop());
    assert.equal(end.state, "stopped");
    assertReleased(sim);
  });

  it("while the ledger is being read back ends the crawl without a request", async () => {
    const sim = simulation(plain);
    const starting = sim.crawl.start();
    const stopped = sim.crawl.stop();
    await starting;
    const end = await sim.clock.settle(stopped);
    assert.equal(end.state, "stopped");
    assert.deepEqual(sim.product.visits, []);
    assertReleased(sim);
  });

  it("twice, or after the end, tells the same end", async () => {
    const sim = await underWay(plain);
    const [first, second] = await sim.clock.settle(Promise.all([sim.crawl.stop(), sim.crawl.stop()]));
    assert.equal(first, second);
    assert.equal(await sim.crawl.stop(), first);
  });

  it("is not undone by flights that land late", async () => {
    // A product that closes although its flights are in the air; they land, with a retry, after the last commit.
    const ledger = new MemoryLedger<GraphRecord>();
    const sim = simulation({
      ...plain,
      ledger,
      isDeaf: true,
      latency: () => 1_000,
      answer: () => ({ result: "retry", signal: { kind: "neutral" } }),
    });
    const close = ledger.close.bind(ledger);
    ledger.close = async () => {
      await close();
      await sim.clock.sleep(2_000);
    };
    await sim.crawl.start();
    await sim.clock.until(() => sim.product.visits.length === 1);
    const end = await sim.clock.settle(sim.crawl.stop());
    assert.equal(sim.product.flying, 0);
    await sim.clock.advance(10_000);
    assert.deepEqual(end, { state: "stopped", parked: [], error: null });
    assert.equal(sim.product.visits.length, 1);
    assert.equal(sim.crawl.inFlight, 0);
    assertReleased(sim);
  });
});

describe("a crawl fails", () => {
  const assertFailed = async (sim: Simulation, message: RegExp): Promise<void> => {
    const end = await sim.clock.settle(sim.crawl.ended);
    assert.equal(end.state, "failed");
    assert.match(`${(end.error as Error).message}`, message);
    assert.equal(sim.crawl.state, "failed");
    await drain();
    assertReleased(sim);
  };

  it("when a commit fails, and what was committed can be resumed", async () => {
    const expected = await simulate(plain);
    const onCommit = (number: number) => {
      if (number === 5) throw new Error("disk full");
    };
    const sim = simulation({ ...plain, ledger: new MemoryLedger<GraphRecord>({ onCommit }) });
    await sim.crawl.start();
    await assertFailed(sim, /disk full/);
    assert.equal(sim.ledger.commits, 4);
    const again = await simulate({ ...plain, ledger: sim.ledger.crash({}) });
    assert.deepEqual(decisions(again.ledger), decisions(expected.ledger));
  });

  it("when the last commit fails", async () => {
    const onCommit = (_: number, batch: { settled: unknown[] }) => {
      if (batch.settled.length > 0) throw new Error("disk full");
    };
    const sim = simulation({ links: () => [], start: ["a/1"], ledger: new MemoryLedger<GraphRecord>({ onCommit }) });
    await sim.crawl.start();
    await assertFailed(sim, /disk full/);
  });

  it("when a commit fails while it pauses", async () => {
    const sim = simulation({
      ...plain,
      ledger: new MemoryLedger<GraphRecord>({
        onCommit: (number) => {
          if (number === 3) throw new Error("disk full");
        },
      }),
      limits: { commit: { settled: 10_000, admitted: 10_000, ms: 20, pending: 2 } },
    });
    await sim.crawl.start();
    await sim.clock.until(() => sim.ledger.commits === 2);
    const paused = sim.crawl.pause();
    await assertFailed(sim, /disk full/);
    await paused;
  });

  it("when a source does", async () => {
    async function* source(): AsyncGenerator<Found[]> {
      yield [aFound("a/1")];
      throw new Error("no such file");
    }
    const sim = simulation({ ...plain, sources: () => [source()] });
    await sim.crawl.start();
    await assertFailed(sim, /no such file/);
  });

  it("when a product breaks its word: perform rejects", async () => {
    const onPerform = (task: Task) => {
      if (task.id === 20) throw new Error("a bug");
    };
    const sim = simulation({ ...plain, onPerform });
    await sim.crawl.start();
    await assertFailed(sim, /a bug/);
  });

  it("when a product breaks its word: settle throws", async () => {
    const sim = simulation({
      ...plain,
      links: (task) => {
        if (task.id === 20) throw new Error("a bug");
        return links(task);
      },
    });
    await sim.crawl.start();
    await assertFailed(sim, /a bug/);
  });

  it("when a product breaks its word: close rejects", async () => {
    const sim = simulation({
      links: () => [],
      start: ["a/1"],
      onClose: async () => {
        throw new Error("a bug");
      },
    });
    await sim.crawl.start();
    const end = await sim.clock.settle(sim.crawl.ended);
    assert.equal(end.state, "failed");
    assert.equal(sim.ledger.closed, true);
    assert.equal(sim.ledger.records.length, 1, "what was fetched is kept");
  });

  it("when the ledger cannot be opened: start rejects, and all is let go of", async () => {
    const ledger = new MemoryLedger<GraphRecord>();
    ledger.open = async () => {
      throw new Error("too new");
    };
    const sim = simulation({ ...plain, ledger });
    await assert.rejects(sim.crawl.start(), /too new/);
    await assertFailed(sim, /too new/);
  });

  it("when the ledger cannot be asked", async () => {
    const wide = { ...plain, links: () => Array.from({ length: 2_000 }, (_, i) => `lane0/w${i}`) };
    const ledger = new MemoryLedger<GraphRecord>();
    ledger.take = async () => {
      throw new Error("disk gone");
    };
    const sim = simulation({ ...wide, ledger });
    await sim.crawl.start();
    await assertFailed(sim, /disk gone/);
  });
});
