/** Who has an account, and whose signature counts, is what its DID document says: hosts can neither forge nor erase it. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { P256Keypair, Secp256k1Keypair } from "@atproto/crypto";
import { catRepo } from "../../src/atproto/catalogue/cat-repo.ts";
import { decodeBase58, encodeBase58 } from "../../src/atproto/repo/multibase.ts";
import { sleep } from "../../src/kernel/clock.ts";
import { type Account, repoOf } from "../servers/at-network/accounts.ts";
import type { AtNetwork } from "../servers/at-network.ts";
import { assertWhole, crawlAll, goodDids, makeFolder, startNetwork, storedDids, summaryOf } from "./crawling.ts";

const pdsOf = (network: AtNetwork, number: number) => network.pds.get(`pds-${number}.atp.example`)!;

/** A repo of the same DID, signed with a key of the forger's, and newer. */
async function forged(victim: Account): Promise<Account> {
  const forger = { ...victim, key: await Secp256k1Keypair.create({ exportable: true }), version: 9 };
  return { ...forger, repo: await repoOf(forger, 4, 77) };
}

async function recordsOf(folder: string, did: string): Promise<{ pds: string; rev: string }> {
  const found = await catRepo({ folder: join(folder, "rca"), did, onDamage: () => assert.fail() });
  return found!.repo;
}

for (const verify of ["full", "blocks"]) {
  test(`a host that lists somebody else's DIDs, and serves them, changes nothing (--verify ${verify})`, async (t) => {
    const network = await startNetwork(t, { accounts: [6, 2] });
    const folder = makeFolder(t);
    const victims = pdsOf(network, 0).accounts;
    pdsOf(network, 1).accounts.push(...(await Promise.all(victims.slice(1, 4).map(forged))));
    // The forger is read first.
    const source = [`pds:${pdsOf(network, 1).host.url}`, `relay:${network.relay.url}`];
    const { progress } = await crawlAll(network, folder, { source, verify });
    await assertWhole(network, folder);
    for (const { did, repo } of victims) {
      const stored = await recordsOf(folder, did);
      assert.deepEqual([stored.pds, stored.rev], [pdsOf(network, 0).host.url, repo.rev]);
    }
    assert.ok((progress.skipped.not_host ?? 0) >= 3, "the claims are counted");
    const asked = pdsOf(network, 1).host.requests.filter(({ did }) => victims.some((victim) => victim.did === did));
    assert.deepEqual(asked, [], "and the forger is not asked for them");
  });
}

test("a host that lists somebody else's accounts as deleted, or answers that it has none, erases nothing", async (t) => {
  const network = await startNetwork(t, { accounts: [4, 2], faults: [] });
  const folder = makeFolder(t);
  const [first, second] = pdsOf(network, 0).accounts.slice(1) as [Account, Account];
  pdsOf(network, 1).accounts.push({ ...first, fault: "takendown" }, { ...second, fault: "notFound" });
  const source = [`pds:${pdsOf(network, 1).host.url}`, `pds:${pdsOf(network, 0).host.url}`];
  await crawlAll(network, folder, { source });
  await assertWhole(network, folder);
});

test("an account that moved: the old host answers RepoNotFound, and the new one is asked", async (t) => {
  const network = await startNetwork(t, { accounts: [5, 3], tombstones: 0 });
  const folder = makeFolder(t);
  // The export is from before the move.
  const file = join(folder, "export.jsonl");
  writeFileSync(file, network.exportText());
  const moved = pdsOf(network, 0).accounts.splice(1, 2);
  pdsOf(network, 1).accounts.push(...moved);
  for (const account of moved) account.host = "pds-1.atp.example";
  const { progress } = await crawlAll(network, folder, { source: [`plc:${file}`] });
  await assertWhole(network, folder);
  assert.deepEqual(progress.failed, {});
  for (const { did } of moved) assert.equal((await recordsOf(folder, did)).pds, pdsOf(network, 1).host.url);
});

test("an account that moved, and whose old host still lists and serves it as it was: the new host is asked", async (t) => {
  const network = await startNetwork(t, { accounts: [6, 3], tombstones: 0 });
  const folder = makeFolder(t);
  // The export is from before the move, so the old host's word agrees with it.
  const file = join(folder, "export.jsonl");
  writeFileSync(file, network.exportText());
  const moved = pdsOf(network, 0).accounts[5]!;
  pdsOf(network, 0).accounts[5] = { ...moved };
  moved.host = "pds-1.atp.example";
  await network.change(moved.did);
  pdsOf(network, 1).accounts.push(moved);
  await crawlAll(network, folder, { identities: file });
  const stored = await recordsOf(folder, moved.did);
  assert.deepEqual([stored.pds, stored.rev], [pdsOf(network, 1).host.url, moved.repo.rev]);
});

