/** `follow` against a stream on loopback: what is stored, what is refused, reconnects, gaps. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Secp256k1Keypair } from "@atproto/crypto";
import type { Repo } from "@atproto/repo";
import { findRepo } from "../../src/atproto/catalogue/find-repo.ts";
import { type ListedEvent, listEvents } from "../../src/atproto/follow/list-events.ts";
import { InactiveAccounts } from "../../src/atproto/inactive-accounts.ts";
import type { Write } from "../servers/at-network/firehose.ts";
import { crawlAll } from "./crawling.ts";
import { followSettings, reached, startFirehose, startFollow, storedEvents, until } from "./following.ts";

const post = (text: string) => ({ $type: "app.bsky.feed.post", text, createdAt: "2026-11-18T00:00:00Z" });

test("creates, updates, deletes, identities and accounts are stored in order, with the records as they were signed", async (t) => {
  const live = await startFirehose(t);
  const { firehose, network, folder } = live;
  const [one, two] = network.accounts as [(typeof network.accounts)[0], (typeof network.accounts)[0]];
  await firehose.commit(one, [
    ["create", "app.bsky.feed.post/a", post("first")],
    ["create", "app.bsky.feed.post/b", post("second")],
  ]);
  await firehose.commit(two, [["create", "app.bsky.feed.like/x", { $type: "app.bsky.feed.like", n: 1 }]]);
  const follow = await startFollow(t, live);
  const before = Date.now() * 1000;
  await firehose.commit(one, [
    ["update", "app.bsky.feed.post/a", post("changed")],
    ["delete", "app.bsky.feed.post/b"],
  ]);
  firehose.tell("#identity", { did: two.did, handle: "two.example" });
  firehose.tell("#account", { did: two.did, active: false, status: "takendown" });
  await reached(follow, firehose.seq);
  await follow.stop();
  const events = await storedEvents(folder);
  assert.deepEqual(
    events.map((event) => [
      event.kind,
      event.did,
      event.kind === "commit" ? event.ops.map(({ action, path }) => `${action} ${path}`) : null,
    ]),
    [
      ["commit", one.did, ["create app.bsky.feed.post/a", "create app.bsky.feed.post/b"]],
      ["commit", two.did, ["create app.bsky.feed.like/x"]],
      ["commit", one.did, ["update app.bsky.feed.post/a", "delete app.bsky.feed.post/b"]],
      ["identity", two.did, null],
      ["account", two.did, null],
    ],
  );
  const third = events[2]!;
  assert.ok(third.kind === "commit" && third.ops[0]!.record!.includes("changed") && third.ops[1]!.record === null);
  assert.ok(third.seenAt >= before - 1_000 && third.seenAt <= Date.now() * 1000);
  assert.equal(follow.progress().refused, 0);
  using inactive = new InactiveAccounts(join(folder, "rca"));
  assert.deepEqual([inactive.statusOf(two.did), inactive.statusOf(one.did)], ["takendown", null]);
});

test("a forged commit, one for another account, one with another record and one that hides a record are refused, and the repo is marked", async (t) => {
  const live = await startFirehose(t, 5);
  const { firehose, network, folder } = live;
  const [a, b, c, d, e] = network.accounts as never as typeof network.accounts;
  const write = ["create", "app.bsky.feed.post/a", post("x")] as const;
  for (const account of network.accounts) await firehose.begin(account);
  // Signed with a key of the forger's.
  const real = a!.key;
  a!.key = await Secp256k1Keypair.create({ exportable: true });
  const forged = await firehose.commit(a!, [[...write]], { silent: true });
  a!.key = real;
  firehose.send(forged);
  // A commit of one account passed off as another's.
  firehose.send(await firehose.commit(b!, [[...write]], { silent: true, body: { repo: c!.did } }));
  // Says that something was deleted which the signed tree has.
  const path = "app.bsky.feed.post/a";
  firehose.send(
    await firehose.commit(d!, [[...write]], { silent: true, body: { ops: [{ action: "delete", path, cid: null }] } }),
  );
  // A record that is not in the tree.
  const ops = [
    {
      action: "create",
      path: "app.bsky.feed.post/z",
      cid: { $link: Buffer.concat([Buffer.from("01711220", "hex"), Buffer.alloc(32, 7)]) },
    },
  ];
  firehose.send(await firehose.commit(e!, [[...write]], { silent: true, body: { ops } }));
  const follow = await startFollow(t, live);
  await reached(follow, firehose.seq);
  assert.equal(follow.progress().refused, 4);
  assert.deepEqual(
    follow.state
      .dueMarks(Date.now(), 10)
      .map(({ did }) => did)
      .sort(),
    [a, c, d, e].map((one) => one!.did).sort(),
  );
  await follow.stop();
  assert.deepEqual(
    (await storedEvents(folder)).map(({ kind }) => kind),
    ["mark", "mark", "mark", "mark"],
  );
});

test("a commit with an operation left out is refused, or found by the tree before; without that tree it is counted as unproven", async (t) => {
  const live = await startFirehose(t, 3);
  const { firehose, network, folder } = live;
  const [a, b, c] = network.accounts;
  for (const account of network.accounts)
    await firehose.commit(account, [["create", "app.bsky.feed.post/a", post("x")]]);
  const follow = await startFollow(t, live);
  await reached(follow, firehose.seq);
  const both = ["one", "two"].map((name): Write => ["create", `app.bsky.feed.post/${name}`, post("x")]);
  // The relay leaves out one of two, and the tree before is the true one.
  await firehose.commit(a!, both, { body: async ([one]) => ({ ops: [one] }) });
  // The same with the tree that would have been before.
  const treeBefore = async (repo: Repo) =>
    (await (await repo.data.delete("app.bsky.feed.post/one")).getPointer()).bytes;
  await firehose.commit(b!, both, {
    body: async ([one], repo) => ({ ops: [one], prevData: { $link: await treeBefore(repo) } }),
  });
  // A server that does not say.
  await firehose.commit(c!, both, { body: async ([one]) => ({ ops: [one], prevData: null }) });
  await reached(follow, firehose.seq);
  assert.deepEqual([follow.progress().refused, follow.progress().unproven], [1, 1]);
  const marks = new Map(follow.state.dueMarks(Date.now(), 10).map(({ did, reason }) => [did, reason]));
  assert.deepEqual(
    [...marks].sort(),
    [
      [a!.did, "refused"],
      [b!.did, "gap"],
    ].sort(),
  );
  await follow.stop();
  assert.equal((await storedEvents(folder)).filter(({ did }) => did === a!.did).length, 2);
});

test("a connection that breaks is opened again after the last event; nothing is lost or doubled", async (t) => {
  const live = await startFirehose(t);
  const { firehose, network, folder } = live;
  const follow = await startFollow(t, live);
  for (let round = 0; round < 4; round++) {
    await until("a connection", () => firehose.connected > 0);
    for (const account of network.accounts)
      await firehose.commit(account, [["create", `app.bsky.feed.post/r${round}`, post("x")]]);
    if (round % 2 === 0) await reached(follow, firehose.seq);
    firehose.hangUp();
  }
  await reached(follow, firehose.seq);
  await follow.stop();
  assert.deepEqual(
    (await storedEvents(folder)).map(({ seq }) => seq),
    firehose.log.map(({ seq }) => seq),
  );
  assert.ok(follow.progress().connections >= 4);
  assert.equal(follow.progress().upkeep.marked, 0);
});

test("what comes twice is stored once, also with another place in the stream", async (t) => {
  const live = await startFirehose(t);
  const { firehose, network, folder } = live;
  const [account] = network.accounts;
  const first = await firehose.commit(account!, [["create", "app.bsky.feed.post/a", post("x")]]);
  const follow = await startFollow(t, live);
  await reached(follow, first.seq);
  firehose.send(first);
  const again = await firehose.commit(account!, [["create", "app.bsky.feed.post/b", post("y")]], { silent: true });
  firehose.send(again);
  // Another relay would number it differently.
  const body = again.bytes;
  firehose.send({ seq: ++firehose.seq, bytes: renumbered(body, again.seq, firehose.seq) });
  firehose.tell("#identity", { did: account!.did });
  await reached(follow, firehose.seq);
  await follow.stop();
  assert.deepEqual(
    (await storedEvents(folder)).map(({ kind }) => kind),
    ["commit", "commit", "identity"],
  );
  assert.equal(follow.progress().repeated, 2);
});

/** Places in the stream have as many bytes as each other here. */
function renumbered(bytes: Buffer, from: number, to: number): Buffer {
  const copy = Buffer.from(bytes);
  const at = copy.indexOf(Buffer.concat([Buffer.from("cseq"), Buffer.from([0x19, from >> 8, from & 0xff])]));
  copy.writeUInt16BE(to, at + 5);
  return copy;
}

