/** Whole crawls against small PDS servers on loopback: what is stored, what is not and why, and what a crash leaves. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { serveHttp } from "../net/testing/servers.ts";
import { parseAtprotoConfig } from "./atproto-config.ts";
import { AtprotoCrawl, type AtprotoCrawlOptions } from "./atproto-crawl.ts";
import { atprotoStatus, resetAtproto } from "./atproto-status.ts";
import type { AtprotoEnd, AtprotoProgress } from "./crawl/crawl-tally.ts";
import { RepoArchive } from "./rca/read/archive.ts";
import { makeKeys } from "./repo/testing/build-car.ts";
import { openState } from "./state/crawl-state.ts";
import { carOf, didOf, fakePds, sendCar, UNSIGNED, xrpcError } from "./testing/fake-pds.ts";
import { QuickClock } from "./testing/quick-clock.ts";

function folderOf(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-at-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Small hosts get two requests a second: time passes faster for most tests. */
const eager = new QuickClock();

interface Ran {
  end: AtprotoEnd;
  progress: AtprotoProgress;
  notices: string[];
}

async function run(outputDir: string, settings: object, more: Partial<AtprotoCrawlOptions> = {}): Promise<Ran> {
  const notices: string[] = [];
  const crawl = await AtprotoCrawl.start({
    config: parseAtprotoConfig({ outputDir, allowPrivate: true, ...UNSIGNED, ...settings }),
    events: { onNotice: (text) => notices.push(text) },
    threads: 1,
    random: () => 0.5,
    ...more,
  });
  const end = await crawl.ended;
  return { end, progress: crawl.progress(), notices };
}

/** DIDs of the archive in order, one entry a block. */
async function stored(folder: string): Promise<string[]> {
  await using archive = await RepoArchive.open(folder, ({ reason }) => assert.fail(reason));
  const dids: string[] = [];
  for await (const { did } of archive.repos()) dids.push(did);
  return dids.sort();
}

/** Events of a crawl, and a promise that resolves when so many repos are over. */
function repos(count: number) {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  return { reached, onRepo: () => void (--count === 0 && resolve()) };
}

const dids = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => didOf(from + index));

