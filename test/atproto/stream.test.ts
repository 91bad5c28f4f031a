/** `/stream` of `trawl atproto serve`: a snapshot, then what follow records, acknowledged; as a program that keeps a copy sees it. */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, statSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { type TestContext, test } from "node:test";
import { type ArchiveServer, serveArchive } from "../../src/atproto/serve/archive-server.ts";
import { keepPlace, MOST_CONSUMERS } from "../../src/atproto/serve/consumer-places.ts";
import { encodeCursor } from "../../src/atproto/serve/stream-cursor.ts";
import { MOST_STREAMS } from "../../src/atproto/serve/stream-door.ts";
import { MOST_UNACKNOWLEDGED } from "../../src/atproto/serve/stream-session.ts";
import type { Account } from "../servers/at-network/accounts.ts";
import { crawlAll, makeFolder, startNetwork } from "./crawling.ts";
import { type FollowedNetwork, reached, startFirehose, startFollow, until } from "./following.ts";
import { Copy, pathsOf, same, truth } from "./stream-copy.ts";

async function serve(t: TestContext, folder: string): Promise<ArchiveServer> {
  const onDamage = ({ torn, reason }: { torn: boolean; reason: string }) => void (torn || assert.fail(reason));
  const onError = (error: unknown) => assert.fail(String(error));
  const server = await serveArchive({ folder: join(folder, "rca"), host: "127.0.0.1", port: 0, onDamage, onError });
  let closing: Promise<void> | null = null;
  // Tests end it while the archive is there; what follows a test deletes the archive first.
  const close = (): Promise<void> => (closing ??= server.close());
  t.after(close);
  return { ...server, close };
}

const post = (text: string) => ({ $type: "app.bsky.feed.post", text });

async function firstPosts({ firehose, network }: FollowedNetwork, name = "a"): Promise<void> {
  for (const account of network.accounts) {
    await firehose.commit(account, [["create", `app.bsky.feed.post/${name}`, post(name)]]);
  }
}

test("a copy is made from the snapshot, and kept up to date: events, repos that are crawled later, accounts that go and return", async (t) => {
  const live = await startFirehose(t, 4);
  const { firehose, network, folder } = live;
  await firstPosts(live);
  await crawlAll(network, folder);
  const server = await serve(t, folder);
  const follow = await startFollow(t, live, { clock: network.clock });
  const copy = new Copy(t, server);
  await until("the end of the snapshot", () => copy.isLive);
  assert.ok(same(pathsOf(copy), await truth(firehose, network.accounts)));
  const [one, two, three] = network.accounts as [Account, Account, Account];
  await firehose.commit(one, [
    ["update", "app.bsky.feed.post/a", post("changed")],
    ["create", "app.bsky.feed.post/b", post("second")],
  ]);
  await firehose.commit(one, [["delete", "app.bsky.feed.post/b"]]);
  await firehose.commit(two, [["create", "app.bsky.feed.post/c", post("third")]]);
  await reached(follow, firehose.seq);
  await until("the changes", async () => same(pathsOf(copy), await truth(firehose, network.accounts)));
  await until(
    "the update",
    () => (copy.repos.get(one.did)!.records.get("app.bsky.feed.post/a") as { text: string }).text === "changed",
  );

  firehose.tell("#account", { did: three.did, active: false, status: "takendown" });
  await reached(follow, firehose.seq);
  await until("the account is gone", () => !copy.repos.has(three.did));
  const later = new Copy(t, server);
  await until("another snapshot", () => later.isLive);
  assert.deepEqual([...later.repos.keys()].sort(), [...copy.repos.keys()].sort(), "it is in no new snapshot");
  firehose.tell("#account", { did: three.did, active: true });
  await reached(follow, firehose.seq);
  for (const kept of [copy, later])
    await until("the account is back", async () => same(pathsOf(kept), await truth(firehose, network.accounts)));
  // What nobody recorded is crawled.
  await follow.stop();
  await firehose.commit(two, [["delete", "app.bsky.feed.post/c"]]);
  await crawlAll(network, folder, { since: join(folder, "rca") });
  for (const kept of [copy, later]) {
    await until("the crawled repo", async () => same(pathsOf(kept), await truth(firehose, network.accounts)));
  }
  await server.close();
});

