/** Failures below HTTP: names that do not resolve, invalid certificates, hosts that are silent or drip. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Lookup } from "../../src/net/client.ts";
import { makeCertificate } from "../../src/net/testing/certificate.ts";
import { AT_NAMES, type AtNetwork, type FaultName, STEADY_BYTES } from "../servers/at-network.ts";
import {
  assertWhole,
  crawlAll,
  goodDids,
  makeFolder,
  noSuchName,
  reachSettings,
  startNetwork,
  storedDids,
  summaryOf,
  transitMs,
} from "./crawling.ts";

test("a name that does not resolve: its list is reported as not read, its repos are dns_error, and left to the next crawl", async (t) => {
  const network = await startNetwork(t, { accounts: [10, 3] });
  const folder = makeFolder(t);
  const { accounts, host } = network.pds.get("pds-1.atp.example")!;
  const elsewhere = goodDids(network).filter((did) => accounts.every((one) => one.did !== did));
  const asked: string[] = [];
  const lookup: Lookup = (name) => {
    asked.push(name);
    return noSuchName(name);
  };
  const { connectTo } = reachSettings(network, folder) as { connectTo: string[] };
  const unresolved = { connectTo: connectTo.filter((rule) => !rule.startsWith("pds-1.")) };

  const listed = await crawlAll(network, folder, unresolved, { lookup });
  assert.deepEqual(
    listed.end.unread.map(({ source }) => source),
    ["https://pds-1.atp.example"],
  );
  assert.deepEqual(await storedDids(folder), elsewhere);

  asked.length = 0;
  const source = [`plc:${network.plc.url}`];
  const { failures, progress } = await crawlAll(network, folder, { ...unresolved, source }, { lookup });
  assert.deepEqual(progress.failed, { dns_error: 3 });
  for (const { did } of accounts) assert.match(failures.get(did)!.detail!, /name/i);
  assert.deepEqual((await summaryOf(folder)).failed, { dns_error: 3 });
  assert.ok(asked.length > 0 && asked.length <= 2 * accounts.length, `asked ${asked.length} times`);
  assert.deepEqual([...new Set(asked)], ["pds-1.atp.example"], "no other name is looked up");
  assert.deepEqual(host.requests, []);

  await crawlAll(network, folder, { source });
  await assertWhole(network, folder);
});

test("a name server that fails once is asked again", async (t) => {
  const network = await startNetwork(t, { accounts: [5], plain: true });
  const folder = makeFolder(t);
  const { port } = network.pds.get("pds-0.atp.example")!.host;
  const dids = network.good.map(({ did }) => `${did}\thttp://pds.atp.example:${port}`);
  writeFileSync(join(folder, "dids.txt"), dids.join("\n"));
  let asked = 0;
  const lookup: Lookup = async (name) => {
    assert.equal(name, "pds.atp.example");
    if (++asked === 1) throw Object.assign(new Error("getaddrinfo EAI_AGAIN"), { code: "EAI_AGAIN" });
    return [{ address: "127.0.0.1", family: 4 }];
  };
  const { progress } = await crawlAll(
    network,
    folder,
    { source: [`dids:${join(folder, "dids.txt")}`], trustSources: true },
    { lookup },
  );
  await assertWhole(network, folder);
  assert.deepEqual(progress.failed, {});
  assert.equal(asked, 2);
});

test("an untrusted certificate, or one for another name: connection_error, and no request is sent", async (t) => {
  const untrusted = await makeCertificate(...AT_NAMES);
  const network = await startNetwork(t, { accounts: [4], untrusted });
  const folder = makeFolder(t);
  const { host, accounts } = network.pds.get("untrusted.atp.example")!;
  const [misnamed, ...others] = network.good;
  const dids = [
    `${accounts[0]!.did}\t${host.url}`,
    `${misnamed!.did}\thttps://pds.other.example`,
    ...others.map(({ did }) => `${did}\thttps://pds-0.atp.example`),
  ];
  writeFileSync(join(folder, "dids.txt"), dids.join("\n"));
  const { connectTo } = reachSettings(network, folder) as { connectTo: string[] };
  const other = `pds.other.example:443:127.0.0.1:${network.pds.get("pds-0.atp.example")!.host.port}`;
  const trusting = { source: [`dids:${join(folder, "dids.txt")}`], trustSources: true };
  const settings = { ...trusting, connectTo: [...connectTo, other] };
  const { failures } = await crawlAll(network, folder, settings);
  for (const { did } of [accounts[0]!, misnamed!]) {
    assert.equal(failures.get(did)?.class, "connection_error");
    assert.match(failures.get(did)!.detail!, /secure connection failed/);
    assert.deepEqual(network.fetches(did), []);
  }
  assert.deepEqual(await storedDids(folder), others.map(({ did }) => did).sort());
});

test("a host that never answers, and one that stops, do not keep workers busy", async (t) => {
  const network = await startNetwork(t, { accounts: [6], faults: ["silent", "slowDrip"], dripMs: 600_000, speed });
  const folder = makeFolder(t);
  const { failures } = await crawlAll(network, folder, LIMITS);
  await assertWhole(network, folder);
  for (const [fault, least] of [
    ["silent", 120],
    ["slowDrip", 60],
  ] as const) {
    assert.equal(failures.get(network.faulty(fault).did)?.class, "timeout");
    const held = heldSeconds(network, fault);
    assert.ok(held >= least, `${fault} was given up after ${held} s`);
  }
});

test("less than 64 KiB per second over a minute is given up, even after a fast start; anything faster may take its time", async (t) => {
  const dripMs = 2_000;
  assert.equal(STEADY_BYTES / (dripMs / 1000), 2 * LIMITS.minRate, "a steady host sends twice what it must");
  const faults: FaultName[] = ["slowDrip", "dripAfterBurst", "slowButSteady"];
  const network = await startNetwork(t, { accounts: [6], faults, dripMs, speed });
  const folder = makeFolder(t);
  const { failures } = await crawlAll(network, folder, LIMITS);
  await assertWhole(network, folder);
  for (const fault of ["slowDrip", "dripAfterBurst"] as const) {
    const { did } = network.faulty(fault);
    assert.equal(failures.get(did)?.class, "timeout", fault);
    assert.match(failures.get(did)!.detail!, /slow/i, "not for a pause: it never made one");
    assert.equal(network.fetches(did).length, 1, "a minute is enough for one crawl");
    // The burst pays for its own minute.
    const least = fault === "slowDrip" ? 60 : 120;
    const held = heldSeconds(network, fault);
    assert.ok(held >= least && held < 2 * least, `${fault} was given up after ${held} s`);
  }
  assert.equal(network.fetches(network.faulty("slowButSteady").did).length, 1);
  assert.ok(heldSeconds(network, "slowButSteady") > 60, "longer than what a dripping one gets");
});

const speed = 100;

/** The defaults, which `crawling.ts` leaves out. */
const LIMITS = { firstByteTimeout: 120, idleTimeout: 60, minRate: 65_536 };

/** The shortest time that a host had for an answer, as the crawl saw it: a request arrives later than it is sent. */
const heldSeconds = (network: AtNetwork, fault: FaultName): number => {
  const tries = network.fetches(network.faulty(fault).did);
  return (Math.min(...tries.map(({ at, until }) => until - at)) + transitMs(network)) / 1000;
};