describe("a crawl of one PDS", () => {
  it("stores every repo once, and is complete", async (t) => {
    const folder = folderOf(t);
    const pds = await fakePds(t, dids(0, 5));
    const { end, progress } = await run(folder, { source: [`pds:${pds.origin}`] }, { clock: eager });
    assert.deepEqual(end, { state: "completed", error: null, failed: [], unread: [], open: 0, isEnough: false });
    assert.deepEqual(await stored(folder), dids(0, 5));
    assert.equal(progress.stored, 5);
    assert.equal(progress.records, 15);
    assert.equal(progress.open, 0);
    assert.equal(progress.sourcesLeft, 0);
    assert.deepEqual(pds.lists, ["0", "2", "4"]);
    assert.equal(pds.asked[0]!.accept, "application/vnd.ipld.car");
    assert.equal(pds.asked[0]!.encoding, "gzip, zstd");
    const summary = await openState({ outputDir: folder, redisAddress: null }).summary();
    assert.equal(summary.completed, 5);
    assert.equal(summary.stats.total_crawled, 5);
    assert.ok(summary.stats.bytes_written > 500);
    assert.equal(summary.segmentNumber, 1);
    assert.deepEqual(summary.cursors, {}, "a complete crawl leaves no cursor");
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith("segment")),
      ["segment_0001.rca"],
    );
  });

  it("asks no faster than two a second while the PDS is small", async (t) => {
    const clock = new QuickClock(2);
    const pds = await fakePds(t, dids(0, 4), clock);
    await run(folderOf(t), { source: [`pds:${pds.origin}`] }, { clock });
    const times = pds.asked.map(({ at }) => at);
    for (let index = 1; index < times.length; index++) {
      // Departures are exactly spaced; one may take a few turns of the loop longer than the next to arrive.
      assert.ok(times[index]! - times[index - 1]! >= 460, `${times[index]! - times[index - 1]!} ms`);
    }
  });

  it("reports each failure by its class; a later crawl asks only what may have changed", async (t) => {
    const folder = folderOf(t);
    const all = dids(0, 9);
    const pds = await fakePds(t, all);
    const [gone, off, down, suspended, large, other, html, broken, good] = all as [string, ...string[]];
    pds.answers.set(gone, xrpcError(400, "InvalidRequest", "Could not find repo for DID: x"));
    pds.answers.set(off!, xrpcError(400, "RepoDeactivated"));
    pds.answers.set(down!, xrpcError(400, "RepoTakendown"));
    pds.answers.set(suspended!, xrpcError(400, "RepoSuspended"));
    pds.answers.set(large!, (_, response) => sendCar(response, Buffer.alloc(200_000)));
    pds.answers.set(other!, (_, response) => sendCar(response, carOf(good!)));
    pds.answers.set(html!, (_, response) => response.end("<html>hello"));
    pds.answers.set(broken!, (_, response) => sendCar(response, carOf(broken!).subarray(0, -20)));
    const settings = { source: [`pds:${pds.origin}`], maxRepoSize: "100KB" };
    const { end, progress } = await run(folder, settings, { clock: eager });
    assert.deepEqual(progress.failed, {
      not_found: 1,
      deactivated: 1,
      takendown: 1,
      suspended: 1,
      too_large: 1,
      parse_error: 1,
      invalid_car: 2,
    });
    assert.deepEqual(end.failed.map(({ class: name, count }) => `${name} ${count}`).sort(), [
      "deactivated 1",
      "invalid_car 2",
      "suspended 1",
      "too_large 1",
    ]);
    assert.deepEqual(await stored(folder), [good]);
    assert.equal(pds.asked.filter(({ did }) => did === html).length, 2, "a CAR that is cut off is asked for once more");
    pds.asked.length = 0;
    pds.answers.delete(off!);
    const again = await run(folder, settings, { clock: eager });
    assert.deepEqual(
      [...new Set(pds.asked.map(({ did }) => did))].sort(),
      [off, suspended, large, html, broken].sort(),
    );
    assert.equal(again.progress.stored, 1);
    assert.deepEqual(again.progress.skipped, { completed: 4 });
    assert.deepEqual(await stored(folder), [good, off].sort());
    const { failed } = await openState({ outputDir: folder, redisAddress: null }).summary();
    assert.equal(failed["deactivated"], undefined, "it is stored now");
  });

  it("waits when it is throttled, and asks again: that is not a failure", async (t) => {
    const folder = folderOf(t);
    const pds = await fakePds(t, dids(0, 2));
    const at: number[] = [];
    pds.answers.set(didOf(0), (_, response, tries) => {
      at.push(eager.now());
      if (tries > 2) return sendCar(response, carOf(didOf(0)));
      response.writeHead(429, { "retry-after": "1" }).end();
    });
    const { progress, end } = await run(folder, { source: [`pds:${pds.origin}`] }, { clock: eager });
    assert.equal(end.state, "completed");
    assert.deepEqual(progress.failed, {});
    assert.equal(progress.stored, 2);
    assert.ok(at[1]! - at[0]! >= 1_000 && at[2]! - at[1]! >= 1_000);
  });

  it("reads compressed answers", async (t) => {
    const folder = folderOf(t);
    const pds = await fakePds(t, dids(0, 2));
    for (const [number, name, pack] of [
      [0, "gzip", gzipSync],
      [1, "zstd", zstdCompressSync],
    ] as const) {
      const did = didOf(number);
      pds.answers.set(did, (_, response) => {
        response.writeHead(200, { "content-encoding": name }).end(pack(carOf(did)));
      });
    }
    await run(folder, { source: [`pds:${pds.origin}`] }, { clock: eager });
    assert.deepEqual(await stored(folder), dids(0, 2));
  });

  it("checks signatures against the key of the DID's document on request", async (t) => {
    const folder = folderOf(t);
    const pds = await fakePds(t, dids(0, 3));
    const keys = [makeKeys("secp256k1"), makeKeys("prime256v1")];
    for (const number of [0, 1, 2]) {
      const did = didOf(number);
      pds.answers.set(did, (_, response) => sendCar(response, carOf(did, 2, undefined, keys[0])));
    }
    const plc = await serveHttp(t, (request, response) => {
      const did = request.url!.slice(1);
      if (did === didOf(2)) return response.writeHead(500).end();
      const key = keys[did === didOf(0) ? 0 : 1]!.didKey.slice("did:key:".length);
      const method = { id: `${did}#atproto`, type: "Multikey", publicKeyMultibase: key };
      response.end(JSON.stringify({ id: did, verificationMethod: [method] }));
    });
    const settings = { source: [`pds:${pds.origin}`], verify: "full", plcUrl: plc.origin };
    const { progress } = await run(folder, settings, { clock: eager });
    assert.deepEqual(await stored(folder), [didOf(0)]);
    assert.deepEqual(
      progress.failed,
      { bad_signature: 1, unresolved: 1 },
      "what cannot be checked is tried again later, and is not charged to the host",
    );
  });
});