test("an account that moved since it was looked up, hours ago: the claim of its new host has it looked up again", async (t) => {
  const network = await startNetwork(t, { accounts: [5, 3], tombstones: 0, speed: 5_000 });
  const folder = makeFolder(t);
  await crawlAll(network, folder);
  const moved = pdsOf(network, 0).accounts[1]!;
  pdsOf(network, 0).accounts[1] = { ...moved };
  moved.host = "pds-1.atp.example";
  await network.change(moved.did);
  pdsOf(network, 1).accounts.push(moved);
  await sleep(network.clock, 2 * 60 * 60_000, undefined);
  await crawlAll(network, folder, { since: join(folder, "rca") });
  const stored = await recordsOf(folder, moved.did);
  assert.deepEqual([stored.pds, stored.rev], [pdsOf(network, 1).host.url, moved.repo.rev]);
});

test("a list of DIDs without their hosts, with --identities: no DID of the export is looked up by itself", async (t) => {
  const network = await startNetwork(t, { accounts: [6, 4] });
  const folder = makeFolder(t);
  const [file, list] = [join(folder, "export.jsonl"), join(folder, "dids.txt")];
  writeFileSync(file, network.exportText());
  writeFileSync(list, network.accounts.map(({ did }) => did).join("\n"));
  await crawlAll(network, folder, { source: [`dids:${list}`], identities: file });
  await assertWhole(network, folder);
  assert.equal(network.plc.requests.length, 0);
});

test("a failure at one host does not keep another from being asked, even by the next crawl", async (t) => {
  const network = await startNetwork(t, { accounts: [5, 3], faults: ["notFound"] });
  const folder = makeFolder(t);
  await crawlAll(network, folder);
  const lost = network.faulty("notFound");
  assert.equal((await summaryOf(folder)).failed["not_found"], 1);
  network.reset();
  await crawlAll(network, folder, { identityMaxAge: 0.0001 });
  assert.deepEqual(network.fetches(lost.did), [], "the same host is not asked again for some days");
  pdsOf(network, 0).accounts.splice(pdsOf(network, 0).accounts.indexOf(lost), 1);
  pdsOf(network, 1).accounts.push(lost);
  lost.host = "pds-1.atp.example";
  lost.fault = null;
  await crawlAll(network, folder, { identityMaxAge: 0.0001 });
  assert.ok((await storedDids(folder)).includes(lost.did));
});

test("a key that was rotated: the document is asked for once more, and the repo is stored", async (t) => {
  const network = await startNetwork(t, { accounts: [4] });
  const folder = makeFolder(t);
  await crawlAll(network, folder);
  const account = network.good[2]!;
  account.key = await P256Keypair.create({ exportable: true });
  await network.change(account.did);
  network.reset();
  const { progress } = await crawlAll(network, folder, { since: join(folder, "rca"), resume: false });
  assert.deepEqual([progress.stored, progress.failed], [1, {}]);
  assert.equal((await recordsOf(folder, account.did)).rev, account.repo.rev);
  const lookups = network.plc.requests.filter(({ path }) => path.includes(account.did));
  assert.equal(lookups.length, 1);
});

test("a repo with another key's signature is bad_signature after one more look at the document, and tried by the next crawl", async (t) => {
  const network = await startNetwork(t, { accounts: [3], faults: ["foreignSignature"] });
  const folder = makeFolder(t);
  const { failures } = await crawlAll(network, folder);
  const { did } = network.faulty("foreignSignature");
  assert.equal(failures.get(did)?.class, "bad_signature");
  assert.equal(network.plc.requests.filter(({ path }) => path.includes(did)).length, 2);
  assert.deepEqual(await storedDids(folder), goodDids(network));
  network.reset();
  await crawlAll(network, folder);
  assert.ok(network.fetches(did).length > 0);
});

