/** What a relay, or whoever speaks through it, can do to a follower: nothing silences it, holds it up or keeps newer repos out of the archive. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { BlockMap, blocksToCarFile, MemoryBlockstore, Repo, WriteOpAction } from "@atproto/repo";
import { findRepo } from "../../src/atproto/catalogue/find-repo.ts";
import { parseFollowSource } from "../../src/atproto/follow/follow-config.ts";
import { CID_PREFIX } from "../../src/atproto/repo/multibase.ts";
import { encode } from "../../src/atproto/repo/testing/cbor.ts";
import { tidText } from "../../src/atproto/repo/tid.ts";
import { makeAccount } from "../servers/at-network/accounts.ts";
import type { Firehose } from "../servers/at-network/firehose.ts";
import type { Account } from "../servers/at-network.ts";
import { followSettings, reached, startFirehose, startFollow, storedEvents, until } from "./following.ts";

const post = (text: string) => ({ $type: "app.bsky.feed.post", text });
const frame = (header: object, body: object): Buffer => Buffer.concat([encode(header), encode(body)]);

test("frames that are not understood, whatever their place in the stream, do not silence what follows", async (t) => {
  const live = await startFirehose(t);
  const { firehose, network, folder } = live;
  const account = network.accounts[0]!;
  const follow = await startFollow(t, live);
  await firehose.commit(account, [["create", "app.bsky.feed.post/a", post("x")]]);
  await reached(follow, firehose.seq);
  const commit = {
    repo: account.did,
    commit: { $link: Buffer.concat([CID_PREFIX, Buffer.alloc(32)]) },
    blocks: Buffer.alloc(3),
    ops: [],
  };
  const nonsense = [
    Buffer.alloc(0),
    Buffer.from("hello"),
    Buffer.alloc(100, 0xff),
    frame({ op: 1, t: "#later" }, { seq: 2n ** 64n - 1n }),
    frame({ op: 1, t: "#later" }, { seq: -5 }),
    frame({ op: 1, t: "#identity" }, { seq: 2n ** 64n - 1n, did: account.did }),
    frame({ op: 1, t: "#commit" }, { seq: 2 }),
    frame({ op: 2, t: "#commit" }, { seq: 2 }),
    frame({ op: 1, t: "#account" }, { seq: 1_002, did: "did:plc:nonsense", active: false }),
  ];
  for (const bytes of nonsense) firehose.send({ seq: 0, bytes });
  const long = { ...commit, seq: 1_003, rev: "x".repeat(1_000), since: null };
  firehose.send({ seq: 0, bytes: frame({ op: 1, t: "#commit" }, long) });
  firehose.seq = 1_003;
  await firehose.commit(account, [["create", "app.bsky.feed.post/b", post("x")]]);
  await reached(follow, firehose.seq);
  await follow.stop();
  const kinds = (await storedEvents(folder)).map(({ kind, seq }) => `${kind} ${seq}`);
  assert.deepEqual(kinds, ["commit 1001", "mark 1003", "commit 1004"]);
  assert.deepEqual([follow.progress().unreadable, follow.progress().connections], [nonsense.length, 1]);
});

test("one event far ahead of its place: those after it are stored, and the break is recorded as a gap", async (t) => {
  const live = await startFirehose(t);
  const { firehose, network, folder } = live;
  const [a, b] = network.accounts;
  const follow = await startFollow(t, live);
  await firehose.commit(a!, [["create", "app.bsky.feed.post/a", post("x")]]);
  firehose.send(firehose.frame("#identity", { did: a!.did }, 2 ** 52));
  firehose.tell("#account", { did: b!.did, active: false, status: "takendown" });
  await firehose.commit(a!, [["create", "app.bsky.feed.post/b", post("x")]]);
  await until("the last event", () => follow.progress().cursor === firehose.seq);
  await follow.stop();
  const kinds = (await storedEvents(folder)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["commit", "identity", "gap", "account", "commit"]);
});

test("commits that come in another order than their places are all stored, once", async (t) => {
  const live = await startFirehose(t);
  const { firehose, network, folder } = live;
  const follow = await startFollow(t, live);
  const frames = [];
  for (const account of network.accounts) {
    frames.push(await firehose.commit(account, [["create", "app.bsky.feed.post/a", post("x")]], { silent: true }));
  }
  for (const sent of [...frames.toReversed(), ...frames]) firehose.send(sent);
  firehose.tell("#identity", { did: network.accounts[0]!.did });
  await reached(follow, firehose.seq);
  await follow.stop();
  const stored = (await storedEvents(folder)).filter(({ kind }) => kind === "commit");
  assert.deepEqual(new Set(stored.map(({ did }) => did)), new Set(network.accounts.map(({ did }) => did)));
  assert.equal(stored.length, network.accounts.length);
  assert.equal(follow.progress().repeated, network.accounts.length);
});

test("a rev of the future, and one that is not a time, are refused: later commits are recorded", async (t) => {
  const live = await startFirehose(t);
  const { firehose, network, folder } = live;
  const account = network.accounts[0]!;
  const follow = await startFollow(t, live);
  await firehose.commit(account, [["create", "app.bsky.feed.post/a", post("x")]]);
  const tomorrow = tidText((BigInt(Date.now() + 86_400_000) * 1_000n) << 10n);
  for (const rev of ["3zzzzzzzzzzzz", tomorrow, "hello"]) await commitOfRev(firehose, account, rev);
  await firehose.commit(account, [["create", "app.bsky.feed.post/b", post("x")]]);
  await reached(follow, firehose.seq);
  await follow.stop();
  assert.equal(follow.progress().refused, 3);
  const kinds = (await storedEvents(folder)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["commit", "mark", "commit"]);
});

/** A whole new repo of the account, with its signature. */
async function commitOfRev(firehose: Firehose, { did, key }: Account, rev: string): Promise<void> {
  const path = { collection: "app.bsky.feed.post", rkey: "z" };
  const write = { action: WriteOpAction.Create, ...path, record: post("z") };
  const storage = new MemoryBlockstore();
  const data = await Repo.formatInitCommit(storage, did, key as never, [write] as never, rev);
  const repo = await Repo.createFromCommit(storage, data);
  const cid = await repo.data.get("app.bsky.feed.post/z");
  firehose.tell("#commit" as never, {
    repo: did,
    commit: { $link: data.cid.bytes },
    rev,
    since: null,
    blocks: await blocksToCarFile(data.cid, data.relevantBlocks),
    ops: [{ action: "create", path: "app.bsky.feed.post/z", cid: { $link: cid!.bytes } }],
  });
}