describe("sources of a crawl", () => {
  it("a relay's hosts are listed side by side; an account that moved is fetched where it is active", async (t) => {
    const folder = folderOf(t);
    const one = await fakePds(t, dids(0, 3));
    const two = await fakePds(t, dids(10, 3));
    const moved = didOf(11);
    one.repos.push({ did: moved, active: false, status: "deactivated" });
    one.repos.push({ did: didOf(20), active: false, status: "takendown" });
    const relay = await serveHttp(t, (_, response) => {
      const hosts = [one.origin, two.origin, "http://127.0.0.1:1"].map((origin) => ({ hostname: origin.slice(7) }));
      response.end(JSON.stringify({ hosts: [...hosts, { hostname: "banned.example", status: "banned" }] }));
    });
    const { end, progress, notices } = await run(folder, { source: [`relay:${relay.origin}`] }, { clock: eager });
    assert.deepEqual(await stored(folder), [...dids(0, 3), ...dids(10, 3)]);
    assert.deepEqual(progress.failed, { takendown: 1 });
    assert.equal(end.state, "completed");
    assert.equal(end.unread.length, 1);
    assert.match(end.unread[0]!.source, /127\.0\.0\.1:1$/);
    assert.match(notices.join(), /was not read to its end/);
    assert.equal(one.asked.length + two.asked.length, 6);
  });

  it("DIDs of a file are resolved where they name no PDS; junk is counted and asked nowhere", async (t) => {
    const folder = folderOf(t);
    const pds = await fakePds(t, dids(0, 2));
    const plc = await serveHttp(t, (request, response) => {
      const did = request.url!.slice(1);
      if (did !== didOf(1)) return response.writeHead(404).end();
      response.end(JSON.stringify({ id: did, service: [{ id: "#atproto_pds", serviceEndpoint: pds.origin }] }));
    });
    const file = join(folder, "dids.txt");
    const lines = [
      `${didOf(0)}\t${pds.origin}/`,
      didOf(1),
      didOf(2),
      "did:plc:short",
      `${didOf(3)}\tftp://x.example`,
      "",
      "# no",
    ];
    writeFileSync(file, lines.join("\n"));
    const { progress } = await run(folder, { source: [`dids:${file}`], plcUrl: plc.origin }, { clock: eager });
    assert.deepEqual(await stored(folder), dids(0, 2));
    assert.deepEqual(progress.skipped, { bad_did: 1, bad_endpoint: 1 });
    assert.deepEqual(progress.failed, { not_found: 1 });
  });

  it("excluded hosts are not asked, nor private ones without permission", async (t) => {
    const folder = folderOf(t);
    const pds = await fakePds(t, dids(0, 2));
    const file = join(folder, "dids.txt");
    writeFileSync(
      file,
      dids(0, 2)
        .map((did) => `${did}\t${pds.origin}`)
        .join("\n"),
    );
    const skipped = await run(folder, { source: [`dids:${file}`], skipPds: ["127.0.0.*"] });
    assert.deepEqual(skipped.progress.skipped, { skip_pds: 2 });
    const refused = await run(folder, { source: [`dids:${file}`], allowPrivate: false });
    assert.deepEqual(refused.progress.skipped, { bad_endpoint: 2 });
    assert.equal(pds.asked.length, 0);
  });

  it("with an earlier archive, only changed repos are fetched", async (t) => {
    const folder = folderOf(t);
    const pds = await fakePds(t, dids(0, 3));
    await run(folder, { source: [`pds:${pds.origin}`] }, { clock: eager });
    pds.asked.length = 0;
    pds.repos[1]!.rev = "3kzzzzzzzzzz2";
    pds.repos.push({ did: didOf(7) });
    for (const since of [folder, folder]) {
      const { progress } = await run(folder, { source: [`pds:${pds.origin}`], since }, { clock: eager });
      assert.equal(progress.skipped.unchanged, since === folder && progress.stored === 0 ? 4 : 2);
    }
    assert.deepEqual(pds.asked.map(({ did }) => did).sort(), [didOf(1), didOf(7)]);
    assert.deepEqual(await stored(folder), [didOf(0), didOf(1), didOf(1), didOf(2), didOf(7)]);
  });
});