test("a commit that did not come, one that was too big, and a sync event mark the repo", async (t) => {
  const live = await startFirehose(t);
  const { firehose, network } = live;
  const [a, b, c] = network.accounts;
  for (const account of network.accounts)
    await firehose.commit(account, [["create", "app.bsky.feed.post/a", post("x")]]);
  const follow = await startFollow(t, live);
  await reached(follow, firehose.seq);
  await firehose.commit(a!, [["create", "app.bsky.feed.post/b", post("missed")]], { silent: true });
  await firehose.commit(a!, [["create", "app.bsky.feed.post/c", post("x")]]);
  await firehose.commit(b!, [["create", "app.bsky.feed.post/b", post("x")]], { body: { tooBig: true, ops: [] } });
  const hidden = await firehose.commit(c!, [["create", "app.bsky.feed.post/b", post("x")]], { silent: true });
  void hidden;
  const repo = firehose.repoOf(c!);
  const { blocksToCarFile, BlockMap } = await import("@atproto/repo");
  const only = new BlockMap();
  await only.add(repo.commit);
  firehose.tell("#sync", { did: c!.did, rev: repo.commit.rev, blocks: await blocksToCarFile(repo.cid, only) });
  await reached(follow, firehose.seq);
  const marks = new Map(follow.state.dueMarks(Date.now(), 10).map(({ did, reason }) => [did, reason]));
  assert.deepEqual(
    [marks.get(a!.did), marks.get(b!.did), marks.get(c!.did), marks.size],
    ["gap", "too_big", "sync", 3],
  );
});