test("a list that names a rev which does not exist: what the host has is stored, and it is not asked again for that", async (t) => {
  const live = await startFirehose(t);
  const { firehose, network, folder } = live;
  const account = network.accounts[0]!;
  await firehose.commit(account, [["create", "app.bsky.feed.post/a", post("x")]]);
  const follow = await startFollow(t, live, { settings: followSettings(firehose, { closeEvery: 0.05 }) });
  await reached(follow, firehose.seq);
  await firehose.commit(account, [["create", "app.bsky.feed.post/b", post("x")]], { silent: true });
  follow.state.mark(account.did, "behind", "3zzzzzzzzzzzz", Date.now());
  follow.state.commit(null);
  await until("the answer", () => follow.progress().upkeep.closed + follow.progress().upkeep.failed > 0);
  await follow.stop();
  assert.deepEqual([follow.progress().upkeep.closed, follow.progress().upkeep.marked], [1, 0]);
  const found = await findRepo(join(folder, "rca"), account.did, () => assert.fail());
  assert.equal(found!.rev, account.repo.rev);
});

test("a did:web whose host never answers holds up nobody: its repo is marked", async (t) => {
  const live = await startFirehose(t);
  const { firehose, network, folder } = live;
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const webHost = `127.0.0.1%3A${(silent.address() as AddressInfo).port}`;
  const slow = await makeAccount({ index: 77, host: "pds", fault: null, webHost, records: 0, seed: 1 });
  const follow = await startFollow(t, live);
  for (let round = 0; round < 3; round++) {
    for (const account of [slow, ...network.accounts]) {
      await firehose.commit(account, [["create", `app.bsky.feed.post/r${round}`, post("x")]]);
    }
  }
  await reached(follow, firehose.seq);
  await follow.stop();
  const stored = await storedEvents(folder);
  assert.equal(stored.filter(({ kind }) => kind === "commit").length, 3 * network.accounts.length);
  assert.deepEqual(
    stored.filter(({ did }) => did === slow.did).map(({ kind }) => kind),
    ["mark"],
  );
});