test("documents from before Multikey, of both curves, compressed or not", async (t) => {
  const network = await startNetwork(t, { accounts: [6] });
  const folder = makeFolder(t);
  for (const account of network.accounts) {
    const isP256 = account.index % 3 === 2;
    const type = `EcdsaSecp256${isP256 ? "r1" : "k1"}VerificationKey2019`;
    const point =
      account.index % 2 === 0
        ? decodeBase58(account.key.did().slice("did:key:z".length))!.subarray(2)
        : (account.key as Secp256k1Keypair).publicKeyBytes();
    account.oldKey = { type, publicKeyMultibase: `z${encodeBase58(point)}` };
  }
  await crawlAll(network, folder);
  await assertWhole(network, folder);
});

test("a document without a usable key: nothing is stored as verified, and the reason is said", async (t) => {
  const network = await startNetwork(t, { accounts: [3] });
  const folder = makeFolder(t);
  const account = network.good[1]!;
  account.oldKey = {
    type: "Ed25519VerificationKey2020",
    publicKeyMultibase: "z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK",
  };
  const { failures } = await crawlAll(network, folder);
  assert.deepEqual([...failures.keys()], [account.did]);
  assert.match(failures.get(account.did)!.detail!, /no signing key/);
});

test("did:web: the document of its own host decides; one that does not answer holds up nobody", async (t) => {
  const network = await startNetwork(t, { accounts: [3, 6], webDids: 4 });
  const folder = makeFolder(t);
  pdsOf(network, 0).accounts.push({ ...network.good[1]!, did: "did:web:nowhere.example" });
  const { progress } = await crawlAll(network, folder);
  assert.deepEqual(await storedDids(folder), goodDids(network));
  assert.deepEqual(progress.failed, { unresolved: 1 });
});

test("--identities: no DID of the export is looked up by itself", async (t) => {
  const network = await startNetwork(t, { accounts: [6, 4], tombstones: 3 });
  const folder = makeFolder(t);
  const file = join(folder, "export.jsonl");
  writeFileSync(file, network.exportText());
  await crawlAll(network, folder, { identities: file });
  await assertWhole(network, folder);
  assert.equal(network.plc.requests.length, 0);
  const directory = makeFolder(t);
  await crawlAll(network, directory, { identities: network.plc.url });
  await assertWhole(network, directory);
  assert.ok(network.plc.requests.every(({ path }) => path.startsWith("/export")));
});

test("the directory is asked no faster than --plc-rps", async (t) => {
  const network = await startNetwork(t, { accounts: [6], speed: 2 });
  const folder = makeFolder(t);
  await crawlAll(network, folder, { plcRps: 5 });
  const times = network.plc.requests.map(({ at }) => at);
  assert.equal(times.length, 6);
  assert.ok(times.at(-1)! - times[0]! >= 5 * 200 - 100, `${times.at(-1)! - times[0]!} ms`);
});

test("a host is listed only as far as its relay, and the setting, let one expect; the rest is reported", async (t) => {
  const network = await startNetwork(t, { accounts: [9, 3], pageSize: 4 });
  const folder = makeFolder(t);
  const { end } = await crawlAll(network, folder, { maxAccounts: 6 });
  assert.deepEqual(
    end.unread.map(({ source }) => source),
    [pdsOf(network, 0).host.url],
  );
  assert.equal((await storedDids(folder)).length, 9);
  await crawlAll(network, folder, { resume: true });
  await assertWhole(network, folder);
});

test("a host that lists its repos in a circle is read once, reported, and the others are whole", async (t) => {
  const network = await startNetwork(t, { accounts: [9, 3], pageSize: 3 });
  const folder = makeFolder(t);
  pdsOf(network, 0).conduct.cursor = (end) => String(end % 9);
  const { end } = await crawlAll(network, folder);
  assert.deepEqual(
    end.unread.map(({ source, reason }) => [source, /in a circle/.test(reason)]),
    [[pdsOf(network, 0).host.url, true]],
  );
  await assertWhole(network, folder);
});

test("a host that answers every request with 500 is slowed down and left alone, and the others are not", async (t) => {
  const network = await startNetwork(t, { accounts: [60, 10], speed: 200 });
  const folder = makeFolder(t);
  const { host, conduct } = pdsOf(network, 0);
  conduct.instead = (response) => response.writeHead(500).end();
  const { end } = await crawlAll(network, folder, { probes: 2, probeAfter: 30 });
  assert.equal((await storedDids(folder)).length, 10);
  const asked = host.requests.filter(({ did }) => did !== null).length;
  assert.ok(asked <= 10 + 2 + 4, `${asked} requests`);
  assert.equal(
    end.failed.reduce((sum, { count }) => sum + count, 0),
    60,
  );
});