test("a cursor that the source no longer has, and one from before the source started over, are gaps that are recorded", async (t) => {
  const live = await startFirehose(t);
  const { firehose, network, folder } = live;
  const [account] = network.accounts;
  await firehose.commit(account!, [["create", "app.bsky.feed.post/a", post("x")]]);
  const notices: string[] = [];
  const first = await startFollow(t, live);
  await reached(first, firehose.seq);
  await first.stop();
  await firehose.commit(account!, [["create", "app.bsky.feed.post/b", post("lost")]]);
  firehose.oldest = firehose.seq;
  await firehose.commit(account!, [["create", "app.bsky.feed.post/c", post("x")]]);
  const second = await startFollow(t, live, { events: { onNotice: (text) => notices.push(text) } });
  await reached(second, firehose.seq);
  assert.deepEqual(
    second.state.dueMarks(Date.now(), 10).map(({ reason }) => reason),
    ["gap"],
  );
  await second.stop();
  assert.match(notices.join("\n"), /no longer has the events/);
  // The relay was set up again, and counts from one.
  firehose.log.length = 0;
  firehose.seq = 0;
  firehose.oldest = 0;
  await firehose.commit(account!, [["create", "app.bsky.feed.post/d", post("x")]]);
  const third = await startFollow(t, live);
  await until("the new stream", () => third.progress().cursor === firehose.seq);
  await third.stop();
  const kinds = (await storedEvents(folder)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["commit", "gap", "commit", "gap", "commit"]);
});

