/** Ten defects of the Go crawler that this product replaces: each has its test. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  assertWhole,
  crawlAll,
  goodDids,
  makeFolder,
  startCrawl,
  startNetwork,
  storedDids,
  summaryOf,
  whileRunning,
} from "./crawling.ts";

test("1. --resume continues: what was read and settled is neither listed nor fetched again", async (t) => {
  const network = await startNetwork(t, { accounts: [40, 20], pageSize: 5 });
  const folder = makeFolder(t);
  const half = network.until(25);
  const run = await startCrawl(network, folder);
  await whileRunning(run, half);
  await run.crawl.pause();
  await run.crawl.stop();
  const before = await storedDids(folder);
  assert.ok(before.length >= 20 && before.length < 60);
  const { cursors } = await summaryOf(folder);
  assert.ok(Object.keys(cursors).length > 0, "the crawl remembers how far it is");
  network.reset();
  await crawlAll(network, folder, { resume: true });
  await assertWhole(network, folder);
  for (const did of before) assert.deepEqual(network.fetches(did), []);
  const lists = network.pds.get("pds-0.atp.example")!.host.requests.filter(({ path }) => path.includes("listRepos"));
  assert.ok(lists.length > 0 && lists.every(({ path }) => path.includes("cursor=")), "from the cursor on");
});

test("2. A second run leaves the segments of the first as they are", async (t) => {
  const network = await startNetwork(t, { accounts: [30] });
  const folder = makeFolder(t);
  const half = network.until(12);
  const run = await startCrawl(network, folder);
  await whileRunning(run, half);
  await run.crawl.stop();
  const names = readdirSync(join(folder, "rca")).filter((name) => name.endsWith(".rca"));
  const first = names.map((name) => readFileSync(join(folder, "rca", name)));
  assert.ok(names.length > 0);
  await crawlAll(network, folder, { resume: true });
  await assertWhole(network, folder);
  for (const [index, name] of names.entries()) assert.deepEqual(readFileSync(join(folder, "rca", name)), first[index]);
});

test("3. The cursor never passes a DID that is not settled", async (t) => {
  const network = await startNetwork(t, { accounts: [30], faults: ["deactivated"], pageSize: 5, webDids: 0 });
  const folder = makeFolder(t);
  const { accounts } = network.pds.get("pds-0.atp.example")!;
  const [held] = accounts.filter(({ fault }) => fault === null).sort((a, b) => (a.did < b.did ? -1 : 1));
  // The first of the list is never answered; all the others are.
  held!.fault = "silent";
  const { promise: othersStored, resolve } = Promise.withResolvers<void>();
  let stored = 0;
  const onRepo = () => {
    if (++stored === 29) resolve();
  };
  const run = await startCrawl(network, folder, {}, { events: { onRepo } });
  await whileRunning(run, othersStored);
  await run.crawl.stop();
  const { cursors, completed } = await summaryOf(folder);
  assert.ok(completed >= 29);
  assert.deepEqual(cursors, {}, "its page is the first, so there is nothing that may be passed");
  held!.fault = null;
  await crawlAll(network, folder, { resume: true });
  assert.deepEqual(await storedDids(folder), goodDids(network));
});

test("4. 429 slows the host, is not a failure, and the DID is tried again", async (t) => {
  const network = await startNetwork(t, { accounts: [10], speed: 200 });
  const folder = makeFolder(t);
  network.pds.get("pds-0.atp.example")!.conduct.busy = { every: 2, burst: 3, headers: () => ({ "retry-after": "10" }) };
  const { progress } = await crawlAll(network, folder);
  await assertWhole(network, folder);
  assert.deepEqual(progress.failed, {});
  assert.deepEqual((await summaryOf(folder)).failed, {});
});

test("5. A host is in the class of all its repos, not of its first page", async (t) => {
  const network = await startNetwork(t, { accounts: [140], pageSize: 10, records: 4, speed: 10 });
  const folder = makeFolder(t);
  await crawlAll(network, folder);
  const times = network
    .requests()
    .filter(({ did }) => did !== null)
    .map(({ at }) => at);
  const gaps = times.slice(1).map((time, index) => time - times[index]!);
  const usual = gaps.sort((one, other) => one - other)[gaps.length >> 1]!;
  assert.ok(usual < 350, `a repo every ${usual} ms; at 2 a second it would be 500, at 5 it is 200`);
});

test("6. A body over the cap is too_large, with its size, and is tried again by a later crawl", async (t) => {
  const network = await startNetwork(t, { accounts: [3], faults: ["tooLarge", "tooLargeUnannounced"] });
  const folder = makeFolder(t);
  const { failures } = await crawlAll(network, folder, { maxRepoSize: "1MB" });
  const [announced, other] = [network.faulty("tooLarge").did, network.faulty("tooLargeUnannounced").did];
  assert.deepEqual(failures.get(announced), { class: "too_large", detail: `${101 * 1024 * 1024} bytes` });
  assert.deepEqual(failures.get(other), { class: "too_large", detail: `more than ${1024 * 1024} bytes` });
  assert.equal((await summaryOf(folder)).completed, 3);
  network.faulty("tooLarge").fault = null;
  await crawlAll(network, folder);
  assert.ok((await storedDids(folder)).includes(announced), "a later crawl requests it again");
});

test("7. Missing blocks, another's commit and cut CARs are refused, with the reason", async (t) => {
  const network = await startNetwork(t, { accounts: [3], faults: ["missingBlock", "wrongDid", "truncatedCar"] });
  const folder = makeFolder(t);
  const { failures } = await crawlAll(network, folder);
  await assertWhole(network, folder);
  for (const fault of ["missingBlock", "wrongDid", "truncatedCar"] as const) {
    const failure = failures.get(network.faulty(fault).did);
    assert.ok(failure !== undefined && (failure.detail ?? "").length > 10, `${fault}: ${failure?.detail}`);
  }
});

test("8. Suspended and deactivated accounts are tried again by the next crawl", async (t) => {
  const network = await startNetwork(t, { accounts: [3], faults: ["suspended", "deactivated"] });
  const folder = makeFolder(t);
  await crawlAll(network, folder);
  assert.equal((await summaryOf(folder)).completed, 3);
  for (const fault of ["suspended", "deactivated"] as const) network.faulty(fault).fault = null;
  await crawlAll(network, folder);
  assert.deepEqual(await storedDids(folder), network.accounts.map(({ did }) => did).sort());
  assert.deepEqual((await summaryOf(folder)).failed, {}, "and are not failures any more");
});

test("9. did:web accounts are crawled", async (t) => {
  const network = await startNetwork(t, { accounts: [6], webDids: 4 });
  const folder = makeFolder(t);
  const file = join(folder, "dids.txt");
  writeFileSync(file, network.accounts.map(({ did }) => did).join("\n"));
  await crawlAll(network, folder, { source: [`dids:${file}`], verify: "full" });
  await assertWhole(network, folder);
  assert.equal((await storedDids(folder)).filter((did) => did.startsWith("did:web:")).length, 4);
});

test("10. Hosts that never answer keep few workers busy, and not for long", async (t) => {
  const network = await startNetwork(t, { accounts: [12, 12], speed: 100 });
  const folder = makeFolder(t);
  // The first host accepts requests and never answers.
  network.pds.get("pds-0.atp.example")!.conduct.instead = () => {};
  const began = network.clock.now();
  const settings = { workers: 6, firstByteTimeout: 30, blockAfter: 3, probeAfter: 1, probes: 1 };
  const { failures, end } = await crawlAll(network, folder, settings);
  const seconds = (network.clock.now() - began) / 1000;
  assert.ok(seconds < 120, `${seconds} s: twelve repos with all their tries would take 270`);
  assert.equal((await storedDids(folder)).length, 12);
  assert.equal(failures.size, 12);
  assert.ok(end.failed.every(({ class: name }) => name === "timeout" || name === "unavailable"));
  assert.ok(statSync(join(folder, "rca", "segment_0001.rca")).size > 0);
});
