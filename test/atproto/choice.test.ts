/** Only what is needed: accounts by what they have, collections of their repos, a number of repos. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { RepoArchive } from "../../src/atproto/rca/read/archive.ts";
import type { AtNetwork } from "../servers/at-network.ts";
import { assertWhole, crawlAll, makeFolder, startCrawl, startNetwork, storedDids } from "./crawling.ts";
import { followSettings, startFirehose, startFollow, storedEvents, until } from "./following.ts";

const LIKES = "app.bsky.feed.like";

const withLikes = (network: AtNetwork): string[] =>
  network.good
    .filter(({ repo }) => repo.paths.some((path) => path.startsWith(`${LIKES}/`)))
    .map(({ did }) => did)
    .sort();

const asked = (network: AtNetwork, method: string): number =>
  network.requests().filter((request) => request.method === method).length;

/** By collection. */
async function storedCollections(folder: string): Promise<Map<string, number>> {
  await using archive = await RepoArchive.open(join(folder, "rca"), ({ reason }) => assert.fail(reason));
  const found = new Map<string, number>();
  for await (const { collections } of archive.repos()) {
    for (const { name, recordCount } of collections) found.set(name, (found.get(name) ?? 0) + recordCount);
  }
  return found;
}

test("a relay that lists accounts by collection is asked for those, and no other repo is", async (t) => {
  const network = await startNetwork(t, { accounts: [6, 6], records: 6, listsCollections: true });
  const wanted = withLikes(network);
  assert.ok(wanted.length > 3 && wanted.length < network.good.length);
  const folder = makeFolder(t);
  await crawlAll(network, folder, { signalCollection: [LIKES] });
  assert.deepEqual(await storedDids(folder), wanted);
  assert.equal(asked(network, "com.atproto.sync.getRepo"), wanted.length);
  assert.deepEqual(
    [asked(network, "com.atproto.sync.listRepos"), asked(network, "com.atproto.repo.describeRepo")],
    [0, 0],
  );
});

test("otherwise hosts are asked what an account has before its repo is fetched; one that cannot tell sends all of them", async (t) => {
  const network = await startNetwork(t, { accounts: [6, 6], records: 6 });
  network.pds.get("pds-1.atp.example")!.conduct.describes = false;
  const wanted = withLikes(network);
  const [first, second] = [...network.pds.values()].map(({ accounts }) => accounts.map(({ did }) => did));
  const expected = [...wanted.filter((did) => first!.includes(did)), ...second!].sort();
  assert.ok(expected.length < network.good.length);
  const folder = makeFolder(t);
  const { progress } = await crawlAll(network, folder, { signalCollection: [LIKES] });
  assert.deepEqual(await storedDids(folder), expected);
  assert.equal(asked(network, "com.atproto.sync.getRepo"), expected.length);
  assert.deepEqual(progress.skipped, { no_signal: network.good.length - expected.length });
  // What they have may change: nothing is remembered of those that were passed over.
  await crawlAll(network, folder);
  await assertWhole(network, folder);
});

test("only the collections that are named are stored, of repos that are checked as a whole", async (t) => {
  const network = await startNetwork(t, { accounts: [5], records: 8, faults: ["foreignSignature"] });
  const folder = makeFolder(t);
  const { failures } = await crawlAll(network, folder, { collections: [LIKES, "app.bsky.actor.*"] });
  assert.deepEqual(
    [...failures.values()].map((failure) => failure.class),
    ["bad_signature"],
  );
  const all = network.good.flatMap(({ repo }) => repo.paths);
  const count = (prefix: string) => all.filter((path) => path.startsWith(prefix)).length;
  assert.deepEqual(
    await storedCollections(folder),
    new Map([
      ["app.bsky.actor.profile", count("app.bsky.actor.profile/")],
      [LIKES, count(`${LIKES}/`)],
    ]),
  );
  await assertWhole(network, folder);
  await assert.rejects(crawlAll(network, folder, { collections: [LIKES], proofs: "cids" }), { code: "BAD_CONFIG" });
  await assert.rejects(crawlAll(network, folder, { collections: ["app.bsky'"] }), { code: "BAD_CONFIG" });
  await assert.rejects(crawlAll(network, folder, { signalCollection: ["app.bsky.*"] }), { code: "BAD_CONFIG" });
});

test("a trial ends with the repos that it may store, says so, and goes on where it was", async (t) => {
  const network = await startNetwork(t, { accounts: [12, 9] });
  const folder = makeFolder(t);
  const first = (await (await startCrawl(network, folder, { maxRepos: 5 })).outcome).end;
  assert.deepEqual([first.isEnough, first.error, (await storedDids(folder)).length], [true, null, 5]);
  const second = (await (await startCrawl(network, folder, { maxRepos: 4, resume: true })).outcome).end;
  assert.deepEqual([second.isEnough, (await storedDids(folder)).length], [true, 9]);
  const { end } = await crawlAll(network, folder, { resume: true });
  assert.equal(end.isEnough, false);
  await assertWhole(network, folder);
});

test("what follows a trial is recorded for its accounts alone, with what happened in between", async (t) => {
  const live = await startFirehose(t, 6);
  const { firehose, network, folder } = live;
  const write = (text: string): [string, string, object] => [
    "create",
    `app.bsky.feed.post/${text}`,
    { $type: "app.bsky.feed.post", text },
  ];
  for (const account of network.accounts) await firehose.commit(account, [write("before") as never]);
  await (await startCrawl(network, folder, { maxRepos: 3 })).outcome;
  const trial = await storedDids(folder);
  for (const account of network.accounts) await firehose.commit(account, [write("between") as never]);
  const settings = followSettings(firehose, { onlyArchived: true, cursor: firehose.seq });
  const follow = await startFollow(t, live, { settings, clock: network.clock });
  await until("a connection", () => follow.progress().state === "following");
  for (const account of network.accounts) await firehose.commit(account, [write("after") as never]);
  await until(
    "events",
    async () => (await storedEvents(folder)).filter(({ kind }) => kind === "commit").length === trial.length,
  );
  const seen = new Set((await storedEvents(folder)).map(({ did }) => did));
  assert.deepEqual([...seen].sort(), trial);
  // Their commits do not continue what was crawled, so those repos are fetched again; the others never are.
  assert.deepEqual(
    follow.state
      .dueMarks(network.clock.now(), 10)
      .map(({ did }) => did)
      .sort(),
    trial,
  );
});
