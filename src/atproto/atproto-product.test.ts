/** One DID after the other without a network: rates that grow with a host, and tries that have budgets of their own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { outsideCrawl } from "../kernel/product.ts";
import { FakeClock } from "../kernel/testing/fake-clock.ts";
import { aFound, aTask } from "../kernel/testing/samples.ts";
import { FetchError } from "../net/fetch-errors.ts";
import type { HttpRequest, HttpResponse } from "../net/http-types.ts";
import { parseAtprotoConfig } from "./atproto-config.ts";
import { CrawlMetrics } from "./atproto-metrics.ts";
import { AtprotoProduct, type AtprotoProductOptions, type RepoRecord } from "./atproto-product.ts";
import type { DidMeta } from "./did-feed.ts";
import { ERROR_CLASSES } from "./error-classes.ts";
import { HostSizes } from "./host-sizes.ts";
import type { Identity } from "./identity/identities.ts";
import { CarBudget } from "./repo-client.ts";
import { SourceError } from "./sources/source-client.ts";

const PDS = "https://pds.example";
const IDENTITY: Identity = { pds: PDS, signingKey: "did:key:zAny", since: 0, isLookup: true };

function productWith(
  answer: (request: HttpRequest) => HttpResponse | FetchError,
  given: Partial<AtprotoProductOptions> = {},
) {
  const refreshed: string[] = [];
  const records: RepoRecord[] = [];
  const none = () => 0;
  const sizes = new HostSizes();
  sizes.onChange = (lane) => void refreshed.push(lane);
  const product = new AtprotoProduct({
    config: parseAtprotoConfig({ source: ["clickhouse"] }),
    fetch: async (request) => {
      const given = answer(request);
      if (given instanceof FetchError) throw given;
      return given;
    },
    pool: { prepare: () => assert.fail("nothing to parse"), room: async () => {} },
    budget: new CarBudget(100_000_000, null),
    sizes,
    tiers: { of: () => null },
    mayStore: () => true,
    onSettled: () => {},
    store: () => assert.fail("nothing to store"),
    identity: () => IDENTITY,
    stored: () => null,
    onPassedOver: () => {},
    isAllowed: () => true,
    isElsewhere: () => false,
    lookUp: async () => IDENTITY,
    metrics: new CrawlMetrics({ pdsCount: none, activePds: none, remaining: none, blocked: none }),
    events: { onRepo: (record) => void records.push(record) },
    clock: new FakeClock(),
    random: () => 0.5,
    close: async () => {},
    ...given,
  });
  return { product, sizes, refreshed, records };
}

const status = (code: number): HttpResponse =>
  ({
    status: code,
    headers: [],
    header: () => null,
    body: Buffer.alloc(0),
    truncated: null,
  }) as unknown as HttpResponse;

test("a host's rate follows the number of repos found there", () => {
  const { product, sizes, refreshed } = productWith(() => assert.fail());
  const rate = () => 1000 / product.lanePolicy(PDS).intervalMs;
  assert.equal(rate(), 10, "before its first repo it is asked by sources only");
  const rates: number[] = [];
  for (let number = 1; number <= 1_000; number++) {
    sizes.add(PDS, 1);
    rates.push(rate());
  }
  assert.deepEqual([rates[0], rates[98], rates[99], rates[998], rates[999]], [2, 2, 5, 5, 10]);
  assert.deepEqual(refreshed, [PDS, PDS, PDS], "and its lane is updated when it changes");
});

/** How often a task is tried until it is over, and as what. */
async function tries(
  answer: () => HttpResponse | FetchError,
): Promise<{ tries: number; failure: string | null; signal: string }> {
  const { product, records } = productWith(answer);
  for (let attempt = 0; ; attempt++) {
    const outcome = await product.perform(aTask<DidMeta>(1, { key: "did", lane: PDS, attempt }), outsideCrawl());
    if (outcome!.result === "retry") continue;
    outcome!.settle(() => assert.fail("a repo leads nowhere"), outsideCrawl());
    return { tries: attempt + 1, failure: records[0]!.failure, signal: outcome!.signal.kind };
  }
}

