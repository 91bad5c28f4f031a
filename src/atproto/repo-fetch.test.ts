/** Large CARs that come at the same time, with memory for little more than one, from a real server. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { systemClock } from "../kernel/clock.ts";
import { outsideCrawl } from "../kernel/product.ts";
import { aTask } from "../kernel/testing/samples.ts";
import { until } from "../net/testing/until.ts";
import { parseAtprotoConfig } from "./atproto-config.ts";
import { CrawlMetrics } from "./atproto-metrics.ts";
import { CarDisk } from "./car-disk.ts";
import type { DidMeta } from "./did-feed.ts";
import { ParsePool } from "./repo/parse-pool.ts";
import { CarBudget, createRepoClient } from "./repo-client.ts";
import { RepoFetch } from "./repo-fetch.ts";
import { type Answer, carOf, didOf, fakePds, sendCar, UNSIGNED } from "./testing/fake-pds.ts";

const [SLOW, QUICK] = [didOf(1), didOf(2)] as const;
const RECORDS = 6_000;

/** Fetches with memory for one CAR of that size and a third of another. */
async function fetching(t: TestContext, carBytes: number, disk: CarDisk | null) {
  const pds = await fakePds(t, [SLOW, QUICK]);
  pds.answers.set(QUICK, (_, response) => sendCar(response, carOf(QUICK, RECORDS)));
  const config = parseAtprotoConfig({ ...UNSIGNED, source: ["dids:x"], allowPrivate: true });
  const client = createRepoClient(config, systemClock);
  const pool = new ParsePool({ random: Math.random, threads: 1 });
  t.after(() => Promise.all([client.destroy(), pool.close()]));
  const none = () => 0;
  const fetcher = new RepoFetch({
    config,
    fetch: (request) => client.fetch(request),
    pool,
    identity: () => null,
    lookUp: () => assert.fail("nobody is looked up"),
    stored: () => null,
    metrics: new CrawlMetrics({ pdsCount: none, activePds: none, remaining: none, blocked: none }),
    clock: systemClock,
  });
  const bytes = Math.ceil((carBytes * 4) / 3);
  const budget = new CarBudget(carBytes + 1_000, disk, bytes);
  const fetchRepo = async (did: string, signal = new AbortController().signal) => {
    using share = await budget.open("usual", signal);
    const task = aTask<DidMeta>(1, { key: did, lane: pds.origin });
    return await fetcher.attempt(pds.origin, task, share, outsideCrawl({ signal }));
  };
  return { pds, budget, bytes, fetchRepo };
}

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "repo-fetch-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Two thirds of a CAR come; the rest comes as the test says. */
function slowly(answers: Map<string, Answer>) {
  const car = carOf(SLOW, RECORDS);
  const begun = Promise.withResolvers<ServerResponse>();
  const first = Math.floor((car.length * 2) / 3);
  answers.set(SLOW, (_, response) => {
    response.writeHead(200, { "content-type": "application/vnd.ipld.car", "content-length": car.length });
    response.write(car.subarray(0, first));
    begun.resolve(response);
  });
  let sent = first;
  const send = async (bytes: number): Promise<void> => {
    const response = await begun.promise;
    const piece = car.subarray(sent, (sent += bytes));
    if (!response.write(piece)) await once(response, "drain");
    if (sent >= car.length) response.end();
  };
  return { car, first, send };
}

test("a host that sends a large repo slowly holds up no other: both are fetched once, and no file is left", async (t) => {
  const folder = folderOf(t);
  const carBytes = carOf(SLOW, RECORDS).length;
  const { pds, budget, bytes, fetchRepo } = await fetching(t, carBytes, new CarDisk(folder));
  const { car, first, send } = slowly(pds.answers);
  const slow = fetchRepo(SLOW);
  await until(() => budget.free <= bytes - first);
  const quick = fetchRepo(QUICK);
  await until(() => budget.isWanted);
  await send(1_000);
  const stored = await quick;
  assert.ok(stored !== null && typeof stored === "object" && "block" in stored);
  assert.deepEqual([stored.did, stored.recordCount, stored.carBytes], [QUICK, RECORDS, carOf(QUICK, RECORDS).length]);
  assert.equal(budget.free, bytes, "the slow one uses no memory");
  assert.deepEqual(readdirSync(folder), []);
  await send(car.length);
  const late = await slow;
  assert.ok(late !== null && typeof late === "object" && "block" in late);
  assert.deepEqual([late.did, late.recordCount], [SLOW, RECORDS]);
  assert.deepEqual(
    pds.asked.map(({ did }) => did),
    [SLOW, QUICK],
  );
  assert.equal(budget.free, bytes);
});

test("a CAR that finds no room in memory nor on the disk is given up, for another attempt", async (t) => {
  const carBytes = carOf(SLOW, RECORDS).length;
  const full = new CarDisk(folderOf(t), () => ({ free: 1_000_000, total: 10_000_000 }));
  const { pds, budget, bytes, fetchRepo } = await fetching(t, carBytes, full);
  const { car, first, send } = slowly(pds.answers);
  const slow = fetchRepo(SLOW);
  await until(() => budget.free <= bytes - first);
  assert.equal(await fetchRepo(QUICK), null);
  await send(car.length);
  const stored = await slow;
  assert.ok(stored !== null && typeof stored === "object" && "block" in stored);
});

test("one that is stopped while it comes, or while it waits in its file for memory, ends at once", async (t) => {
  const carBytes = carOf(SLOW, RECORDS).length;
  const { pds, budget, bytes, fetchRepo } = await fetching(t, carBytes, new CarDisk(folderOf(t)));
  const { first } = slowly(pds.answers);
  const stop = new AbortController();
  const slow = fetchRepo(SLOW, stop.signal);
  await until(() => budget.free <= bytes - first);
  const quick = fetchRepo(QUICK, stop.signal);
  await until(() => budget.isWanted);
  stop.abort(new Error("stopped"));
  await assert.rejects(quick);
  await assert.rejects(slow);
  assert.equal(budget.free, bytes);
});
