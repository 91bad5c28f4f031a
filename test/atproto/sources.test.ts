/** The network crawled through each source: the same repos come out, whichever way the DIDs came. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { catRepo } from "../../src/atproto/catalogue/cat-repo.ts";
import { ClickHouseTarget } from "../../src/atproto/replay/clickhouse-target.ts";
import { applySchema } from "../../src/atproto/replay/replay-tables.ts";
import { startClickHouse } from "../../src/atproto/replay/testing/clickhouse-server.ts";
import {
  assertWhole,
  crawlAll,
  goodDids,
  makeFolder,
  startCrawl,
  startNetwork,
  storedDids,
  whileRunning,
} from "./crawling.ts";

const SMALL = { accounts: [12, 6, 9], webDids: 3 };

test("relay: every PDS that it names, page by page", async (t) => {
  const network = await startNetwork(t, { ...SMALL, pageSize: 5 });
  const folder = makeFolder(t);
  const { progress } = await crawlAll(network, folder);
  await assertWhole(network, folder);
  assert.equal(progress.stored, network.good.length);
  assert.equal(
    progress.records,
    network.good.reduce((sum, { repo }) => sum + repo.paths.length, 0),
  );
  for (const { did } of network.good) assert.equal(network.fetches(did).length, 1, "one fetch per repo");
  assert.equal(network.openSockets(), 0);
});

test("the records are those of the repo, in the order of its tree", async (t) => {
  const network = await startNetwork(t, { accounts: [6] });
  const folder = makeFolder(t);
  await crawlAll(network, folder);
  for (const { did, repo, host } of network.good) {
    const found = await catRepo({ folder: join(folder, "rca"), did, onDamage: () => assert.fail() });
    const paths = [...found!.records].map(({ collection, rkey }) => `${collection}/${rkey}`);
    assert.deepEqual(paths, repo.paths);
    assert.deepEqual([found!.repo.rev, found!.repo.pds], [repo.rev, `https://${host}`]);
  }
});

test("pds: one PDS, and several", async (t) => {
  const network = await startNetwork(t, { ...SMALL, webDids: 0 });
  const folder = makeFolder(t);
  const [first, second, third] = [...network.pds.values()].map(({ host }) => `pds:${host.url}`);
  await crawlAll(network, folder, { source: [first] });
  assert.deepEqual(
    await storedDids(folder),
    network.accounts
      .filter(({ host }) => host === "pds-0.atp.example")
      .map(({ did }) => did)
      .sort(),
  );
  await crawlAll(network, folder, { source: [second, third] });
  await assertWhole(network, folder);
});

for (const [name, pack] of [
  ["plain", (text: string) => Buffer.from(text)],
  ["gz", (text: string) => gzipSync(text)],
  ["zst", (text: string) => zstdCompressSync(text)],
] as const) {
  for (const sequenced of [false, true]) {
    if (name !== "plain" && sequenced) continue;
    test(`plc: a file of the export, ${name}${sequenced ? " with sequence numbers" : ""}`, async (t) => {
      const network = await startNetwork(t, { accounts: [8, 7] });
      const folder = makeFolder(t);
      const file = join(folder, `export.jsonl${name === "plain" ? "" : `.${name}`}`);
      writeFileSync(file, pack(network.exportText(sequenced)));
      await crawlAll(network, folder, { source: [`plc:${file}`] });
      await assertWhole(network, folder);
    });
  }
}

test("plc: the directory itself, more than one page, with tombstones, moved accounts and nullified operations", async (t) => {
  const network = await startNetwork(t, { accounts: [8, 7], tombstones: 700 });
  const folder = makeFolder(t);
  await crawlAll(network, folder, { source: [`plc:${network.plc.url}`] });
  await assertWhole(network, folder);
  assert.ok(network.plc.requests.length >= 2);
  const asked = new Set(network.requests().map(({ host }) => host));
  assert.deepEqual(
    [...asked].filter((host) => /left-behind|nullified/.test(host)),
    [],
  );
});

test("dids: a file, with and without the PDS; did:plc and did:web are looked up", async (t) => {
  const network = await startNetwork(t, SMALL);
  const folder = makeFolder(t);
  const lines = network.accounts.map(({ did, host }, index) =>
    index % 2 === 0 ? did : `${did}\t${network.pds.get(host)!.host.url}`,
  );
  const file = join(folder, "dids.txt");
  writeFileSync(file, `${lines.join("\n")}\n\nnot a did\n`);
  await crawlAll(network, folder, { source: [`dids:${file}`] });
  await assertWhole(network, folder);
  assert.ok(goodDids(network).some((did) => did.startsWith("did:web:")));
});

test("untrusted addresses: anything but a public https host is never requested", async (t) => {
  const network = await startNetwork(t, { accounts: [3], plain: true });
  const folder = makeFolder(t);
  const { port } = network.pds.get("pds-0.atp.example")!.host;
  const file = join(folder, "dids.txt");
  const hosts = [
    "http://127.0.0.1",
    "https://127.0.0.1",
    "https://localhost",
    "https://[::1]",
    "http://pds-0.atp.example",
  ];
  const lines = hosts.map((host, index) => `${network.accounts[index % 3]!.did}\t${host}:${port}`);
  writeFileSync(file, lines.join("\n"));
  const { progress } = await crawlAll(network, folder, { source: [`dids:${file}`], allowPrivate: false });
  assert.equal(progress.skipped.bad_endpoint, hosts.length);
  assert.deepEqual(network.requests(), []);
});

test("--skip-pds leaves hosts out, by pattern", async (t) => {
  const network = await startNetwork(t, { accounts: [3, 4, 5] });
  const folder = makeFolder(t);
  await crawlAll(network, folder, { skipPds: ["pds-1.atp.*", "/pds-2\\./"] });
  assert.deepEqual(
    await storedDids(folder),
    network.accounts
      .filter(({ host }) => host.startsWith("pds-0"))
      .map(({ did }) => did)
      .sort(),
  );
  assert.deepEqual(network.pds.get("pds-1.atp.example")!.host.requests, []);
});

test("clickhouse: pages of plc_did_state, newest state of each DID, and on from the cursor", async (t) => {
  const server = await startClickHouse();
  if (server === null) return t.skip("clickhouse-server is not installed");
  await using _ = server;
  const network = await startNetwork(t, { accounts: [9, 8] });
  const folder = makeFolder(t);
  await using target = new ClickHouseTarget(server.address);
  await applySchema(target);
  const rows = network.accounts.flatMap(({ did, host, index }) => [
    // Where it lived before; the greater time_us counts.
    ...(index % 2 === 0 ? [`${did}\thttps://left-behind.atp.example\t1`] : []),
    `${did}\t${network.pds.get(host)!.host.url}\t2`,
  ]);
  rows.push(`${network.accounts[0]!.did.slice(0, -1)}a\t\t3`, "did:plc:not valid'--\thttps://pds-0.atp.example\t3");
  await target.insert("plc_did_state", ["did", "pds", "time_us"], Buffer.from(`${rows.join("\n")}\n`));
  const { url, database, username } = server.address;
  const settings = {
    source: ["clickhouse"],
    pageSize: 4,
    clickhouseUrl: url,
    clickhouseDatabase: database,
    clickhouseUsername: username,
  };
  const half = network.until(5);
  const run = await startCrawl(network, folder, settings);
  await whileRunning(run, half);
  await run.crawl.pause();
  await run.crawl.stop();
  const { progress } = await crawlAll(network, folder, { ...settings, resume: true });
  await assertWhole(network, folder);
  assert.ok((progress.skipped.completed ?? 0) < network.good.length, "it continued from the cursor");
  for (const { did } of network.good) assert.ok(network.fetches(did).length <= 2);
});
