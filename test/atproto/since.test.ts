/** A crawl after a crawl: only what changed is fetched, into a new archive or the same one. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { catalogueFolder } from "../../src/atproto/catalogue/catalogue.ts";
import { diffArchives } from "../../src/atproto/catalogue/diff-archives.ts";
import { findRepo } from "../../src/atproto/catalogue/find-repo.ts";
import { openWholeCatalogue } from "../../src/atproto/catalogue/index-segments.ts";
import { repairSegment } from "../../src/atproto/rca/repair/repair-segments.ts";
import { crawlAll, makeFolder, startNetwork, storedDids } from "./crawling.ts";

test("--since: repos whose rev is the same are not fetched; the others, and new ones, are", async (t) => {
  const network = await startNetwork(t, { accounts: [12, 8], faults: ["deactivated"] });
  const [before, after] = [makeFolder(t), makeFolder(t)];
  await crawlAll(network, before);
  const changed = [network.good[3]!.did, network.good[15]!.did];
  for (const did of changed) await network.change(did);
  const returned = network.faulty("deactivated");
  returned.fault = null;
  network.reset();
  const { progress } = await crawlAll(network, after, { since: join(before, "rca") });
  const fetched = network.requests().flatMap(({ did }) => (did === null ? [] : [did]));
  const expected = [...changed, returned.did].sort();
  assert.deepEqual(fetched.sort(), expected);
  assert.deepEqual(await storedDids(after), expected);
  assert.equal(progress.skipped.unchanged, network.good.length - changed.length);
  const changes: string[] = [];
  for await (const { did, change } of diffArchives(join(before, "rca"), join(after, "rca"), () => assert.fail())) {
    if (change !== "removed") changes.push(`${change} ${did}`);
  }
  assert.deepEqual(changes.sort(), [`added ${returned.did}`, ...changed.map((did) => `changed ${did}`)].sort());
});

test("--since: a host whose list has no usable revs is asked for each, and what changed is fetched", async (t) => {
  const network = await startNetwork(t, { accounts: [6] });
  const folder = makeFolder(t);
  await crawlAll(network, folder);
  const { conduct, host } = network.pds.get("pds-0.atp.example")!;
  conduct.listedRev = ({ index }) => ["", "0", "2020-01-01T00:00:00Z"][index % 3]!;
  const changed = network.good.slice(1, 4).map(({ did }) => did);
  for (const did of changed) await network.change(did);
  network.reset();
  await crawlAll(network, folder, { since: join(folder, "rca"), changesFrom: 1e9 });
  const fetched = host.requests.filter(({ method }) => method === "com.atproto.sync.getRepo").map(({ did }) => did!);
  assert.deepEqual(fetched.sort(), changed.sort());
});

test("--since its own folder: the archive gets a second, newer block of what changed", async (t) => {
  const network = await startNetwork(t, { accounts: [9] });
  const folder = makeFolder(t);
  await crawlAll(network, folder);
  const { did } = network.good[4]!;
  await network.change(did);
  network.reset();
  await crawlAll(network, folder, { since: join(folder, "rca") });
  assert.deepEqual(
    network.requests().flatMap((request) => request.did ?? []),
    [did],
  );
  assert.equal((await storedDids(folder)).filter((stored) => stored === did).length, 2);
  const { RepoArchive } = await import("../../src/atproto/rca/read/archive.ts");
  await using archive = await RepoArchive.open(join(folder, "rca"), () => assert.fail());
  assert.equal((await archive.find(did))!.rev, network.good[4]!.repo.rev, "the newest is found");
});

test("the catalogue is complete after a crawl, and what a repair dropped is fetched again", async (t) => {
  const network = await startNetwork(t, { accounts: [5], faults: ["deactivated"] });
  const folder = makeFolder(t);
  const rca = join(folder, "rca");
  await crawlAll(network, folder);
  const catalogue = await openWholeCatalogue(rca, catalogueFolder(rca));
  assert.ok(catalogue !== null, "every segment is covered");
  const { did } = network.good[2]!;
  assert.equal(catalogue.get(did)!.rev, network.good[2]!.repo.rev);
  assert.equal(catalogue.get(network.faulty("deactivated").did)!.status, "deactivated");
  const { offset, size } = catalogue.get(did)!.place!;
  catalogue.close();

  const path = join(rca, "segment_0001.rca");
  const bytes = readFileSync(path);
  bytes[offset + size - 1]! ^= 1;
  writeFileSync(path, bytes);
  await repairSegment(path, () => {});
  network.reset();
  await crawlAll(network, folder, { since: rca });
  assert.deepEqual(
    network.requests().flatMap((request) => request.did ?? []),
    [did],
  );
});

/** The DIDs of all accounts, in a file: a source that lists no revs. */
function didsFile(folder: string, dids: readonly string[]): string {
  const path = join(folder, "dids.txt");
  writeFileSync(path, dids.join("\n"));
  return `dids:${path}`;
}