test("a key that was rotated is looked up again", async (t) => {
  const live = await startFirehose(t);
  const { firehose, network, folder } = live;
  const account = network.accounts[1]!;
  await firehose.commit(account, [["create", "app.bsky.feed.post/a", post("x")]]);
  const follow = await startFollow(t, live);
  await reached(follow, firehose.seq);
  account.key = await Secp256k1Keypair.create({ exportable: true });
  firehose.tell("#identity", { did: account.did });
  await firehose.commit(account, [["create", "app.bsky.feed.post/b", post("x")]]);
  await reached(follow, firehose.seq);
  await follow.stop();
  assert.equal(follow.progress().refused, 0);
  assert.deepEqual(
    (await storedEvents(folder)).map(({ kind }) => kind),
    ["commit", "identity", "commit"],
  );
});

test("a second follower of the same folder is refused", async (t) => {
  const live = await startFirehose(t);
  await startFollow(t, live);
  await assert.rejects(startFollow(t, live), { code: "FOLLOW_BUSY" });
});

test("a repo that is marked is fetched from its host, and what is behind is found by a sweep that names its lap", async (t) => {
  const live = await startFirehose(t);
  const { firehose, network, folder } = live;
  const [a, b] = network.accounts;
  for (const account of network.accounts)
    await firehose.commit(account, [["create", "app.bsky.feed.post/a", post("x")]]);
  const notices: string[] = [];
  const settings = followSettings(firehose, { closeEvery: 0.05, sweepEvery: 0 });
  const follow = await startFollow(t, live, { settings });
  await reached(follow, firehose.seq);
  await firehose.commit(a!, [["create", "app.bsky.feed.post/b", post("missed")]], { silent: true });
  await firehose.commit(a!, [["create", "app.bsky.feed.post/c", post("x")]]);
  await until(
    "the gap is closed",
    () => follow.progress().upkeep.closed === 1 && follow.progress().upkeep.marked === 0,
  );
  await follow.stop();
  const found = await findRepo(join(folder, "rca"), a!.did, () => assert.fail());
  assert.deepEqual([found!.rev, found!.collections[0]!.recordCount], [a!.repo.rev, 3]);
  // While nobody follows, and the stream forgets it.
  await firehose.commit(b!, [["create", "app.bsky.feed.post/b", post("missed")]], { silent: true });
  const sweeping = { ...settings, sweepEvery: 24, sweepRps: 1_000 };
  const again = await startFollow(t, live, { settings: sweeping, events: { onNotice: (text) => notices.push(text) } });
  await until("the sweep found it", () => again.progress().upkeep.closed === 1);
  await again.stop();
  assert.equal((await findRepo(join(folder, "rca"), b!.did, () => assert.fail()))!.rev, b!.repo.rev);
  assert.match(notices.join("\n"), /A sweep over 4 repos took 1 min; 1 were behind/);
  assert.equal(again.progress().upkeep.lastLap!.behind, 1);
});

test("what happened between a crawl and the first event is fetched", async (t) => {
  const live = await startFirehose(t, 3);
  const { firehose, network, folder } = live;
  const [missed, whole] = network.accounts;
  for (const account of network.accounts)
    await firehose.commit(account, [["create", "app.bsky.feed.post/a", post("x")]]);
  await crawlAll(network, folder);
  await firehose.commit(missed!, [["create", "app.bsky.feed.post/b", post("missed")]], { silent: true });
  const settings = followSettings(firehose, { cursor: firehose.seq, closeEvery: 0.05 });
  const follow = await startFollow(t, live, { settings, clock: network.clock });
  for (const account of [missed!, whole!])
    await firehose.commit(account, [["create", "app.bsky.feed.post/c", post("x")]]);
  await until("the repo is fetched", () => follow.progress().upkeep.closed === 1);
  assert.equal(follow.progress().upkeep.marked, 0);
  await follow.stop();
  const found = await findRepo(join(folder, "rca"), missed!.did, () => assert.fail());
  assert.equal(found!.rev, missed!.repo.rev);
});

