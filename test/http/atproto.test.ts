/** AT Protocol archives over REST: what the owner has crawled can be looked at, and nothing else. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type {
  ArchivedRepoInfo,
  FailedRepoRow,
  RepoArchiveInfo,
  RepoArchiveStatus,
  RepoEvents,
  RepoHost,
  RepoRecord,
  RepoVerification,
} from "../../src/app/operations/atproto.ts";
import { STATE_FILE } from "../../src/atproto/folder-files.ts";
import { lockFile } from "../../src/storage/file-lock.ts";
import { crawlAll } from "../atproto/crawling.ts";
import { reached, startFirehose, startFollow } from "../atproto/following.ts";
import { type KnownRepoArchive, knownRepoArchive } from "../atproto/known-repo-archive.ts";
import { type Serving, startServing } from "./serving.ts";

async function serve(t: TestContext): Promise<Serving> {
  const serving = await startServing();
  t.after(async () => {
    await serving.close();
    assert.deepEqual(serving.internal, []);
  });
  return serving;
}

async function serveArchive(t: TestContext): Promise<KnownRepoArchive & Serving> {
  const serving = await serve(t);
  return { ...serving, ...(await knownRepoArchive(t, serving.app.home.root)) };
}

test("status, servers and failures of an archive, and a selection is tried again by the next crawl", async (t) => {
  const { ask, network, folder } = await serveArchive(t);
  const [info] = (await ask<{ rows: RepoArchiveInfo[] }>("GET", "/atproto")).body.rows;
  assert.deepEqual(info, {
    id: 1,
    folder,
    stateIn: "file",
    isRunning: false,
    isFollowing: false,
    problem: null,
  });
  const { body: status } = await ask<RepoArchiveStatus>("GET", "/atproto/1");
  assert.equal(status.stored, network.good.length);
  assert.deepEqual(Object.fromEntries(status.failed.map(({ class: name, count }) => [name, count])), {
    not_found: 1,
    parse_error: 1,
  });
  assert.ok(status.failed.every(({ meaning }) => meaning !== ""));
  assert.deepEqual([status.hosts!.known, status.hosts!.withFailures], [2, 1]);
  assert.equal(status.segments.files, 1);
  // A crawl that is complete starts from the beginning next time.
  assert.deepEqual(status.sources, []);

  const { body: hosts } = await ask<{ total: number; rows: RepoHost[] }>("GET", "/atproto/1/hosts?limit=1");
  assert.deepEqual([hosts.total, hosts.rows.length, hosts.rows[0]!.failed], [2, 1, { not_found: 1, parse_error: 1 }]);

  const failures = await ask<{ total: number; rows: FailedRepoRow[] }>("GET", "/atproto/1/failures?class=parse_error");
  const { did, host } = failures.body.rows[0]!;
  assert.deepEqual([failures.body.total, did], [1, network.faulty("wrongDid").did]);
  const other = await ask<{ total: number }>("GET", "/atproto/1/failures?host=nowhere.example");
  assert.equal(other.body.total, 0);
  assert.equal((await ask("GET", "/atproto/1/failures?class=bad_luck")).status, 422);

  const { body: retried } = await ask<{ count: number }>("POST", "/atproto/1/failures/retry", {
    class: "parse_error",
    host,
  });
  assert.equal(retried.count, 1);
  network.reset();
  await crawlAll(network, join(folder, ".."));
  assert.deepEqual(
    ["wrongDid", "notFound"].map((fault) => network.fetches(network.faulty(fault as "wrongDid").did).length),
    [1, 0],
  );
});

test("retrying is refused with 409 while a crawl runs, and it is shown as running", async (t) => {
  const { ask, folder } = await serveArchive(t);
  const lock = lockFile(join(folder, `${STATE_FILE}.lock`), 0)!;
  t.after(() => lock.release());
  const busy = await ask("POST", "/atproto/1/failures/retry", {});
  assert.deepEqual([busy.status, busy.body["code"]], [409, "STATE_BUSY"]);
  assert.equal((await ask<{ rows: RepoArchiveInfo[] }>("GET", "/atproto")).body.rows[0]!.isRunning, true);
});

test("a repo's collections and records, page by page, and one record", async (t) => {
  const { ask, network } = await serveArchive(t);
  const { did } = network.good.find(({ repo }) => repo.paths.length > 5)!;
  const listed = await ask<{ rows: { did: string }[] }>("GET", "/atproto/1/repos");
  assert.deepEqual(listed.body.rows.map((row) => row.did).sort(), network.good.map((account) => account.did).sort());
  const { body: repo } = await ask<ArchivedRepoInfo>("GET", `/atproto/1/repo?did=${did}`);
  assert.deepEqual([repo.did, repo.accountStatus, repo.damage], [did, null, []]);

  const found: RepoRecord[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await ask<{ rows: RepoRecord[]; next: string | null }>(
      "GET",
      `/atproto/1/records?did=${did}&limit=5${query}`,
    );
    found.push(...body.rows);
    cursor = body.next;
  } while (cursor !== null);
  assert.equal(found.length, repo.records);
  assert.equal(new Set(found.map(({ collection, rkey }) => `${collection}/${rkey}`)).size, repo.records);
  const [{ name, records } = assert.fail()] = repo.collections;
  const one = await ask<{ rows: RepoRecord[] }>("GET", `/atproto/1/records?did=${did}&collection=${name}&limit=1000`);
  assert.equal(one.body.rows.length, records);

  const { collection, rkey, json } = found[0]!;
  const path = `/atproto/1/record?did=${did}&collection=${collection}&rkey=${rkey}`;
  assert.deepEqual((await ask("GET", path)).body, { collection, rkey, json });
  assert.equal(typeof JSON.parse(json), "object");
  const missing = await ask("GET", `${path}x`);
  assert.deepEqual([missing.status, missing.body["code"]], [404, "DID_NOT_ARCHIVED"]);
  const lost = await ask("GET", `/atproto/1/repo?did=${network.faulty("notFound").did}`);
  assert.deepEqual([lost.status, lost.body["code"]], [404, "DID_NOT_ARCHIVED"]);
  assert.equal((await ask("GET", `/atproto/1/records?did=${did}&cursor=x`)).status, 422);
});

test("verify proves an intact archive by signatures, and finds a byte that was changed", async (t) => {
  const { ask, network, folder } = await serveArchive(t);
  const { body: intact } = await ask<RepoVerification>("GET", "/atproto/1/verify");
  assert.deepEqual([intact.isIntact, intact.provenRepos, intact.unproven], [true, network.good.length, []]);
  const path = join(folder, readdirSync(folder).find((name) => name.endsWith(".rca"))!);
  const bytes = readFileSync(path);
  bytes[200]! ^= 1;
  writeFileSync(path, bytes);
  const { body: damaged } = await ask<RepoVerification>("GET", "/atproto/1/verify");
  assert.equal(damaged.isIntact, false);
  assert.ok(damaged.problems > 0 && damaged.listed[0]!.file === path);
  assert.ok(damaged.provenRepos < network.good.length);
});

test("events are listed page by page; what a taken-down account wrote is left out", async (t) => {
  const serving = await serve(t);
  const { ask } = serving;
  const live = await startFirehose(t);
  const { firehose, network, folder } = live;
  const [one, two] = network.accounts;
  const write = (text: string) => ({ $type: "app.bsky.feed.post", text, createdAt: "2026-01-01T00:00:00Z" });
  const follow = await startFollow(t, live);
  await firehose.commit(one!, [["create", "app.bsky.feed.post/a", write("first")]]);
  await firehose.commit(two!, [["create", "app.bsky.feed.post/b", write("hidden")]]);
  firehose.tell("#account", { did: two!.did, active: false, status: "takendown" });
  await firehose.commit(one!, [["delete", "app.bsky.feed.post/a"]]);
  await reached(follow, firehose.seq);
  serving.app.knownArchives.add(join(folder, "rca"));
  assert.equal((await ask<{ rows: RepoArchiveInfo[] }>("GET", "/atproto")).body.rows[0]!.isFollowing, true);
  await follow.stop();

  const rows: RepoEvents["rows"] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? "" : `&cursor=${cursor}`;
    const { body } = await ask<RepoEvents>("GET", `/atproto/1/events?limit=1${query}`);
    rows.push(...body.rows);
    cursor = body.next;
  } while (cursor !== null);
  assert.deepEqual(
    rows.map(({ kind, did }) => [kind, did]),
    [
      ["commit", one!.did],
      ["account", two!.did],
      ["commit", one!.did],
    ],
  );
  const all = await ask<RepoEvents>("GET", `/atproto/1/events?did=${two!.did}&inactive=true`);
  assert.equal(all.body.rows.length, 2);
  assert.match(JSON.stringify(all.body.rows[0]!.facts), /hidden/);
});

test("only known archives can be named: there is no folder in any question", async (t) => {
  const { ask, folder } = await serveArchive(t);
  const other = await ask("GET", "/atproto/2");
  assert.deepEqual([other.status, other.body["code"]], [404, "REPO_ARCHIVE_NOT_FOUND"]);
  for (const name of ["folder", "outputDir", "inputDir", "redisAddress"]) {
    assert.equal((await ask("POST", "/atproto/1/failures/retry", { [name]: folder })).status, 422, name);
    assert.equal((await ask("GET", `/atproto/1?${name}=${folder}`)).status, 422, name);
  }
  for (const did of ["../../etc/passwd", "did:plc:../../../etc/passwd", "/etc/passwd"]) {
    const { status } = await ask("GET", `/atproto/1/repo?did=${encodeURIComponent(did)}`);
    assert.equal(status, 404, did);
  }
  // Taken off the list, its files stay.
  assert.equal((await ask("DELETE", "/atproto/1")).status, 200);
  assert.deepEqual((await ask<{ rows: unknown[] }>("GET", "/atproto")).body.rows, []);
  assert.equal((await ask("GET", "/atproto/1/hosts")).status, 404);
  assert.ok(readdirSync(folder).some((name) => name.endsWith(".rca")));
});