test("each class is tried as often as the table says", async () => {
  const reset = await tries(() => new FetchError("reset"));
  assert.deepEqual(reset, {
    tries: 1 + ERROR_CLASSES.connection_error.retries,
    failure: "connection_error",
    signal: "unreachable",
  });
  assert.deepEqual(await tries(() => status(503)), { tries: 4, failure: "unavailable", signal: "overloaded" });
  assert.deepEqual(await tries(() => status(403)), { tries: 1, failure: "http_error", signal: "overloaded" });
  assert.deepEqual(await tries(() => new FetchError("tls_failed")), {
    tries: 1,
    failure: "connection_error",
    signal: "unreachable",
  });
  assert.deepEqual(await tries(() => status(429)), { tries: 51, failure: "rate_limited", signal: "throttled" });
});

test("being throttled takes nothing from the budget of failures", async () => {
  const answers = [429, 429, 503, 429, 503, 429, 503, 429, 503];
  const ended = await tries(() => status(answers.shift()!));
  assert.equal(ended.failure, "unavailable");
  assert.deepEqual(answers, [], "all four tries of an unavailable host were had");
});

test("a CAR is fetched only when few others wait to be parsed", async () => {
  const steps: string[] = [];
  const room = Promise.withResolvers<void>();
  const { product } = productWith(
    () => {
      steps.push("fetched");
      return status(403);
    },
    { pool: { prepare: () => assert.fail("nothing to parse"), room: () => room.promise } },
  );
  const performed = product.perform(aTask<DidMeta>(1, { key: "did", lane: PDS }), outsideCrawl());
  await new Promise((resolve) => setImmediate(resolve));
  steps.push("room");
  room.resolve();
  await performed;
  assert.deepEqual(steps, ["room", "fetched"]);
});

test("a CAR that finds no room in memory is fetched again when there is room for the largest, and its host is not blamed", async () => {
  const budget = new CarBudget(900_000, null, 1_000_000);
  const { signal } = new AbortController();
  const held = await budget.open("usual", signal);
  let tries = 0;
  const { product, records } = productWith(
    ({ mayGrow }) => {
      tries++;
      return mayGrow!(800_000) ? status(403) : new FetchError("aborted");
    },
    { budget },
  );
  const task = aTask<DidMeta>(1, { key: "did", lane: PDS });
  const first = await product.perform(task, outsideCrawl({ signal }));
  assert.deepEqual([first!.result, first!.signal.kind], ["retry", "neutral"]);
  assert.equal(budget.free, 1_000_000 - 256 * 1024, "what it held is free");
  const second = product.perform(task, outsideCrawl({ signal }));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(tries, 1, "it waits for room");
  held[Symbol.dispose]();
  const outcome = await second;
  outcome!.settle(() => assert.fail("a repo leads nowhere"), outsideCrawl());
  assert.deepEqual([tries, records[0]!.failure, budget.free], [2, "http_error", 1_000_000]);
});

test("one that is stopped while it waits for room has no result", async () => {
  const budget = new CarBudget(1_000_000, null, 1_000_000);
  using _held = await budget.open("largest", new AbortController().signal);
  const stop = new AbortController();
  const { product } = productWith(() => assert.fail("nothing is fetched"), { budget });
  const performed = product.perform(
    aTask<DidMeta>(1, { key: "did", lane: PDS }),
    outsideCrawl({ signal: stop.signal }),
  );
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  assert.equal(await performed, null);
});

test("what a host says of an account that it does not have is not final", () => {
  const { product } = productWith(() => assert.fail());
  const verdict = product.gate(aFound<DidMeta>("did", { meta: { pds: null, refusal: "deactivated" } }));
  assert.equal(verdict.action, "skip");
  assert.equal(verdict.reason, "deactivated");
  assert.ok(product.provisionalReasons.has("deactivated"));
  assert.equal(product.gate(aFound<DidMeta>("did", { meta: { pds: PDS, refusal: null } })).action, "crawl");
});

test("a directory that does not have the key of a repo is not the fault of its host", async () => {
  const config = parseAtprotoConfig({ source: ["clickhouse"], verify: "full" });
  const lookUp = () => Promise.reject(new SourceError("plc.example answered 503", 503));
  const { product, records } = productWith(() => status(200), { config, identity: () => null, lookUp });
  const task = aTask<DidMeta>(1, { key: "did:plc:a", lane: PDS });
  const first = (await product.perform(task, outsideCrawl()))!;
  assert.deepEqual([first.result, first.signal], ["retry", { kind: "neutral" }]);
  const second = (await product.perform(task, outsideCrawl()))!;
  second.settle(() => assert.fail("a repo leads nowhere"), outsideCrawl());
  assert.deepEqual([second.signal, records[0]!.failure], [{ kind: "neutral" }, "unresolved"]);
  assert.match(records[0]!.detail!, /its document: plc\.example answered 503/);
});