test("what was not acknowledged is sent again: to a consumer that is known by its name, or from a cursor", async (t) => {
  const live = await startFirehose(t, 3);
  const { firehose, network, folder } = live;
  await firstPosts(live);
  await crawlAll(network, folder);
  const server = await serve(t, folder);
  const follow = await startFollow(t, live, { clock: network.clock });
  const first = new Copy(t, server, "?consumer=app", false);
  await until("the snapshot", () => first.isLive);
  const ends = first.messages.filter(({ type }) => type === "repo_end");
  assert.equal(ends.length, 3);
  first.acknowledge(ends[0]!.id + 1);
  await until("the place is kept", () => existsSync(join(folder, "rca", "stream-app.cursor")));
  // Its connection may have broken without a sign, so another one by the same name takes its place. The second repo was acknowledged in part, so it is sent again from its beginning.
  const second = new Copy(t, server, "?consumer=app");
  await until("the rest of the snapshot", () => second.isLive);
  assert.deepEqual(
    second.messages.filter(({ type }) => type === "repo").map(({ did }) => did),
    ends.slice(1).map(({ did }) => did),
  );
  await until("the end of the connection before", () => first.closed !== null);
  await firstPosts(live, "later");
  await reached(follow, firehose.seq);
  await until(
    "the events",
    () => second.messages.filter(({ live: isLive, type }) => isLive && type === "record").length === 3,
  );
  await second.close();
  const seen = second.messages.filter(({ live: isLive, type }) => isLive && type === "record");
  const from = new Copy(t, server, `?cursor=${seen[0]!.cursor}`);
  await until("the two after it", () => from.messages.length === 2);
  assert.deepEqual(
    from.messages.map(({ did }) => did),
    seen.slice(1).map(({ did }) => did),
  );
  const third = new Copy(t, server, "?consumer=app");
  await firstPosts(live, "last");
  await reached(follow, firehose.seq);
  await until("only what is new", () => third.messages.length === 3);
  assert.deepEqual(new Set(third.messages.map(({ rkey }) => rkey)), new Set(["last"]));
  await server.close();
});

test("no more is sent than may be unacknowledged; a client that says nonsense is hung up on", async (t) => {
  const network = await startNetwork(t, { plain: true, accounts: [60], records: 40 });
  const folder = makeFolder(t);
  await crawlAll(network, folder);
  const server = await serve(t, folder);
  const silent = new Copy(t, server, "", false);
  await until("as many as may wait", () => silent.messages.length >= MOST_UNACKNOWLEDGED);
  silent.acknowledge(10);
  await until("ten more", () => silent.messages.length >= MOST_UNACKNOWLEDGED + 10);
  assert.equal(silent.messages.length, MOST_UNACKNOWLEDGED + 10);
  silent.say('{"ack": 1000000}');
  await until("the end", () => silent.closed !== null);
  assert.equal(silent.closed!.code, 1008);
  const likes = new Copy(t, server, "?collections=app.bsky.feed.like");
  await until("the snapshot", () => likes.isLive);
  const wanted = network.good.flatMap(({ repo }) =>
    repo.paths.filter((path) => path.startsWith("app.bsky.feed.like/")),
  );
  assert.equal(likes.messages.filter(({ type }) => type === "record").length, wanted.length);
  await server.close();
});

test("an archive has room for so many named consumers, and those that it knows come back", async (t) => {
  const network = await startNetwork(t, { plain: true, accounts: [1] });
  const folder = makeFolder(t);
  await crawlAll(network, folder);
  const server = await serve(t, folder);
  const known = new Copy(t, server, "?consumer=known");
  await until("the snapshot", () => known.isLive);
  await known.close();
  await until("its place", () => existsSync(join(folder, "rca", "stream-known.cursor")));
  for (let count = 1; count < MOST_CONSUMERS; count++) {
    copyFileSync(join(folder, "rca", "stream-known.cursor"), join(folder, "rca", `stream-other${count}.cursor`));
  }
  assert.equal(await upgradeStatus(server.port, "/stream?consumer=one-more", {}), 403);
  assert.equal(await upgradeStatus(server.port, "/stream?consumer=known", {}), 101);
  assert.equal(await upgradeStatus(server.port, "/stream", {}), 101);
  await server.close();
});

