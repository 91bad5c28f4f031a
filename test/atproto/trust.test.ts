/** What `verify --proofs` certifies: only what an account signed, with a key that its document named, whatever hosts send and files say. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { P256Keypair, Secp256k1Keypair } from "@atproto/crypto";
import {
  decodeEventHeader,
  encodeBatch,
  type StoredEvent,
  type StoredOp,
} from "../../src/atproto/follow/event-format.ts";
import { eventSegmentPath } from "../../src/atproto/follow/event-segments.ts";
import { verifyEvents } from "../../src/atproto/follow/verify-events.ts";
import type { RepoBlock } from "../../src/atproto/rca/format/block.ts";
import type { Damage } from "../../src/atproto/rca/format/bytes.ts";
import { compressCollections, contentOf, encodeRecords, recordsOf } from "../../src/atproto/rca/format/collection.ts";
import { SegmentReader } from "../../src/atproto/rca/read/segment-reader.ts";
import { verifySegment } from "../../src/atproto/rca/repair/verify-segments.ts";
import { noDamage, sampleWriter } from "../../src/atproto/rca/testing/samples.ts";
import { buildCar } from "../../src/atproto/repo/testing/build-car.ts";
import { encode } from "../../src/atproto/repo/testing/cbor.ts";
import { openSigningKeys } from "../../src/atproto/signing-keys.ts";
import { type Account, repoOf } from "../servers/at-network/accounts.ts";
import type { Pds } from "../servers/at-network.ts";
import { crawlAll, makeFolder, startNetwork, storedDids } from "./crawling.ts";
import { followSettings, reached, startFirehose, startFollow, storedEvents } from "./following.ts";

interface Verdict {
  proven: number;
  unproven: Record<string, number>;
  /** What is wrong, by DID. */
  wrong: Map<string, string>;
}

/** As `trawl atproto verify --proofs` does it: with the keys that crawls found. */
async function verdictOf(folder: string): Promise<Verdict> {
  const archive = join(folder, "rca");
  using keys = openSigningKeys(archive, null);
  const verdict: Verdict = { proven: 0, unproven: {}, wrong: new Map() };
  for (const name of readdirSync(archive).filter((file) => file.endsWith(".rca"))) {
    const { provenRepos, unproven } = await verifySegment(join(archive, name), {
      proofs: true,
      keysOf: keys.of,
      onDamage: ({ did, reason }) => verdict.wrong.set(did ?? name, reason),
    });
    verdict.proven += provenRepos;
    for (const [reason, count] of Object.entries(unproven)) {
      verdict.unproven[reason] = (verdict.unproven[reason] ?? 0) + count;
    }
  }
  return verdict;
}

/** A repo that looks whole, but is signed with 64 times 0x01. */
function signWithOnes(account: Account): void {
  const records = new Map([["app.bsky.feed.post/3k", encode({ $type: "app.bsky.feed.post", text: "x" })]]);
  account.repo = { ...account.repo, car: buildCar(records, { did: account.did, rev: account.repo.rev }) };
}

/** Writes the only segment again with one repo changed, and every length, CRC and index right. */
async function rewrite(folder: string, did: string, change: (repo: RepoBlock) => RepoBlock): Promise<void> {
  const archive = join(folder, "rca");
  const path = join(archive, "segment_0001.rca");
  const reader = await SegmentReader.open(path, { onDamage: noDamage });
  const proofs = await SegmentReader.open(path.replace(/rca$/, "rcx"), { onDamage: noDamage }, "rcx");
  const writer = sampleWriter(join(folder, "changed"), { proofs: true });
  for await (const repo of reader.repos()) {
    const proof = await proofs.read((await proofs.find(repo.did))[0]!);
    await writer.append(repo.did === did ? change(repo) : repo, proof);
  }
  await writer.close();
  await reader.close();
  await proofs.close();
  for (const name of readdirSync(join(folder, "changed"))) {
    renameSync(join(folder, "changed", name), join(archive, `segment_0001.${name.slice(-3)}`));
  }
  rmSync(join(archive, "catalogue"), { recursive: true, force: true });
}