describe("a crawl that is interrupted", () => {
  it("stops without a socket left, says what is open, and is resumed from its cursor", async (t) => {
    const folder = folderOf(t);
    const pds = await fakePds(t, dids(0, 6));
    const stuck = Promise.withResolvers<void>();
    pds.answers.set(didOf(3), () => stuck.resolve());
    const config = parseAtprotoConfig({
      outputDir: folder,
      allowPrivate: true,
      ...UNSIGNED,
      source: [`pds:${pds.origin}`],
    });
    // All but the stuck one, so that no request is on its way to the server when the crawl stops.
    const others = repos(5);
    const crawl = await AtprotoCrawl.start({ config, threads: 1, clock: eager, events: others });
    await Promise.all([stuck.promise, others.reached]);
    const end = await crawl.stop();
    assert.equal(end.state, "stopped");
    assert.equal(end.open, 1);
    assert.equal(crawl.openSockets(), 0);
    const { cursors, completed } = await openState(config).summary();
    assert.equal(cursors[`pds:${pds.origin}`], "2", "the page with the repo that was not fetched is read again");
    assert.equal(completed, 5);
    pds.answers.clear();
    pds.lists.length = 0;
    const asked = pds.asked.length;
    const resumed = await run(folder, { source: [`pds:${pds.origin}`], resume: true }, { clock: eager });
    assert.equal(resumed.end.state, "completed");
    assert.equal(pds.lists[0], "2");
    assert.deepEqual(
      pds.asked.slice(asked).map(({ did }) => did),
      [didOf(3)],
    );
    assert.deepEqual(await stored(folder), dids(0, 6));
  });

  it("counts what a crash left in the segments as stored, and fetches none of it again", async (t) => {
    const folder = folderOf(t);
    const pds = await fakePds(t, dids(0, 3));
    await run(folder, { source: [`pds:${pds.origin}`] }, { clock: eager });
    for (const name of readdirSync(folder)) if (name.startsWith("state")) rmSync(join(folder, name));
    pds.asked.length = 0;
    const { progress, notices } = await run(folder, { source: [`pds:${pds.origin}`], resume: true }, { clock: eager });
    assert.equal(pds.asked.length, 0);
    assert.deepEqual(progress.skipped, { completed: 3 });
    assert.match(notices.join(), /3 repos were in the segments but not in the state/);
  });

  it("two crawls with one state are refused", async (t) => {
    const folder = folderOf(t);
    const pds = await fakePds(t, dids(0, 2));
    pds.answers.set(didOf(0), () => {});
    const config = parseAtprotoConfig({
      outputDir: folder,
      allowPrivate: true,
      ...UNSIGNED,
      source: [`pds:${pds.origin}`],
    });
    const first = await AtprotoCrawl.start({ config, threads: 1 });
    await assert.rejects(AtprotoCrawl.start({ config, threads: 1 }), { code: "STATE_BUSY" });
    await first.stop();
  });
});

describe("a host in trouble", () => {
  it("is blocked after ten failures, probed, and given up: its repos are left to the next crawl", async (t) => {
    const folder = folderOf(t);
    const dead = await fakePds(t, dids(0, 12));
    for (const did of dids(0, 12)) dead.answers.set(did, (request) => request.socket.destroy());
    // A list of DIDs: pages that the host lists well would begin the count of its failures again.
    const file = join(folder, "dids.txt");
    writeFileSync(
      file,
      dids(0, 12)
        .map((did) => `${did}\t${dead.origin}\n`)
        .join(""),
    );
    const settings = { source: [`dids:${file}`], probeAfter: 10, probes: 1 };
    const { end, progress } = await run(folder, settings, { clock: eager });
    assert.equal(end.state, "completed");
    assert.equal(progress.stored, 0);
    const { unavailable = 0, connection_error = 0 } = progress.failed;
    assert.equal(unavailable + connection_error, 12);
    assert.ok(unavailable > 0, "those that were never asked");
    // Ten failures, three more that were under way, and a probe. Twelve repos with all their tries would be 48.
    assert.ok(dead.asked.length <= 14, `${dead.asked.length} requests`);
    const { completed } = await openState({ outputDir: folder, redisAddress: null }).summary();
    assert.equal(completed, 0);
  });

  it("comes back: what waited for it is fetched", async (t) => {
    const folder = folderOf(t);
    const pds = await fakePds(t, dids(0, 12));
    let requests = 0;
    for (const did of dids(0, 12)) {
      pds.answers.set(did, (request, response) => {
        if (++requests <= 11) request.socket.destroy();
        else sendCar(response, carOf(did));
      });
    }
    const settings = { source: [`pds:${pds.origin}`], probeAfter: 0.1, probes: 5 };
    const { progress } = await run(folder, settings, { clock: eager });
    assert.equal(progress.stored, 12);
    assert.deepEqual(progress.failed, {});
  });
});

