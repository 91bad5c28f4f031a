/** Pages are fetched by depth, then in the order they were found: also over crashes, with several lists of seeds. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { systemClock } from "../../kernel/clock.ts";
import { Crawl, DEFAULT_CRAWL_LIMITS } from "../../kernel/crawl.ts";
import { type Outcome, type Product, sourceOf } from "../../kernel/product.ts";
import { CRAWL, type Found, type Task } from "../../kernel/task.ts";
import type { TestRecord } from "../../kernel/testing/ledger-harness.ts";
import { seededRandom } from "../../kernel/testing/random.ts";
import { aFound, aPolicy } from "../../kernel/testing/samples.ts";
import { type Graph, randomGraph } from "../../kernel/testing/simulate.ts";
import { type FileHarness, fileHarness } from "./testing/file-harness.ts";

/** What the record of a page says of it. */
interface Page {
  key: string;
  depth: number;
  /** It, or a page on the way to it, had to be tried again. */
  wasLate: boolean;
}

class GraphPages implements Product<TestRecord> {
  readonly provisionalReasons = new Set<string>();
  readonly #graph: Graph;
  readonly #fails: (task: Task) => boolean;
  readonly #random = seededRandom(9);
  readonly #late: Set<string>;
  performed = 0;

  constructor(graph: Graph, late: Set<string>, fails: (task: Task) => boolean) {
    this.#graph = graph;
    this.#late = late;
    this.#fails = fails;
  }

  gate = () => CRAWL;
  laneOf = () => "host";
  lanePolicy = () => aPolicy();
  isOrdered = () => true;
  prepare = () => undefined;
  recover(): void {}
  recoverNote(): void {}
  async close(): Promise<void> {}

  async perform(task: Task): Promise<Outcome<TestRecord>> {
    this.performed++;
    // Answers come in another order than the requests left.
    for (let turns = Math.floor(this.#random() * 4); turns > 0; turns--) await turn();
    if (this.#fails(task)) {
      this.#late.add(task.key);
      return { result: "retry", retryAt: systemClock.now(), signal: { kind: "neutral" }, settle: () => null };
    }
    return {
      result: "done",
      signal: { kind: "ok" },
      settle: (offer) => {
        const wasLate = this.#late.has(task.key);
        for (const key of this.#graph.links.get(task.key) ?? []) {
          const id = offer(aFound(key, { depth: task.depth + 1, parent: task.id }));
          if (wasLate && id > this.#known) this.#late.add(key);
          this.#known = Math.max(this.#known, id);
        }
        const page: Page = { key: task.key, depth: task.depth, wasLate };
        return { text: JSON.stringify(page) };
      },
    };
  }

  #known = 0;

  abandon(): Outcome<TestRecord> {
    throw new Error("no lane is given up here");
  }
}

interface Run {
  graph: Graph;
  seeds: Found[][];
  crashes: number;
  fails: (task: Task) => boolean;
}

/** Crawls to the end, over crashes. */
async function crawl(harness: FileHarness, { graph, seeds, crashes, fails }: Run): Promise<Page[]> {
  const random = seededRandom(4);
  const late = new Set<string>();
  for (let left = crashes; ; left--) {
    const product = new GraphPages(graph, late, fails);
    const run = new Crawl<TestRecord>({
      ledger: harness.ledger(),
      product,
      sources: seeds.map(sourceOf),
      limits: { ...DEFAULT_CRAWL_LIMITS, commit: { ...DEFAULT_CRAWL_LIMITS.commit, settled: 20, ms: 1 } },
    });
    await run.start();
    if (left === 0) {
      assert.equal((await run.ended).state, "completed");
      break;
    }
    const until = Math.floor(random() * (graph.keys.length / crashes));
    while (product.performed < until && run.state === "running") await turn();
    await harness.crash();
    await run.stop();
  }
  return (await harness.records()).map(({ record }) => JSON.parse(record.text) as Page);
}

async function pagesOf(run: Run): Promise<Page[]> {
  const harness = fileHarness();
  try {
    return await crawl(harness, run);
  } finally {
    await harness.dispose();
  }
}

const GRAPH = randomGraph(2, 2_500);
const SEEDS = [GRAPH.keys.slice(0, 2), GRAPH.keys.slice(1, 4), GRAPH.keys.slice(3, 5)].map((keys) =>
  keys.map((key) => aFound(key)),
);

it("depths never decrease, over crashes and with several lists of seeds, and every page comes once", async () => {
  const pages = await pagesOf({ graph: GRAPH, seeds: SEEDS, crashes: 4, fails: () => false });
  assert.deepEqual(pages.map(({ key }) => key).sort(), [...GRAPH.keys].sort());
  assert.deepEqual(
    pages.map(({ depth }) => depth),
    pages.map(({ depth }) => depth).sort((a, b) => a - b),
  );
  assert.ok(pages.at(-1)!.depth >= 3);
});

it("crashes change neither the set of pages nor their order", async () => {
  const [once, crashed] = await Promise.all(
    [0, 5].map((crashes) => pagesOf({ graph: GRAPH, seeds: SEEDS, crashes, fails: () => false })),
  );
  assert.deepEqual(crashed, once);
});

it("only a page that was tried again, or was found through one, comes after a deeper one", async () => {
  const fails = ({ key, attempt }: Task) => attempt === 0 && key.endsWith("7");
  const pages = await pagesOf({ graph: GRAPH, seeds: SEEDS, crashes: 0, fails });
  assert.equal(new Set(pages.map(({ key }) => key)).size, GRAPH.keys.length);
  const inTime = pages.filter(({ wasLate }) => !wasLate).map(({ depth }) => depth);
  assert.ok(inTime.length > 1_000);
  assert.deepEqual(
    inTime,
    [...inTime].sort((a, b) => a - b),
  );
});
