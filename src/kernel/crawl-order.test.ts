/** What a crawl finds does not depend on how many requests are under way, nor on how long each takes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Task } from "./task.ts";
import { randomOf } from "./testing/random.ts";
import { aFound } from "./testing/samples.ts";
import { decisions, linksOf, randomGraph, type SimulationOptions, simulate, simulation } from "./testing/simulate.ts";

const latencyOf =
  (seed: number, longest = 500) =>
  (task: Task): number =>
    1 + Math.floor(randomOf(seed, `${task.key} ${task.attempt}`) * longest);

/** Crawls the same at 1, 10 and 50 requests at once and with other latencies, and compares all that was decided. */
async function sameAtAnyParallelism(options: SimulationOptions, seeds = [1, 2]): Promise<void> {
  const policy = (lane: string) => ({ concurrency: 50, ...options.policy?.(lane) });
  const run = async (parallelism: number, seed: number) => {
    const { ledger, end, product } = await simulate({
      latency: latencyOf(seed),
      ...options,
      policy,
      limits: { parallelism, ...options.limits },
    });
    assert.equal(end.state, "completed");
    return { decisions: decisions(ledger), records: ledger.records, applied: product.applied };
  };
  const expected = await run(1, 0);
  assert.ok(expected.decisions.length > 50);
  for (const parallelism of [10, 50]) {
    for (const seed of seeds) {
      const found = await run(parallelism, seed);
      assert.deepEqual(found.applied, expected.applied, `the order of application at ${parallelism}, seed ${seed}`);
      assert.deepEqual(found.decisions, expected.decisions, `decisions at ${parallelism}, seed ${seed}`);
      assert.deepEqual(found.records, expected.records, `records at ${parallelism}, seed ${seed}`);
    }
  }
}

describe("one slow page", () => {
  const limits = { parallelism: 8, starvedPatienceMs: 500 };
  const latency = ({ key }: Task): number => (key === "lane/slow" ? 8_000 : 50);
  const policy = () => ({ concurrency: 8 });

  it("does not hold up pages that only others lead to", async () => {
    // Each page leads to one other, so nothing can be sent while outcomes wait.
    const links = ({ key }: Task) => {
      if (key === "lane/start") return ["lane/slow", "lane/1"];
      const number = Number(key.slice(5));
      return number > 0 && number < 60 ? [`lane/${number + 1}`] : [];
    };
    const { product, end } = await simulate({ links, start: ["lane/start"], limits, latency, policy });
    assert.equal(end.state, "completed");
    assert.equal(product.applied.at(-1), "lane/slow", "it was passed by all others, which needed three seconds");
    const patient = await simulate({ links, start: ["lane/start"], latency, policy, limits: { parallelism: 8 } });
    assert.equal(patient.product.applied[1], "lane/slow");
  });

  it("of one lane does not hold up another lane that has nothing else to send", async () => {
    const links = ({ key }: Task) => {
      if (key === "start/0") return ["lane/slow", ...Array.from({ length: 900 }, (_, i) => `lane/${i}`), "other/1"];
      const number = key.startsWith("other/") ? Number(key.slice(6)) : 60;
      return number < 60 ? [`other/${number + 1}`] : [];
    };
    const { product } = await simulate({ links, start: ["start/0"], limits, latency, policy });
    assert.ok(product.applied.indexOf("other/60") < product.applied.indexOf("lane/slow"));
  });

  it("keeps its place while there is enough else to fetch", async () => {
    const pages = Array.from({ length: 1_500 }, (_, i) => `lane/${i}`);
    const links = ({ key }: Task) => (key === "lane/start" ? ["lane/slow", ...pages] : []);
    const { product } = await simulate({
      links,
      start: ["lane/start"],
      limits: { ...limits, maxAhead: 5_000 },
      latency,
      policy,
    });
    assert.equal(product.applied[1], "lane/slow");
  });
});

