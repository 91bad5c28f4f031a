/** What hosts do wrong, each in its class: nothing bad is stored, nothing good is lost, and the rest continues. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { catRepo } from "../../src/atproto/catalogue/cat-repo.ts";
import { makeCertificate } from "../../src/net/testing/certificate.ts";
import { AT_NAMES, type FaultName, QUIET_FAULTS } from "../servers/at-network.ts";
import {
  assertWhole,
  crawlAll,
  makeFolder,
  noSuchName,
  startCrawl,
  startNetwork,
  storedDids,
  summaryOf,
  whileRunning,
} from "./crawling.ts";

/** Classes of DIDs that no later crawl requests. */
const FINAL = new Set(["not_found", "takendown", "parse_error"]);

test("one DID's fault: its class, its DID in the state, and all others stored", async (t) => {
  const network = await startNetwork(t, { accounts: [10, 5], faults: QUIET_FAULTS });
  const folder = makeFolder(t);
  const names: string[] = [];
  const lookup = (name: string) => {
    names.push(name);
    return noSuchName(name);
  };
  const { progress, failures, end } = await crawlAll(network, folder, {}, { lookup });
  await assertWhole(network, folder);
  assert.deepEqual(names, [], "a redirect is not followed");
  const expected = Object.fromEntries([...network.bad].map(([name, accounts]) => [name, accounts.length]));
  assert.deepEqual(progress.failed, expected);
  for (const [name, accounts] of network.bad) {
    for (const { did, fault } of accounts) {
      // The list of the host says so already, and nothing is fetched.
      if (["takendown", "suspended", "deactivated"].includes(name))
        assert.equal(network.fetches(did).length, 0, fault!);
      else assert.equal(failures.get(did)?.class, name, fault!);
    }
  }
  const { failed, completed } = await summaryOf(folder);
  assert.deepEqual(failed, expected);
  const gone = [...network.bad].filter(([name]) => FINAL.has(name)).flatMap(([, accounts]) => accounts);
  // What a list says of an account is not taken for good: it may live elsewhere.
  assert.ok(completed >= network.good.length && completed <= network.good.length + gone.length);
  const left = end.failed.map(({ class: name }) => name as string).sort();
  assert.deepEqual(
    left,
    Object.keys(expected)
      .filter((name) => !FINAL.has(name))
      .sort(),
  );
});

test("the names of errors, as getRepo gives them", async (t) => {
  // Through a list of DIDs nothing is known beforehand, so each is asked for.
  const network = await startNetwork(t, {
    accounts: [2],
    faults: ["takendown", "suspended", "deactivated", "notFound"],
  });
  const folder = makeFolder(t);
  writeFileSync(join(folder, "dids.txt"), network.accounts.map(({ did }) => did).join("\n"));
  const { failures } = await crawlAll(network, folder, { source: [`dids:${join(folder, "dids.txt")}`] });
  for (const name of ["takendown", "suspended", "deactivated"] as const) {
    assert.equal(failures.get(network.faulty(name).did)?.class, name);
  }
  const { completed } = await summaryOf(folder);
  assert.equal(completed, 2 + 2, "two good ones, one taken down, one that is not there");
});

test("a record that cannot be decoded is left out and counted; the rest of its repo is stored", async (t) => {
  const network = await startNetwork(t, { accounts: [1], faults: ["badRecord"] });
  const folder = makeFolder(t);
  const { progress } = await crawlAll(network, folder);
  const { did, repo } = network.faulty("badRecord");
  assert.equal(progress.undecodable, 1);
  const found = await catRepo({ folder: join(folder, "rca"), did, onDamage: () => assert.fail() });
  assert.deepEqual(
    [...found!.records].map(({ collection, rkey }) => `${collection}/${rkey}`),
    repo.paths,
  );
});