it("status and reset: asked while it runs, refused while it runs, and no segment left afterwards", async (t) => {
  const folder = folderOf(t);
  const pds = await fakePds(t, dids(0, 3));
  pds.answers.set(didOf(2), () => {});
  const config = parseAtprotoConfig({
    outputDir: folder,
    allowPrivate: true,
    ...UNSIGNED,
    source: [`pds:${pds.origin}`],
  });
  const where = { outputDir: folder, redisAddress: null };
  const two = repos(2);
  const crawl = await AtprotoCrawl.start({ config, threads: 1, clock: eager, events: two });
  assert.equal((await atprotoStatus(where)).isRunning, true);
  await assert.rejects(resetAtproto(where), { code: "STATE_BUSY" });
  await two.reached;
  await crawl.stop();
  const status = await atprotoStatus(where);
  assert.equal(status.isRunning, false);
  assert.equal(status.completed, 2);
  assert.equal(await resetAtproto(where, async (segments) => segments !== 1), null, "not confirmed");
  assert.equal((await atprotoStatus(where)).completed, 2);
  for (const name of ["plc.db", "since.db-wal", "query.chdb", "stream.key", "stream-copy.cursor"])
    writeFileSync(join(folder, name), "");
  // One that cannot be deleted, as if the reset were cut off there.
  mkdirSync(join(folder, "segment_0000.rca"));
  await assert.rejects(resetAtproto(where));
  assert.equal((await atprotoStatus(where)).completed, 0, "no repo is called stored whose segment may be gone");
  rmdirSync(join(folder, "segment_0000.rca"));
  assert.deepEqual(await resetAtproto(where), [join(folder, "segment_0001.rca")]);
  // Lock files stay: one that is deleted while another process waits for it would be held twice.
  assert.deepEqual(readdirSync(folder).sort(), ["follow.lock", "state.db", "state.db.lock"]);
  assert.equal((await atprotoStatus(where)).completed, 0);
  const nowhere = { ...where, outputDir: join(folder, "nowhere") };
  assert.equal(await resetAtproto(nowhere), null);
  assert.ok(!existsSync(nowhere.outputDir), "nothing is made to be deleted");
});

it("metrics are those of the Go crawler, by name and label", async (t) => {
  const folder = folderOf(t);
  const pds = await fakePds(t, dids(0, 2));
  pds.answers.set(didOf(1), xrpcError(400, "RepoNotFound"));
  const config = parseAtprotoConfig({
    outputDir: folder,
    allowPrivate: true,
    ...UNSIGNED,
    source: [`pds:${pds.origin}`],
    metricsPort: 0,
  });
  const crawl = await AtprotoCrawl.start({ config, threads: 1, clock: eager });
  const answer = await fetch(`http://127.0.0.1:${crawl.metricsPort}/metrics`);
  assert.equal(answer.status, 200);
  await answer.text();
  await crawl.ended;
  const text = await crawl.metrics.prometheus();
  const names = new Set([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map((match) => `${match[1]} ${match[2]}`));
  assert.deepEqual([...names].sort(), [
    "crawler_active_pds gauge",
    "crawler_bytes_written_total counter",
    "crawler_dids_processed_total counter",
    "crawler_dispatch_remaining gauge",
    "crawler_dispatched_total counter",
    "crawler_http_request_duration_seconds histogram",
    "crawler_http_requests_total counter",
    "crawler_page_dids histogram",
    "crawler_pages_fetched_total counter",
    "crawler_pds_blocked_total counter",
    "crawler_pds_count gauge",
    "crawler_repo_collections histogram",
    "crawler_repo_compressed_bytes histogram",
    "crawler_repo_duration_seconds histogram",
    "crawler_repo_records histogram",
    "crawler_repos_processed_total counter",
    "crawler_segments_finalized_total counter",
  ]);
  assert.match(text, /crawler_repos_processed_total\{result="success"\} 1/);
  assert.match(text, /crawler_repos_processed_total\{result="not_found"\} 1/);
  assert.match(text, /crawler_http_requests_total\{status_code="200"\} 2$/m, "the list and the repo");
  assert.match(text, /crawler_segments_finalized_total 1/);
});