test("an archive from a list of DIDs is updated: hosts are asked for the rev, and what cannot tell is fetched", async (t) => {
  const network = await startNetwork(t, { accounts: [6, 4] });
  const folder = makeFolder(t);
  const source = [
    didsFile(
      folder,
      network.good.map(({ did }) => did),
    ),
  ];
  await crawlAll(network, folder, { source });
  const [mute] = [...network.pds.values()].slice(1);
  mute!.conduct.tellsRevs = false;
  const changed = network.good[2]!;
  await network.change(changed.did);
  network.reset();
  const { progress } = await crawlAll(network, folder, { source, since: join(folder, "rca") });
  const asked = (method: string) =>
    network.requests().flatMap((one) => (one.method === `com.atproto.sync.${method}` ? [one.did] : []));
  const silent = network.good.filter(({ host }) => host === mute!.host.name).map(({ did }) => did);
  assert.ok(silent.length > 0 && !silent.includes(changed.did));
  assert.deepEqual(asked("getRepo").sort(), [changed.did, ...silent].sort());
  assert.equal(asked("getLatestCommit").length, network.good.length);
  assert.equal(progress.skipped.unchanged, network.good.length - silent.length - 1);
  const after = await openWholeCatalogue(join(folder, "rca"), catalogueFolder(join(folder, "rca")));
  assert.equal(after!.get(changed.did)!.rev, network.good[2]!.repo.rev);
  after!.close();
});

test("getRepo?since=: what the host sends is joined with what is stored; a host that sends too little is asked for all", async (t) => {
  const network = await startNetwork(t, { accounts: [2] });
  const folder = makeFolder(t);
  await crawlAll(network, folder);
  const old = new Map(network.good.map(({ did, repo }) => [did, repo.car]));
  for (const { did } of network.good) await network.change(did);
  const [whole, broken] = network.good;
  const conduct = [...network.pds.values()][0]!.conduct;
  conduct.changes = ({ did, repo }) => changesOf(repo.car, did === whole!.did ? old.get(did)! : repo.car);
  network.reset();
  await crawlAll(network, folder, { since: join(folder, "rca"), changesFrom: 1 });
  const fetches = network.requests().filter(({ did }) => did !== null);
  assert.equal(fetches.filter(({ path }) => path.includes("since=")).length, 2);
  assert.deepEqual(
    fetches.flatMap(({ path, did }) => (path.includes("since=") ? [] : [did])),
    [broken!.did],
  );
  for (const { did, repo } of network.good) {
    const found = await findRepo(join(folder, "rca"), did, () => assert.fail());
    assert.equal(found!.rev, repo.rev);
    const records = found!.collections.reduce((sum, { recordCount }) => sum + recordCount, 0);
    assert.equal(records, repo.paths.length);
  }
});

/** The commit, and the blocks that the older CAR does not have. */
function changesOf(car: Uint8Array, older: Uint8Array): Uint8Array {
  const known = new Set(sectionsOf(older).map((section) => section.toString("latin1")));
  const bytes = Buffer.from(car);
  const header = bytes.subarray(0, 1 + bytes[0]!);
  return Buffer.concat([header, ...sectionsOf(car).filter((section) => !known.has(section.toString("latin1")))]);
}

function sectionsOf(car: Uint8Array): Buffer[] {
  const bytes = Buffer.from(car);
  const sections: Buffer[] = [];
  for (let at = 1 + bytes[0]!; at < bytes.length; ) {
    let [length, shift, next] = [0, 0, at];
    for (let more = true; more; shift += 7) {
      length += (bytes[next]! & 0x7f) * 2 ** shift;
      more = bytes[next++]! >= 0x80;
    }
    sections.push(bytes.subarray(at, next + length));
    at = next + length;
  }
  return sections;
}