test("--verify none stores what hashes would refuse; full refuses what another key signed", async (t) => {
  const network = await startNetwork(t, {
    accounts: [3],
    faults: ["badHash", "foreignSignature", "commitV2", "untidy"],
  });
  const [badHash, foreign] = [network.faulty("badHash").did, network.faulty("foreignSignature").did];
  const none = makeFolder(t);
  await crawlAll(network, none, { verify: "none" });
  assert.ok((await storedDids(none)).includes(badHash));
  const full = makeFolder(t);
  const { failures } = await crawlAll(network, full, { verify: "full" });
  assert.deepEqual(
    [...failures].map(([did, { class: name }]) => [did, name]).sort(),
    [
      [badHash, "invalid_car"],
      [foreign, "bad_signature"],
    ].sort(),
  );
  assert.deepEqual(
    await storedDids(full),
    network.accounts
      .map(({ did }) => did)
      .filter((did) => did !== badHash && did !== foreign)
      .sort(),
  );
});

/** Faults of hosts in trouble, each on a separate host. */
const TROUBLE: FaultName[] = ["unavailable", "serverError", "busyForever", "resetMidway", "shortBody"];

test("a host in trouble gets its class after all attempts, and no other host waits for it", async (t) => {
  const untrusted = await makeCertificate(...AT_NAMES);
  const network = await startNetwork(t, { accounts: [6], faults: TROUBLE, untrusted, speed: 200 });
  const folder = makeFolder(t);
  const { failures, end } = await crawlAll(network, folder);
  await assertWhole(network, folder);
  for (const fault of TROUBLE) {
    const { did } = network.faulty(fault);
    assert.ok(
      [...network.bad].some(
        ([name, accounts]) => name === failures.get(did)?.class && accounts.some((one) => one.did === did),
      ),
      `${fault}: ${failures.get(did)?.class}`,
    );
    assert.ok(network.fetches(did).length > 1, `${fault} was tried again`);
  }
  // Its list cannot be read either, so its repos are not known; that is reported.
  assert.deepEqual(
    end.unread.map(({ source }) => source),
    ["https://untrusted.atp.example"],
  );
});

test("a host that dies and returns: its repos wait, and all come", async (t) => {
  const network = await startNetwork(t, { accounts: [40, 10], speed: 100 });
  const folder = makeFolder(t);
  const { host } = network.pds.get("pds-0.atp.example")!;
  const dies = network.until(15);
  const run = await startCrawl(network, folder, { probeAfter: 5, probes: 8 });
  await whileRunning(run, dies);
  await host.down();
  // It is given up no sooner than its probes are spent; the other host continues meanwhile.
  const other = network.pds.get("pds-1.atp.example")!.accounts;
  const { promise: othersDone, resolve } = Promise.withResolvers<void>();
  const watch = setInterval(() => {
    if (
      other.every(({ did }) => network.fetches(did).length > 0) &&
      run.crawl.hosts().some(({ state }) => state === "blocked")
    )
      resolve();
  }, 5);
  t.after(() => clearInterval(watch));
  await whileRunning(run, othersDone);
  await host.up();
  const { end } = await run.outcome;
  assert.equal(end.state, "completed");
  await assertWhole(network, folder);
});

test("a host that never returns is given up: its repos are left to the next crawl, which fetches them", async (t) => {
  const network = await startNetwork(t, { accounts: [30, 10], speed: 200 });
  const folder = makeFolder(t);
  const { host, accounts } = network.pds.get("pds-0.atp.example")!;
  const dies = network.until(10);
  const run = await startCrawl(network, folder, { probeAfter: 1, probes: 2 });
  await whileRunning(run, dies);
  await host.down();
  const { end, progress } = await run.outcome;
  assert.equal(end.state, "completed");
  const lost =
    accounts.length - (await storedDids(folder)).filter((did) => accounts.some((one) => one.did === did)).length;
  assert.ok(lost > 0);
  const reported = Object.values(progress.failed).reduce((sum, many) => sum + many, 0);
  assert.equal(reported, lost, "each of them is reported");
  await host.up();
  await crawlAll(network, folder);
  await assertWhole(network, folder);
});
