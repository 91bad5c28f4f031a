/** Crawls of made-up graphs on a fake clock. */
import { Crawl, type CrawlEnd, type CrawlLimits, DEFAULT_CRAWL_LIMITS } from "../crawl.ts";
import { type CrawlContext, sourceOf } from "../product.ts";
import type { Found } from "../task.ts";
import { FakeClock } from "./fake-clock.ts";
import { type GraphOptions, GraphProduct, type GraphRecord } from "./graph-product.ts";
import { MemoryLedger } from "./memory-ledger.ts";
import { seededRandom } from "./random.ts";
import { aFound } from "./samples.ts";

export interface SimulationOptions extends Omit<GraphOptions, "clock"> {
  clock?: FakeClock;
  ledger?: MemoryLedger<GraphRecord>;
  start?: string[];
  /** Created for each crawl: a source is read once. */
  sources?: () => (AsyncIterable<Found[]> | ((context: CrawlContext) => AsyncIterable<Found[]>))[];
  limits?: Partial<CrawlLimits>;
  isFull?: () => boolean;
  readAhead?: boolean;
}

export interface Simulation {
  clock: FakeClock;
  ledger: MemoryLedger<GraphRecord>;
  crawl: Crawl<GraphRecord>;
  product: GraphProduct;
}

export function simulation(options: SimulationOptions): Simulation {
  const clock = options.clock ?? new FakeClock();
  const ledger = options.ledger ?? new MemoryLedger<GraphRecord>();
  const product = new GraphProduct({ ...options, clock });
  const crawl = new Crawl<GraphRecord>({
    ledger,
    clock,
    product,
    sources: options.sources?.().map((source) => (typeof source === "function" ? source : () => source)) ?? [
      sourceOf((options.start ?? []).map((key) => aFound(key))),
    ],
    limits: { ...DEFAULT_CRAWL_LIMITS, ...options.limits },
    isFull: options.isFull,
    readAhead: options.readAhead,
  });
  return { clock, ledger, crawl, product };
}

/** Crawls to the end. */
export async function simulate(options: SimulationOptions): Promise<Simulation & { end: CrawlEnd }> {
  const all = simulation(options);
  await all.crawl.start();
  const end = await all.clock.settle(all.crawl.ended);
  return { ...all, end };
}

/** What a crawl decided, apart from when: it must not depend on how much was under way at once. */
export const decisions = (ledger: MemoryLedger<GraphRecord>) =>
  ledger.rows.map(({ id, key, depth, parent, verdict, state }) => ({ id, key, depth, parent, verdict, state }));

export interface Graph {
  keys: string[];
  links: Map<string, string[]>;
}

/** A graph of pages, most of them linked from a page before them, with links in all directions. */
export function randomGraph(seed: number, pages: number, lanes = 1): Graph {
  const random = seededRandom(seed);
  const keys = Array.from({ length: pages }, (_, i) => `lane${Math.floor(random() * lanes)}/${i}`);
  const links = new Map<string, string[]>(keys.map((key) => [key, []]));
  for (let i = 1; i < pages; i++) links.get(keys[Math.floor(random() * Math.min(i, 60))]!)!.push(keys[i]!);
  for (let i = 0; i < pages * 2; i++) {
    links.get(keys[Math.floor(random() * pages)]!)!.push(keys[Math.floor(random() * pages)]!);
  }
  return { keys, links };
}

export const linksOf =
  (graph: Graph) =>
  ({ key }: { key: string }): string[] =>
    graph.links.get(key) ?? [];
