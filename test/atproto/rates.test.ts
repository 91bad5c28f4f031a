/** How hosts are requested, as counted and timed by the hosts. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { assignTier } from "../../src/atproto/host-tiers.ts";
import type { AtNetwork } from "../servers/at-network.ts";
import {
  assertWhole,
  crawlAll,
  makeFolder,
  startCrawl,
  startNetwork,
  storedDids,
  transitMs,
  whileRunning,
} from "./crawling.ts";

const speed = 12;

/** Times of the host's getRepo requests. */
const timesOf = (network: AtNetwork, host: string): number[] =>
  network.pds
    .get(host)!
    .host.requests.filter(({ did }) => did !== null)
    .map(({ at }) => at);

/** Departures are exactly spaced; the first of a run may take longer to arrive than the last. */
function assertNotFaster(network: AtNetwork, host: string, perSecond: number, run = 20): void {
  const times = timesOf(network, host);
  assert.ok(times.length > run);
  const least = (run * 1000) / perSecond - transitMs(network);
  for (let index = 0; index + run < times.length; index++) {
    const span = times[index + run]! - times[index]!;
    assert.ok(span >= least, `requests ${index} to ${index + run} came within ${span} ms, not ${least}`);
  }
}

test("no host is requested faster than its size allows: 2 per second below 100 repos, 5 below 1,000", async (t) => {
  const network = await startNetwork(t, { accounts: [60, 40, 130], records: 4, speed });
  const folder = makeFolder(t);
  await crawlAll(network, folder);
  await assertWhole(network, folder);
  for (const host of ["pds-0.atp.example", "pds-1.atp.example"]) assertNotFaster(network, host, 2);
  assertNotFaster(network, "pds-2.atp.example", 5);
});

test("--default-pds-rps is the rate of the middle class, and of no other", async (t) => {
  const network = await startNetwork(t, { accounts: [40, 110], records: 4, speed });
  const folder = makeFolder(t);
  await crawlAll(network, folder, { defaultPdsRps: 3 });
  assertNotFaster(network, "pds-0.atp.example", 2);
  assertNotFaster(network, "pds-1.atp.example", 3);
  const times = timesOf(network, "pds-1.atp.example");
  const seconds = (times.at(-1)! - times[0]!) / 1000;
  assert.ok(times.length / seconds > 2.2, `${times.length} in ${seconds} s: the host is in the class of small ones`);
});

test("10 per second from 1,000 repos on, and no more", async (t) => {
  const network = await startNetwork(t, { accounts: [1_020], records: 3, speed });
  const some = network.until(320);
  const run = await startCrawl(network, makeFolder(t), { defaultPdsRps: 2 });
  await whileRunning(run, some);
  await run.crawl.stop();
  const times = timesOf(network, "pds-0.atp.example");
  assertNotFaster(network, "pds-0.atp.example", 10, 200);
  const seconds = (times.at(-1)! - times[0]!) / 1000;
  assert.ok(times.length / seconds > 3, `${times.length} in ${seconds} s: the host is in the class of smaller ones`);
});

test("a tier assigned while the crawl runs changes the rate of its host within seconds, and of no other", async (t) => {
  const network = await startNetwork(t, { accounts: [90, 40], records: 3, speed });
  const folder = makeFolder(t);
  const begun = network.until(20);
  const run = await startCrawl(network, folder);
  await whileRunning(run, begun);
  await assignTier(join(folder, "rca"), new URL(network.pds.get("pds-0.atp.example")!.host.url).host, "large");
  await run.outcome;
  await assertWhole(network, folder);
  assertNotFaster(network, "pds-1.atp.example", 2);
  const times = timesOf(network, "pds-0.atp.example").slice(-50);
  const seconds = (times.at(-1)! - times[0]!) / 1000;
  assert.ok(times.length / seconds > 4, `${times.length} in ${seconds} s: it is asked as before`);
  assertNotFaster(network, "pds-0.atp.example", 10);
});

test("a host that lists more than its tier allows is cut off, and read to its end once it is trusted", async (t) => {
  const network = await startNetwork(t, { accounts: [30], pageSize: 10 });
  const folder = makeFolder(t);
  const { outcome } = await startCrawl(network, folder, { maxAccounts: 10 });
  assert.equal((await outcome).end.unread.length, 1);
  assert.equal((await storedDids(folder)).length, 10);
  await assignTier(join(folder, "rca"), new URL(network.pds.get("pds-0.atp.example")!.host.url).host, "trusted");
  const { end } = await crawlAll(network, folder, { maxAccounts: 10, resume: true });
  assert.deepEqual(end.unread, []);
  await assertWhole(network, folder);
});

test("429: the host is left alone for as long as it asks, in either header, and the repo is fetched after all", async (t) => {
  const resets = {
    "pds-0.atp.example": { "retry-after": "10" },
    "pds-1.atp.example": null,
  };
  const network = await startNetwork(t, { accounts: [25, 25], speed });
  const folder = makeFolder(t);
  for (const [host, fixed] of Object.entries(resets)) {
    network.pds.get(host)!.conduct.busy = {
      every: 10,
      burst: 1,
      headers: () =>
        fixed ?? { "ratelimit-reset": String(Math.ceil(network.clock.now() / 1000) + 10), "ratelimit-remaining": "0" },
    };
  }
  const { progress } = await crawlAll(network, folder);
  await assertWhole(network, folder);
  assert.deepEqual(progress.failed, {});
  for (const host of Object.keys(resets)) {
    const requests = network.pds.get(host)!.host.requests.filter(({ did }) => did !== null);
    const refused = requests.filter(({ status }) => status === 429);
    assert.ok(refused.length >= 2, host);
    for (const request of refused) {
      // A request that was under way when the host said so still arrives.
      const after = requests.find(({ at }) => at > request.at + transitMs(network));
      if (after !== undefined)
        assert.ok(after.at - request.at >= 10_000, `${host}: asked again after ${after.at - request.at} ms`);
      assert.ok(network.fetches(request.did!).some(({ status }) => status === 200));
    }
  }
});

test("five failures in a row halve the rate, ten leave the host alone, and a probe finds it well again", async (t) => {
  const network = await startNetwork(t, { accounts: [50], speed });
  const folder = makeFolder(t);
  const { conduct, host } = network.pds.get("pds-0.atp.example")!;
  let failures = 0;
  conduct.instead = (response) => {
    if (++failures >= 11) conduct.instead = null;
    response.writeHead(503).end();
  };
  await crawlAll(network, folder, { probeAfter: 10 });
  await assertWhole(network, folder);
  const times = host.requests.filter(({ did }) => did !== null).map(({ at }) => at);
  // Four intervals take 2 s at the full rate and 4 s at half of it.
  const halved = times[9]! - times[5]!;
  assert.ok(halved >= 4_000 - transitMs(network), `${halved} ms for the five requests after five failures`);
  const gap = Math.max(...times.slice(9, 12).map((time, index) => time - times[8 + index]!));
  assert.ok(gap >= 10_000, `blocked for ${gap} ms`);
});