/** One letter of the first record of the first collection. */
function changeLetter(repo: RepoBlock): RepoBlock {
  const collections = repo.collections.map((collection, at) => {
    const records = [...recordsOf(contentOf(collection), collection.recordCount)].map(({ rkey, value }, index) => ({
      rkey,
      value: at + index === 0 ? Buffer.from(value.toString().replace(/"\$type":"app/, '"$type":"apq')) : value,
    }));
    return { name: collection.name, recordCount: collection.recordCount, bytes: encodeRecords(records) };
  });
  return { ...repo, collections: compressCollections(collections, 3) };
}

test("a record that was changed with its checksums is found, and the other repos stay proven", async (t) => {
  const network = await startNetwork(t, { accounts: [4] });
  const folder = makeFolder(t);
  await crawlAll(network, folder);
  assert.deepEqual([(await verdictOf(folder)).proven, (await verdictOf(folder)).wrong.size], [4, 0]);
  const { did } = network.good[1]!;
  await rewrite(folder, did, changeLetter);
  const { proven, wrong } = await verdictOf(folder);
  assert.deepEqual([proven, [...wrong.keys()]], [3, [did]]);
  assert.match(wrong.get(did)!, /is not what was signed/);
});

test("a recorded commit by another key, or of another account, is found, although every checksum is right; so is a changed byte", async (t) => {
  const live = await startFirehose(t, 3);
  const { firehose, network, folder } = live;
  const follow = await startFollow(t, live);
  for (const account of network.accounts) {
    await firehose.commit(account, [["create", "app.bsky.feed.post/a", { $type: "app.bsky.feed.post", text: "x" }]]);
  }
  await reached(follow, firehose.seq);
  await follow.stop();
  const [a, b, c] = await storedEvents(folder);
  const other = await Secp256k1Keypair.create();
  const checked = async (events: StoredEvent[], keyOf = (account: Account) => account.key.did()) => {
    const path = eventSegmentPath(join(folder, "rca"), 1);
    const header = decodeEventHeader(readFileSync(path));
    const batch = encodeBatch({ cursor: firehose.seq, events }, 3);
    writeFileSync(path, Buffer.concat([readFileSync(path).subarray(0, header.end), batch]));
    const wrong: string[] = [];
    const keysOf = (did: string) => {
      const account = network.accounts.find((one) => one.did === did);
      return account === undefined ? null : { keys: [keyOf(account)], since: 0, earlier: [] };
    };
    const onDamage = ({ did, reason }: Damage) => void wrong.push(`${did ?? ""} ${reason}`);
    const counts = await verifyEvents(join(folder, "rca"), { keysOf, onDamage });
    return { ...counts, wrong };
  };
  const whole = await checked([a!, b!, c!]);
  assert.deepEqual([whole.events, whole.signedCommits, whole.unsignedCommits, whole.problems], [3, 3, 0, 0]);
  const exchanged = await checked([a!, { ...b!, did: a!.did }, c!]);
  assert.deepEqual([exchanged.signedCommits, exchanged.problems], [2, 1]);
  assert.match(exchanged.wrong[0]!, /was signed as rev/);
  const forged = await checked([a!, b!, c!], (account) => (account.did === c!.did ? other.did() : account.key.did()));
  assert.deepEqual([forged.signedCommits, forged.problems], [2, 1]);
  assert.match(forged.wrong[0]!, /not signed by the account's key/);
  const path = eventSegmentPath(join(folder, "rca"), 1);
  const bytes = readFileSync(path);
  bytes[bytes.length - 9]! ^= 1;
  // A batch follows, so that it is not a torn end.
  writeFileSync(path, Buffer.concat([bytes, encodeBatch({ cursor: firehose.seq, events: [a!] }, 3)]));
  const damage: Damage[] = [];
  const broken = await verifyEvents(join(folder, "rca"), {
    keysOf: () => null,
    onDamage: (one) => void damage.push(one),
  });
  assert.deepEqual([broken.events, broken.signedCommits, broken.unsignedCommits, broken.problems], [1, 0, 1, 1]);
});

test("records of events are checked against the tree that was signed: changed and missing ones are found, what nothing leads to is not counted", async (t) => {
  const live = await startFirehose(t, 4);
  const { firehose, network, folder } = live;
  const [a, b, c, d] = network.accounts as [Account, Account, Account, Account];
  const post = (text: string) => ({ $type: "app.bsky.feed.post", text });
  const write = (account: Account, name: string, text = name) =>
    firehose.commit(account, [["create", `app.bsky.feed.post/${name}`, post(text)]]);
  for (const account of [a, b, c]) await write(account, "before");
  await crawlAll(network, folder);
  const cursor = firehose.seq;
  const settings = followSettings(firehose, { cursor });
  const follow = await startFollow(t, live, { settings, clock: network.clock });
  // Of the first account one record is changed and one deleted again; of the others but the second, a commit is missing.
  await write(a, "one");
  await firehose.commit(a, [["update", "app.bsky.feed.post/before", post("changed")]]);
  await firehose.commit(a, [["delete", "app.bsky.feed.post/one"]]);
  await write(a, "two");
  await write(b, "one");
  await firehose.commit(c, [["create", "app.bsky.feed.post/hidden", post("x")]], { silent: true });
  await write(c, "one");
  await write(d, "one");
  await reached(follow, firehose.seq);
  await follow.stop();
  const events = await storedEvents(folder);
  const verified = async (changed: StoredEvent[]) => {
    const path = eventSegmentPath(join(folder, "rca"), 1);
    const header = decodeEventHeader(readFileSync(path));
    const batch = encodeBatch({ cursor: firehose.seq, events: changed }, 3);
    writeFileSync(path, Buffer.concat([readFileSync(path).subarray(0, header.end), batch]));
    using keys = openSigningKeys(join(folder, "rca"), null);
    const wrong = new Map<string | null, string>();
    const onDamage = ({ did, reason }: Damage) => void wrong.set(did, reason);
    return { ...(await verifyEvents(join(folder, "rca"), { keysOf: keys.of, onDamage })), wrong };
  };
  const withRecord = (did: string, change: (op: StoredOp) => StoredOp[]): StoredEvent[] =>
    events.map((event) =>
      event.kind === "commit" && event.did === did ? { ...event, ops: event.ops.flatMap(change) } : event,
    );
  const whole = await verified(events);
  // Of a: changed, two; of b: one.
  assert.deepEqual([whole.provenChanges, whole.unprovenChanges, whole.problems], [3, 2, 0]);
  const record = Buffer.from(encode(post("never written")));
  const changed = await verified(withRecord(b.did, (op) => [{ ...op, record }]));
  assert.deepEqual([changed.provenChanges, changed.problems, [...changed.wrong.keys()]], [2, 1, [b.did]]);
  assert.match(changed.wrong.get(b.did)!, /do not produce the tree/);
  const missing = await verified(withRecord(a.did, (op) => (op.path.endsWith("/two") ? [] : [op])));
  assert.deepEqual([missing.provenChanges, missing.problems, [...missing.wrong.keys()]], [1, 1, [a.did]]);
});

test("a repo signed with 64 times 0x01 is not stored; with --verify blocks it is, and is not certified", async (t) => {
  const network = await startNetwork(t, { accounts: [4] });
  const account = network.good[2]!;
  signWithOnes(account);
  const [checked, unchecked] = [makeFolder(t), makeFolder(t)];
  const { failures } = await crawlAll(network, checked);
  assert.equal(failures.get(account.did)?.class, "bad_signature");
  assert.ok(!(await storedDids(checked)).includes(account.did));
  await crawlAll(network, unchecked, { verify: "blocks" });
  const { proven, wrong } = await verdictOf(unchecked);
  assert.deepEqual([proven, [...wrong.keys()]], [3, [account.did]]);
  assert.match(wrong.get(account.did)!, /signature was not made with the account's key/);
});

test("a forged repo from the fastest host, newer than the real one, never reaches the archive", async (t) => {
  const network = await startNetwork(t, { accounts: [4, 2], tombstones: 0 });
  const [home, forger] = [...network.pds.values()] as [Pds, Pds];
  const victim = home.accounts[1]!;
  const forged = { ...victim, key: await Secp256k1Keypair.create({ exportable: true }), version: 9 };
  forger.accounts.push({ ...forged, repo: await repoOf(forged, 4, 77) });
  home.conduct.delayMs = 300;
  const folder = makeFolder(t);
  await crawlAll(network, folder, { source: [`pds:${forger.host.url}`, `relay:${network.relay.url}`] });
  const { proven, wrong, unproven } = await verdictOf(folder);
  assert.deepEqual([proven, [...wrong], unproven], [network.good.length, [], {}]);
  assert.equal(forger.host.requests.filter(({ did }) => did === victim.did).length, 0);
});

test("after a key rotation both crawls of the repo are proven: by the key of their time", async (t) => {
  const network = await startNetwork(t, { accounts: [4] });
  const folder = makeFolder(t);
  await crawlAll(network, folder);
  const account = network.good[2]!;
  const before = account.key;
  account.key = await P256Keypair.create({ exportable: true });
  await network.change(account.did);
  await crawlAll(network, folder, { since: join(folder, "rca"), resume: false });
  assert.deepEqual(await verdictOf(folder), { proven: 5, unproven: {}, wrong: new Map() });
  // Whoever has the old key can sign with it for ever.
  const late = { ...account, key: before, version: account.version + 1 };
  account.repo = await repoOf(late, 5, 1);
  const { failures } = await crawlAll(network, folder, { since: join(folder, "rca"), resume: false });
  assert.equal(failures.get(account.did)?.class, "bad_signature");
  await crawlAll(network, folder, { since: join(folder, "rca"), resume: false, verify: "blocks" });
  const { proven, wrong } = await verdictOf(folder);
  assert.deepEqual([proven, [...wrong.keys()]], [5, [account.did]]);
});