describe("a task that is refused when it would be sent", () => {
  const pages = ["lane/slow", "lane/refused", ...Array.from({ length: 20 }, (_, i) => `lane/${i}`)];
  const links = ({ key }: Task) => (key === "lane/start" ? pages : key === "lane/refused" ? ["lane/found on it"] : []);
  const latency = ({ key }: Task): number => (key === "lane/slow" ? 1_000 : 5);

  /** Refused until `until` is applied. */
  async function crawl(parallelism: number, until: string, maxAhead = 1_024) {
    const sim = simulation({
      ...{ links, latency, start: ["lane/start"], limits: { parallelism, maxAhead } },
      policy: () => ({ concurrency: parallelism }),
      refuses: ({ key }) => key === "lane/refused" && !sim.product.applied.includes(until),
    });
    await sim.crawl.start();
    const { state } = await sim.clock.settle(sim.crawl.ended);
    const wasSent = sim.product.visits.some(({ key }) => key === "lane/refused");
    return { state, wasSent, decisions: decisions(sim.ledger), applied: sim.product.applied, at: sim.clock.now() };
  }

  it("is sent after all if what comes before it changes that, and keeps its place", async () => {
    const expected = await crawl(1, "lane/slow");
    assert.equal(expected.wasSent, true);
    for (const [parallelism, maxAhead] of [[2], [10], [50], [10, 11]] as const) {
      const found = await crawl(parallelism, "lane/slow", maxAhead);
      assert.deepEqual({ ...found, at: 0 }, { ...expected, at: 0 }, `at ${parallelism}`);
      assert.ok(found.at - 1_000_000 < 5_000, "it is not waited for until the patience ends");
    }
  });

  it("stays refused if nothing does", async () => {
    const expected = await crawl(1, "lane/5");
    assert.equal(expected.wasSent, false);
    for (const parallelism of [2, 50]) {
      assert.deepEqual({ ...(await crawl(parallelism, "lane/5")), at: 0 }, { ...expected, at: 0 });
    }
  });
});

describe("the same ids, depths and verdicts at parallelism 1, 10 and 50", () => {
  const graph = randomGraph(1, 600);
  const start = [graph.keys[0]!];

  it("of a plain site", () => sameAtAnyParallelism({ links: linksOf(graph), start }));

  it("of a site with a cap on pages", () => sameAtAnyParallelism({ links: linksOf(graph), start, maxTasks: 200 }));

  it("of a site with errors", () => {
    const answer = (task: Task) => (task.depth > 0 && randomOf(9, task.key) < 0.2 ? { result: "failed" as const } : {});
    return sameAtAnyParallelism({ links: linksOf(graph), start, maxTasks: 300, answer });
  });

  it("of a site with redirects, whose targets are as deep as they are", () => {
    const links = (task: Task) => {
      const all = linksOf(graph)(task);
      if (randomOf(5, task.key) > 0.3 || all.length === 0) return all;
      return [{ key: all[0]!, depth: task.depth, hops: task.hops + 1 }];
    };
    return sameAtAnyParallelism({ links, start: graph.keys.slice(0, 5), maxTasks: 200 });
  });

  it("of a site with links that do not count until another find says so", () => {
    const links = (task: Task) =>
      linksOf(graph)(task).map((key, i) => ({ key, meta: { via: 0, kind: randomOf(i, task.key) < 0.4 ? 1 : 0 } }));
    return sameAtAnyParallelism({ links, start, maxTasks: 200 });
  });

  it("of a source that is longer than the high-water mark", () => {
    async function* source() {
      for (let i = 0; i < 40; i++) {
        yield graph.keys.slice(i * 5, i * 5 + 5).map((key) => aFound(key));
      }
    }
    return sameAtAnyParallelism({
      links: linksOf(graph),
      sources: () => [source()],
      maxTasks: 250,
      limits: { highWater: 20 },
    });
  });

  it("of more tasks than the window holds", () => {
    const links = ({ key }: Task) =>
      key === "lane/start"
        ? Array.from({ length: 1_500 }, (_, i) => `lane/${i}`)
        : [`lane/${(Number(key.slice(5)) * 7) % 3_000}`, `lane/${(Number(key.slice(5)) * 13) % 3_000}`];
    return sameAtAnyParallelism({ links, start: ["lane/start"], maxTasks: 2_500 }, [1]);
  });
});
