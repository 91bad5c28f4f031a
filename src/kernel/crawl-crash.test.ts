/** A crawl that crashes at any commit, any number of times, ends as one that never did. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Task } from "./task.ts";
import { FakeClock } from "./testing/fake-clock.ts";
import type { GraphRecord, Visit } from "./testing/graph-product.ts";
import { MemoryLedger } from "./testing/memory-ledger.ts";
import { randomOf, seededRandom } from "./testing/random.ts";
import { decisions, linksOf, randomGraph, type SimulationOptions, simulate, simulation } from "./testing/simulate.ts";

type Row = MemoryLedger<GraphRecord>["rows"][number];

interface Crashed {
  ledger: MemoryLedger<GraphRecord>;
  visits: Visit[];
  crashes: number;
}

/** Crawls, pulls the plug a random number of commits and milliseconds later, and again, until the crawl is complete. */
async function crashing(options: SimulationOptions, seed: number, mayCrash = (_: Row[]) => true): Promise<Crashed> {
  const random = seededRandom(seed);
  const visits: Visit[] = [];
  let now = 1_000_000;
  let ledger = new MemoryLedger<GraphRecord>();
  for (let crashes = 0; ; crashes++) {
    const clock = new FakeClock(now);
    // Each commit takes its time, so that the crash finds some under way.
    ledger = ledger.crash({ delay: () => clock.sleep(random() * 30) });
    const sim = simulation({ ...options, clock, ledger });
    await sim.crawl.start();
    const commits = crashes < 8 ? Math.floor(random() * 12) : Number.POSITIVE_INFINITY;
    await clock.until(() => {
      return (ledger.commits >= commits && mayCrash(ledger.rows)) || sim.crawl.state === "completed";
    });
    if (sim.crawl.state !== "completed") await clock.advance(random() * 40);
    visits.push(...sim.product.visits);
    if (sim.crawl.state === "completed") return { ledger, visits, crashes };
    now = clock.now();
  }
}

const latency = (task: Task) => 1 + randomOf(2, `${task.key} ${task.attempt}`) * 200;

describe("after any crashes", () => {
  it("everything reachable is recorded once, with the ids, depths and verdicts of a crawl that never crashed", async () => {
    const property = fc.asyncProperty(fc.integer(), fc.constantFrom(1, 7, 40), async (seed, parallelism) => {
      const graph = randomGraph(seed, 150);
      const options: SimulationOptions = {
        links: (task) =>
          linksOf(graph)(task).map((key, i) => ({ key, meta: { via: 0, kind: randomOf(i, task.key) < 0.1 ? 1 : 0 } })),
        start: graph.keys.slice(0, 2),
        latency,
        maxTasks: seed % 2 === 0 ? 90 : 0,
        policy: () => ({ concurrency: 40 }),
        limits: { parallelism, commit: { settled: 10, admitted: 200, ms: 50, pending: 2 } },
      };
      const expected = await simulate(options);
      const crashed = await crashing(options, seed);
      assert.ok(crashed.crashes > 0);
      assert.deepEqual(decisions(crashed.ledger), decisions(expected.ledger));
      assert.deepEqual(crashed.ledger.records, expected.ledger.records);
    });
    await fc.assert(property, { numRuns: 25, seed: 11 });
  });

  it("on several lanes, with retries, every reachable page is recorded once", async () => {
    const property = fc.asyncProperty(fc.integer(), async (seed) => {
      const graph = randomGraph(seed, 120, 5);
      const { ledger } = await crashing(
        {
          links: linksOf(graph),
          start: [graph.keys[0]!],
          latency,
          answer: (task) =>
            task.attempt < Math.floor(randomOf(seed, task.key) * 3)
              ? { result: "retry", signal: { kind: "neutral" } }
              : {},
          limits: { commit: { settled: 10, admitted: 200, ms: 50, pending: 2 } },
        },
        seed,
      );
      assert.deepEqual(ledger.records.map(({ record }) => record.key).sort(), [...graph.keys].sort());
      assert.ok(ledger.rows.every((row) => row.state === "done"));
    });
    await fc.assert(property, { numRuns: 25, seed: 12 });
  });

  it("no lane gets requests faster than its rate", async () => {
    const graph = randomGraph(5, 120, 4);
    const interval = (lane: string) => 100 * (1 + Number(lane.slice(4)));
    for (let seed = 0; seed < 15; seed++) {
      const { visits, crashes } = await crashing(
        {
          links: linksOf(graph),
          start: [graph.keys[0]!],
          latency,
          policy: (lane) => ({ intervalMs: interval(lane) }),
          limits: { commit: { settled: 3, admitted: 200, ms: 50, pending: 2 } },
        },
        seed,
        // A lane that the ledger has never heard of has no clock to keep: its first request may be repeated.
        (rows) => new Set(rows.map((row) => row.lane)).size === 4,
      );
      assert.ok(crashes > 0);
      const last = new Map<string, number>();
      for (const { lane, at, key } of visits) {
        const gap = at - (last.get(lane) ?? 0);
        assert.ok(gap >= interval(lane), `${key} came ${gap} ms after the last of its lane, seed ${seed}`);
        last.set(lane, at);
      }
    }
  });

  it("tasks tried before are not tried again before their time", async () => {
    const clock = new FakeClock();
    const options: SimulationOptions = {
      links: () => [],
      start: ["a/1", "a/2"],
      answer: (task) =>
        task.id === 1 && task.attempt === 0 ? { result: "retry", retryAt: 1_600_000, signal: { kind: "neutral" } } : {},
    };
    const first = simulation({ ...options, clock });
    await first.crawl.start();
    await clock.advance(1_000);
    const again = await simulate({ ...options, clock: new FakeClock(clock.now()), ledger: first.ledger.crash() });
    assert.deepEqual(again.product.visits, [{ key: "a/1", lane: "a", at: 1_600_000, attempt: 1 }]);
    assert.equal(again.end.state, "completed");
  });
});