test("of many that come at once, no more get a stream or a name than there is room for", async (t) => {
  const network = await startNetwork(t, { plain: true, accounts: [1] });
  const folder = makeFolder(t);
  await crawlAll(network, folder);
  const server = await serve(t, folder);
  const opened: Duplex[] = [];
  const many = async (path: (index: number) => string) => {
    const asked = Array.from({ length: 3 * MOST_STREAMS }, (_, index) =>
      upgradeStatus(server.port, path(index), {}, (socket) => opened.push(socket)),
    );
    const statuses = await Promise.all(asked);
    for (const socket of opened.splice(0)) socket.destroy();
    return [101, 403, 503].map((status) => statuses.filter((one) => one === status).length);
  };
  assert.deepEqual(await many((index) => `/stream?consumer=c${index}`), [MOST_STREAMS, 0, 2 * MOST_STREAMS]);
  for (let count = 0; count < MOST_CONSUMERS - 1; count++) {
    const known = { after: null, began: 0, blocks: { below: 0, at: {} }, events: START };
    await keepPlace(join(folder, "rca"), `known${count}`, known);
  }
  await until("the streams are over", async () => (await upgradeStatus(server.port, "/stream", {})) === 101);
  const [named] = await many((index) => `/stream?consumer=d${index}`);
  assert.ok(named! <= 1, `${named} got the last name`);
  await until("one alone gets it", async () => (await upgradeStatus(server.port, "/stream?consumer=e", {})) === 101);
  await server.close();
});

test("a cursor that was made up is refused, and one of this archive holds after a restart", async (t) => {
  const network = await startNetwork(t, { plain: true, accounts: [2] });
  const folder = makeFolder(t);
  await crawlAll(network, folder);
  const first = await serve(t, folder);
  const copy = new Copy(t, first);
  await until("the snapshot", () => copy.isLive);
  const sealed = copy.messages.at(-1)!.cursor as string;
  await first.close();
  const server = await serve(t, folder);
  const ask = (cursor: string) => upgradeStatus(server.port, `/stream?cursor=${cursor}`, {});
  assert.equal(await ask(sealed), 101);
  // In the middle of a block: what is there would be reported as damage.
  const inside = encodeCursor({ after: null, began: 0, blocks: { below: 0, at: { 1: 100 } }, events: START });
  const mark = sealed.slice(sealed.indexOf("."));
  for (const made of [inside, inside + mark, `${inside}.`, `${sealed}.x`, sealed.slice(0, -1), mark]) {
    assert.equal(await ask(made), 400, made);
  }
  assert.equal(statSync(join(folder, "rca", "stream.key")).mode & 0o777, 0o600);
  await server.close();
});

const START = { segment: 0, offset: 0, index: 0, made: "" };

test("websites, other names and questions that are not understood are refused", async (t) => {
  const network = await startNetwork(t, { plain: true, accounts: [2] });
  const folder = makeFolder(t);
  await crawlAll(network, folder);
  const server = await serve(t, folder);
  const { port, url } = server;
  const host = new URL(url).host;
  const cases: [path: string, headers: Record<string, string>, status: number][] = [
    ["/stream", { origin: "https://evil.example" }, 403],
    ["/stream", { origin: "null" }, 403],
    ["/stream", { host: "rebound.example" }, 403],
    ["/stream", { origin: `http://${host}` }, 101],
    ["/else", {}, 404],
    ["/stream?cursor=x", {}, 400],
    ["/stream?consumer=../x", {}, 400],
    ["/stream?collections=';", {}, 400],
    ["/stream?colections=a.b.c", {}, 400],
  ];
  for (const [path, headers, status] of cases)
    assert.equal(await upgradeStatus(port, path, headers), status, path + JSON.stringify(headers));
  await server.close();
});

function upgradeStatus(
  port: number,
  path: string,
  headers: Record<string, string>,
  onOpen = (socket: Duplex): void => void socket.destroy(),
): Promise<number> {
  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: "127.0.0.1", path, headers: { ...upgrade, ...headers } }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    asked.on("upgrade", (response, socket) => {
      onOpen(socket);
      resolve(response.statusCode!);
    });
    asked.on("error", reject).end();
  });
}
