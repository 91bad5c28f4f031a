/**
 * A simulated network, skewed like the real one: half of all DIDs on one host. Kernel, lanes, backlog, sources and product
 * are the real ones; hosts are functions, and time is simulated.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Crawl } from "../kernel/crawl.ts";
import type { CrawlContext } from "../kernel/product.ts";
import { FakeClock } from "../kernel/testing/fake-clock.ts";
import type { HttpRequest, HttpResponse } from "../net/http-types.ts";
import { type AtprotoSettings, parseAtprotoConfig } from "./atproto-config.ts";
import { CrawlMetrics } from "./atproto-metrics.ts";
import { AtprotoProduct, endingOf, type RepoRecord } from "./atproto-product.ts";
import { DidBacklog } from "./backlog/did-backlog.ts";
import { crawlLimits } from "./crawl/crawl-limits.ts";
import { DidFeed, type DidMeta } from "./did-feed.ts";
import { HostSizes } from "./host-sizes.ts";
import type { Identity } from "./identity/identities.ts";
import { CarBudget } from "./repo-client.ts";
import { type Demand, type DidSource, pageOf, plainEntry } from "./sources/did-page.ts";
import { relaySource } from "./sources/relay-source.ts";
import { SourceClient } from "./sources/source-client.ts";
import { StateLedger } from "./state/cursor-ledger.ts";
import { SqliteState } from "./state/sqlite-state.ts";
import { didOf } from "./testing/fake-pds.ts";

const LATENCY_MS = 500;
const HUGE = "https://huge.example";
const RELAY = "https://relay.example";

/** Accounts by host: the first has half of them, and the others fewer and fewer. */
function skewed(hosts: number, scale: number): Map<string, string[]> {
  const sizes = Array.from({ length: hosts }, (_, at): [string, number] => [
    `https://host-${at}.example`,
    Math.ceil(scale / (at + 1)),
  ]);
  const others = sizes.reduce((sum, [, size]) => sum + size, 0);
  let next = 0;
  return new Map(
    [[HUGE, others] as [string, number], ...sizes].map(([origin, size]) => [
      origin,
      Array.from({ length: size }, () => didOf(next++)),
    ]),
  );
}

const rateOf = (size: number): number => (size < 100 ? 2 : size < 1_000 ? 5 : 10);

const answer = (status: number, body: unknown): HttpResponse =>
  ({
    status,
    headers: [],
    header: () => null,
    body: Buffer.from(JSON.stringify(body)),
    truncated: null,
  }) as unknown as HttpResponse;

interface Simulation {
  clock: FakeClock;
  started: number;
  crawl: Crawl<RepoRecord, DidMeta>;
  backlog: DidBacklog;
  /** Requests by host: for repos, and for pages of the list. */
  repos: Map<string, number>;
  lists: Map<string, number>;
  /** When the last repo of a host was requested. */
  last: Map<string, number>;
}

type SourceOf = (client: SourceClient, demand: Demand, sizes: HostSizes) => DidSource;

/** Hosts say of every account that it was taken down: what counts is when they are asked. */
function hostsOf(network: ReadonlyMap<string, string[]>, simulation: Omit<Simulation, "crawl" | "backlog">) {
  const { clock, repos, lists, last } = simulation;
  const add = (counts: Map<string, number>, origin: string) => counts.set(origin, (counts.get(origin) ?? 0) + 1);
  return async ({ url }: HttpRequest): Promise<HttpResponse> => {
    const { origin, pathname, searchParams } = new URL(url);
    await clock.sleep(LATENCY_MS);
    if (pathname.endsWith("listHosts")) {
      return answer(200, { hosts: [...network.keys()].map((each) => ({ hostname: new URL(each).hostname })) });
    }
    const dids = network.get(origin)!;
    if (pathname.endsWith("listRepos")) {
      add(lists, origin);
      const from = Number(searchParams.get("cursor") ?? 0);
      const page = dids.slice(from, from + 1_000).map((did) => ({ did, rev: "3k", active: true }));
      return answer(200, { repos: page, ...(from + 1_000 < dids.length && { cursor: `${from + 1_000}` }) });
    }
    add(repos, origin);
    last.set(origin, clock.now());
    return answer(400, { error: "RepoTakendown", message: "gone" });
  };
}

