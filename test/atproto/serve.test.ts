/** `trawl atproto serve`: what the reference implementation makes of its answers, files in ranges, and who is refused. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { verifyProofs, verifyRecords, verifyRepoCar } from "@atproto/repo";
import { type ArchiveServer, serveArchive } from "../../src/atproto/serve/archive-server.ts";
import { linesOf, Trawl } from "../cli/trawl.ts";
import { crawlAll, makeFolder, startNetwork } from "./crawling.ts";
import { reached, startFirehose, startFollow, until } from "./following.ts";

async function serve(t: TestContext, folder: string): Promise<ArchiveServer> {
  const onDamage = ({ torn, reason }: { torn: boolean; reason: string }) => void (torn || assert.fail(reason));
  const onError = (error: unknown) => assert.fail(String(error));
  const server = await serveArchive({ folder: join(folder, "rca"), host: "127.0.0.1", port: 0, onDamage, onError });
  t.after(() => server.close());
  return server;
}

const address = ({ url }: { url: string }, method: string, params: Record<string, string>): string =>
  `${url}/xrpc/com.atproto.${method}?${new URLSearchParams(params)}`;

async function json(...asked: Parameters<typeof address>): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(address(...asked));
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function car(...asked: Parameters<typeof address>): Promise<Uint8Array> {
  const response = await fetch(address(...asked));
  assert.deepEqual([response.status, response.headers.get("content-type")], [200, "application/vnd.ipld.car"]);
  return new Uint8Array(await response.arrayBuffer());
}

test("repos and proofs of records verify with @atproto/repo, and lists have everything once", async (t) => {
  const network = await startNetwork(t, { accounts: [4, 3], records: 12, faults: ["notFound"] });
  const folder = makeFolder(t);
  await crawlAll(network, folder);
  const server = await serve(t, folder);

  for (const { did, key, repo } of network.good) {
    const verified = await verifyRepoCar(await car(server, "sync.getRepo", { did }), did, key.did());
    assert.equal(verified.commit.rev, repo.rev);
    const latest = await json(server, "sync.getLatestCommit", { did });
    assert.deepEqual(latest.body, { cid: repo.commitCid, rev: repo.rev });
  }

  const { did, key, repo } = network.good.find(({ repo: { paths } }) => paths.length > 5)!;
  const [collection, rkey] = repo.paths[2]!.split("/") as [string, string];
  const proof = await car(server, "sync.getRecord", { did, collection, rkey });
  const [record] = await verifyRecords(proof, did, key.did());
  assert.deepEqual([record?.collection, record?.rkey], [collection, rkey]);
  const absent = await car(server, "sync.getRecord", { did, collection, rkey: "not-there" });
  const claim = { collection, rkey: "not-there", cid: null };
  assert.equal((await verifyProofs(absent, [claim], did, key.did())).verified.length, 1);

  const one = await json(server, "repo.getRecord", { repo: did, collection, rkey });
  assert.equal(one.body["uri"], `at://${did}/${collection}/${rkey}`);
  assert.equal((one.body["value"] as { $type: string }).$type, collection);
  const wanted = repo.paths.filter((path) => path.startsWith(`${collection}/`)).sort();
  for (const reverse of ["true", "false"]) {
    const listed = await allPages("records", "repo.listRecords", { repo: did, collection, limit: "2", reverse });
    const paths = listed.map(({ uri }) => (uri as string).slice(`at://${did}/`.length));
    assert.deepEqual(paths, reverse === "true" ? wanted : wanted.toReversed());
  }
  const repos = await allPages("repos", "sync.listRepos", { limit: "2" });
  assert.deepEqual(
    repos.map((listed) => [listed["did"], listed["head"], listed["rev"], listed["active"]]).sort(),
    network.good.map((account) => [account.did, account.repo.commitCid, account.repo.rev, true]).sort(),
  );
  // A page that is asked for again, as after a restart of the server.
  const again = await json(server, "sync.listRepos", { cursor: repos[1]!["did"] as string, limit: "1" });
  assert.deepEqual(again.body["repos"], [repos[2]]);
  // The account of the cursor may have been forgotten meanwhile.
  const cursor = `${(repos[1]!["did"] as string).slice(0, -1)}${(repos[1]!["did"] as string).at(-1) === "z" ? "y" : "z"}`;
  const beyond = await json(server, "sync.listRepos", { cursor, limit: "1" });
  assert.deepEqual(beyond.body["repos"], [cursor > (repos[1]!["did"] as string) ? repos[2] : repos[1]]);

  async function allPages(name: string, method: string, params: Record<string, string>) {
    const found: Record<string, unknown>[] = [];
    for (let cursor: unknown = ""; cursor !== undefined; ) {
      const { body } = await json(server, method, { ...params, ...(cursor !== "" && { cursor: cursor as string }) });
      const page = body[name] as Record<string, unknown>[];
      assert.ok(page.length <= 2);
      found.push(...page);
      cursor = body["cursor"];
    }
    return found;
  }
});

test("what follow records is served at once, signed; an account that is taken down is refused", async (t) => {
  const live = await startFirehose(t, 2);
  const { firehose, network, folder } = live;
  const [changed, down] = network.accounts as [(typeof network.accounts)[0], (typeof network.accounts)[0]];
  for (const account of network.accounts) {
    await firehose.commit(account, [
      ["create", "app.bsky.feed.post/a", { $type: "app.bsky.feed.post", text: "first" }],
    ]);
  }
  await crawlAll(network, folder);
  const server = await serve(t, folder);
  // The same clock as the crawl: what was learnt last counts.
  const follow = await startFollow(t, live, { clock: network.clock });
  await firehose.commit(changed, [
    ["update", "app.bsky.feed.post/a", { $type: "app.bsky.feed.post", text: "changed" }],
    ["create", "app.bsky.feed.post/b", { $type: "app.bsky.feed.post", text: "second" }],
  ]);
  await firehose.commit(changed, [["delete", "app.bsky.feed.post/b"]]);
  firehose.tell("#account", { did: down.did, active: false, status: "takendown" });
  await reached(follow, firehose.seq);

  const { did, key } = changed;
  const verified = await verifyRepoCar(await car(server, "sync.getRepo", { did }), did, key.did());
  assert.equal(verified.commit.rev, firehose.repoOf(changed).commit.rev);
  const { body } = await json(server, "repo.listRecords", { repo: did, collection: "app.bsky.feed.post" });
  assert.deepEqual(
    (body["records"] as { uri: string; value: object }[]).map(({ uri, value }) => [uri, value]),
    [[`at://${did}/app.bsky.feed.post/a`, { $type: "app.bsky.feed.post", text: "changed" }]],
  );
  // Events are on the disk a moment before what follows from them.
  await until(
    "the account is refused",
    async () => (await fetch(address(server, "sync.getRepo", { did: down.did }))).status === 400,
  );
  const refused = await json(server, "sync.getRepo", { did: down.did });
  assert.deepEqual([refused.status, refused.body["error"]], [400, "RepoTakendown"]);
  const { body: list } = await json(server, "sync.listRepos", {});
  const standing = (list["repos"] as Record<string, unknown>[]).map((repo) => [repo["did"], repo["status"]]);
  assert.deepEqual(
    new Map(standing as never),
    new Map([
      [did, undefined],
      [down.did, "takendown"],
    ]),
  );
});

test("the command serves segments in ranges, refuses what it should with the protocol's errors, and ends with Ctrl-C", async (t) => {
  const network = await startNetwork(t, { plain: true, accounts: [3] });
  const trawl = new Trawl();
  t.after(() => trawl.remove());
  await crawlAll(network, trawl.folder);
  const empty = await trawl.run("atproto", "serve", "-i", "nothing-here", "--port", "0");
  assert.deepEqual([empty.code, empty.stdout], [2, ""]);
  const child = trawl.start("atproto", "serve", "--port", "0", "--json");
  t.after(() => child.kill("SIGKILL"));
  const over = once(child, "close");
  const lines = linesOf(child);
  const { url, port } = (await lines.next()).value as { url: string; port: number };

  const { segments } = (await (await fetch(`${url}/segments`)).json()) as {
    segments: { name: string; size: number }[];
  };
  assert.deepEqual(
    segments.map(({ name }) => name),
    ["segment_0001.rca", "segment_0001.rcx"],
  );
  const whole = readFileSync(join(trawl.folder, "rca", "segment_0001.rca"));
  const get = async (headers: Record<string, string>) => {
    const response = await fetch(`${url}/segments/segment_0001.rca`, { headers });
    const bytes = Buffer.from(await response.arrayBuffer());
    return {
      status: response.status,
      range: response.headers.get("content-range"),
      etag: response.headers.get("etag"),
      bytes,
    };
  };
  const all = await get({});
  assert.ok(all.status === 200 && all.bytes.equals(whole));
  const ranges: [asked: string, from: number, to: number][] = [
    ["bytes=0-9", 0, 10],
    ["bytes=100-", 100, whole.length],
    ["bytes=-7", whole.length - 7, whole.length],
    [`bytes=5-${whole.length * 2}`, 5, whole.length],
  ];
  for (const [range, from, to] of ranges) {
    const part = await get({ range, "if-range": all.etag! });
    assert.deepEqual([part.status, part.range], [206, `bytes ${from}-${to - 1}/${whole.length}`]);
    assert.ok(part.bytes.equals(whole.subarray(from, to)), range);
  }
  assert.equal((await get({ range: "bytes=0-9", "if-range": '"another"' })).status, 200);
  const beyond = await get({ range: `bytes=${whole.length}-` });
  assert.deepEqual([beyond.status, beyond.range], [416, `bytes */${whole.length}`]);

  const did = network.good[0]!.did;
  const refusals: [path: string, status: number, error: string][] = [
    ["/xrpc/com.atproto.sync.getRepo?did=did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", 400, "RepoNotFound"],
    ["/xrpc/com.atproto.sync.getRepo", 400, "InvalidRequest"],
    ["/xrpc/com.atproto.sync.getRepo?did=alice.example", 400, "InvalidRequest"],
    [`/xrpc/com.atproto.repo.getRecord?repo=${did}&collection=app.bsky.feed.post&rkey=none`, 400, "RecordNotFound"],
    [`/xrpc/com.atproto.repo.listRecords?repo=${did}&collection=app.bsky.feed.post&limit=0`, 400, "InvalidRequest"],
    ["/xrpc/com.atproto.sync.listRepos?cursor=3", 400, "InvalidRequest"],
    ["/xrpc/com.atproto.sync.getBlob", 501, "MethodNotImplemented"],
    ["/xrpc/constructor", 501, "MethodNotImplemented"],
    ["/segments/..%2fstate.db", 404, "NotFound"],
    ["/segments/state.db", 404, "NotFound"],
    ["/", 404, "NotFound"],
  ];
  for (const [path, status, error] of refusals) {
    const response = await fetch(url + path);
    assert.deepEqual([response.status, ((await response.json()) as { error: string }).error], [status, error], path);
  }
  assert.equal((await fetch(`${url}/segments`, { method: "POST" })).status, 405);
  assert.equal(await statusFor(port, "rebound.example"), 403);
  const taken = await trawl.run("atproto", "serve", "--port", String(port));
  assert.equal(taken.code, 2);
  assert.match(taken.stderr, /--port 0/);

  child.kill("SIGINT");
  assert.deepEqual((await lines.next()).value, { event: "end", damaged: 0 });
  assert.deepEqual((await over)[0], 0);
});

/** A website's name that leads to this machine. */
function statusFor(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ port, host: "127.0.0.1", path: "/segments", headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .on("error", reject)
      .end();
  });
}