test("a PDS says that accounts are taken down: that counts for its own, not for those of others", async (t) => {
  const live = await startFirehose(t);
  const { firehose, network, folder } = live;
  const documents = createServer((request, response) => {
    const id = `did:web:${String(request.headers.host).replace(":", "%3A")}`;
    response.end(JSON.stringify({ id, service: [{ id: "#atproto_pds", serviceEndpoint: firehose.origin }] }));
  });
  await new Promise<void>((resolve) => documents.listen(0, "127.0.0.1", resolve));
  t.after(() => documents.close());
  const own = `did:web:127.0.0.1%3A${(documents.address() as AddressInfo).port}`;
  const settings = followSettings(firehose, { source: parseFollowSource(`pds:${firehose.origin}`, true) });
  const follow = await startFollow(t, live, { settings });
  const victim = network.accounts[0]!;
  for (const did of [victim.did, own]) firehose.tell("#account", { did, active: false, status: "takendown" });
  await firehose.commit(victim, [["create", "app.bsky.feed.post/a", post("x")]]);
  await reached(follow, firehose.seq);
  assert.deepEqual(
    [victim.did, own].map((did) => follow.state.account(did)?.status ?? null),
    [null, "takendown"],
  );
  await follow.stop();
  assert.deepEqual(
    (await storedEvents(folder)).map(({ kind, did }) => `${kind} ${did}`),
    [`account ${own}`, `commit ${victim.did}`],
  );
});

test("an old sync event that is sent again does not have the repo fetched", async (t) => {
  const live = await startFirehose(t);
  const { firehose, network } = live;
  const account = network.accounts[0]!;
  await firehose.commit(account, [["create", "app.bsky.feed.post/a", post("x")]]);
  const { commit, cid } = firehose.repoOf(account);
  const blocks = new BlockMap();
  await blocks.add(commit);
  const old = { did: account.did, rev: commit.rev, blocks: await blocksToCarFile(cid, blocks) };
  await firehose.commit(account, [["create", "app.bsky.feed.post/b", post("x")]]);
  firehose.tell("#sync", old);
  firehose.tell("#identity", { did: account.did });
  const follow = await startFollow(t, live);
  await reached(follow, firehose.seq);
  assert.equal(follow.progress().upkeep.marked, 0);
  await follow.stop();
});

test("what a relay says of itself is cut to a readable length", async (t) => {
  const live = await startFirehose(t);
  const { firehose } = live;
  const notices: string[] = [];
  const follow = await startFollow(t, live, { events: { onNotice: (text) => notices.push(text) } });
  await until("a connection", () => firehose.connected > 0);
  firehose.send({ seq: 0, bytes: frame({ op: -1 }, { error: "Strange".repeat(1_000), message: "x".repeat(100_000) }) });
  firehose.send({ seq: 0, bytes: frame({ op: -1 }, { error: "ConsumerTooSlow", message: "" }) });
  await until("another connection", () => firehose.cursors.length > 1);
  await follow.stop();
  for (const text of notices) assert.ok(text.length < 700, `${text.length} characters`);
});