async function simulate(
  t: TestContext,
  network: ReadonlyMap<string, string[]>,
  sourceOf: SourceOf,
  settings: Partial<AtprotoSettings> = {},
): Promise<Simulation> {
  const folder = await mkdtemp(join(tmpdir(), "trawl-fairness-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const config = parseAtprotoConfig({ source: ["clickhouse"], outputDir: folder, ...settings });
  const clock = new FakeClock();
  const counts = { repos: new Map(), lists: new Map(), last: new Map() };
  const fetch = hostsOf(network, { clock, started: 0, ...counts });
  const sizes = new HostSizes();
  const ledger = new StateLedger<RepoRecord, DidMeta>({
    state: new SqliteState(join(folder, "state.db"), clock),
    durable: async () => {},
    endingOf: (_, record) => endingOf(record!, clock.now()),
    refusalOf: () => null,
  });
  const sourcesOf = (context: CrawlContext) => {
    const feed = new DidFeed({
      allowPrivate: false,
      isSkipped: () => false,
      isElsewhere: () => false,
      isUnchanged: () => false,
      isArchived: () => false,
      seeksSignal: false,
      refetches: false,
      unsettled: (claims) => ledger.unsettledAt(claims),
      cursorOf: () => null,
      onPage: () => {},
      onAccounts: (origin, many) => sizes.add(origin, many),
    });
    const client = new SourceClient({ fetch, turn: context.turn, signal: context.signal, clock });
    return feed.read(sourceOf(client, backlog.demand, sizes));
  };
  const backlog: DidBacklog = new DidBacklog({
    path: join(folder, "backlog.tmp"),
    sources: [sourcesOf],
    ahead: config.pageSize * 50,
    mayRead: () => true,
  });
  t.after(() => backlog.close());
  const identity: Identity = { pds: HUGE, signingKey: null, since: clock.now(), isLookup: true };
  const none = () => 0;
  const product = new AtprotoProduct({
    config: { ...config, trustSources: true, verify: "blocks" },
    fetch,
    pool: { prepare: () => assert.fail("nothing to parse"), room: async () => {} },
    budget: new CarBudget(config.maxRepoSize, null),
    sizes,
    tiers: { of: () => null },
    mayStore: () => true,
    onSettled: (lane) => backlog.settled(lane),
    store: () => assert.fail("nothing to store"),
    identity: () => identity,
    stored: () => null,
    onPassedOver: () => {},
    isAllowed: () => true,
    isElsewhere: () => false,
    lookUp: async () => identity,
    metrics: new CrawlMetrics({ pdsCount: none, activePds: none, remaining: none, blocked: none }),
    events: {},
    clock,
    random: () => 0.5,
    close: async () => {},
  });
  const crawl = new Crawl<RepoRecord, DidMeta>({
    ledger,
    product,
    sources: [
      (context) => {
        sizes.onChange = (origin) => context.refreshPolicy(origin);
        return backlog.founds(context);
      },
    ],
    limits: crawlLimits(config),
    readAhead: true,
    clock,
  });
  const started = clock.now();
  await crawl.start();
  return { clock, started, crawl, backlog, ...counts };
}

/** Runs it to its end. */
async function finish({ clock, crawl }: Simulation): Promise<void> {
  const { state, error } = await clock.settle(crawl.ended);
  assert.equal(state, "completed", `${error}`);
}

/** Each host took at most a tenth longer than its rate allows; `beforeMs` passes before the first request. */
function assertFair(network: ReadonlyMap<string, string[]>, simulation: Simulation, beforeMs: number): void {
  const { started, repos, lists, last } = simulation;
  for (const [origin, dids] of network) {
    assert.equal(repos.get(origin), dids.length, `${origin} was asked for each of its repos once`);
    const requests = dids.length + (lists.get(origin) ?? 0);
    const idealMs = (requests / rateOf(dids.length)) * 1000;
    const tookMs = last.get(origin)! - started - beforeMs;
    assert.ok(tookMs <= idealMs * 1.1 + 2 * LATENCY_MS, `${origin}: ${tookMs} ms, of which ${idealMs} were needed`);
  }
}

const relay: SourceOf = (client, demand, sizes) =>
  relaySource({
    origin: RELAY,
    client,
    allowPrivate: false,
    isSkipped: () => false,
    maxAccounts: () => null,
    demand,
    onSize: (origin, accounts) => sizes.atLeast(origin, accounts),
    check: (pages) => pages,
    onFailure: (origin, reason) => assert.fail(`${origin}: ${reason}`),
  });

test("half of all DIDs on one host: every host is read at its rate, as it lists them", async (t) => {
  const network = skewed(40, 1_200);
  const simulation = await simulate(t, network, relay);
  const { clock, repos, started } = simulation;
  // While every host has work, all of them together are as fast as their rates allow.
  const busy = [...network].filter(([, dids]) => dids.length >= rateOf(dids.length) * 30);
  await clock.advance(30_000);
  const allowed = busy.reduce((sum, [, dids]) => sum + rateOf(dids.length) * 28, 0);
  const made = busy.reduce((sum, [origin]) => sum + repos.get(origin)!, 0);
  assert.ok(busy.length > 10 && made >= allowed * 0.9, `${made} of ${allowed} requests by ${clock.now() - started} ms`);
  await finish(simulation);
  assertFair(network, simulation, 2 * LATENCY_MS);
  assert.equal(simulation.lists.get(HUGE), Math.ceil(network.get(HUGE)!.length / 1_000), "each page is listed once");
});

test("one list in which the huge host comes first starves nobody: it is read ahead to disk", async (t) => {
  const network = skewed(40, 1_200);
  const entries = [...network].flatMap(([pds, dids]) => dids.map((did) => plainEntry(did, pds)));
  const size = 20;
  const list: SourceOf = () => ({
    name: "list",
    async *pages() {
      for (let at = 0; at < entries.length; at += size) yield pageOf("list", entries.slice(at, at + size), `${at}`);
    },
  });
  // 50 pages are far from the end of the huge host's DIDs: the rest is read because others have nothing to do.
  const simulation = await simulate(t, network, list, { pageSize: size });
  await finish(simulation);
  assertFair(network, simulation, 0);
});