test("a gap is closed with the changes alone where the archive has the blocks of the rev before", async (t) => {
  const live = await startFirehose(t);
  const { firehose, network, folder } = live;
  const [a] = network.accounts;
  const settings = followSettings(firehose, { closeEvery: 0.05 });
  const follow = await startFollow(t, live, { settings });
  for (let index = 0; index < 30; index++)
    await firehose.commit(a!, [["create", `app.bsky.feed.post/${index}`, post(`${index}`)]]);
  await reached(follow, firehose.seq);
  const asked: string[] = [];
  for (const part of ["one", "two"]) {
    const before = follow.progress().upkeep.closed;
    network.reset();
    await firehose.commit(
      a!,
      [
        ["create", `app.bsky.feed.post/${part}`, post("missed")],
        ["delete", `app.bsky.feed.post/${part === "one" ? 3 : 4}`],
      ],
      { silent: true },
    );
    await firehose.commit(a!, [["update", "app.bsky.feed.post/0", post(part)]]);
    await until("closed", () => follow.progress().upkeep.closed > before);
    asked.push(...network.fetches(a!.did).map(({ path }) => path));
    if (part === "one") await firehose.commit(a!, [["create", "app.bsky.feed.post/between", post("x")]]);
  }
  await follow.stop();
  const found = await findRepo(join(folder, "rca"), a!.did, () => assert.fail());
  assert.equal(found!.rev, a!.repo.rev);
  assert.equal(
    found!.collections.reduce((sum, { recordCount }) => sum + recordCount, 0),
    a!.repo.paths.length,
  );
  assert.equal(asked.length, 2);
  assert.ok(!asked[0]!.includes("since=") && asked[1]!.includes("since="), asked.join(" "));
});

test("recorded events are listed with their records; what an account wrote that was taken down is left out", async (t) => {
  const live = await startFirehose(t);
  const { firehose, network, folder } = live;
  const [a, b] = network.accounts;
  await firehose.commit(a!, [["create", "app.bsky.feed.post/a", post("kept")]]);
  await firehose.commit(b!, [["create", "app.bsky.feed.post/b", post("taken down")]]);
  firehose.tell("#account", { did: b!.did, active: false, status: "takendown" });
  await firehose.commit(a!, [["delete", "app.bsky.feed.post/a"]]);
  const follow = await startFollow(t, live);
  await reached(follow, firehose.seq);
  await follow.stop();
  const list = async (more: object) => {
    const events = [];
    const options = {
      folder: join(folder, "rca"),
      json: "seed" as const,
      inactive: false,
      onDamage: () => assert.fail(),
    };
    for await (const event of listEvents({ ...options, ...more })) events.push(event);
    return events;
  };
  const ops = (events: ListedEvent[]) =>
    events.flatMap(
      (event) => (event["ops"] as { action: string; record: { text: string } | null }[] | undefined) ?? [],
    );
  assert.deepEqual(
    ops(await list({})).map(({ action, record }) => [action, record?.text]),
    [
      ["create", "kept"],
      ["delete", undefined],
    ],
  );
  assert.equal((await list({})).filter(({ kind }) => kind === "account").length, 1);
  assert.equal(ops(await list({ inactive: true })).length, 3);
  assert.equal((await list({ did: a!.did, collection: "app.bsky.feed.post" })).length, 2);
  assert.deepEqual(await list({ collection: "app.bsky.graph.follow" }), []);
});
