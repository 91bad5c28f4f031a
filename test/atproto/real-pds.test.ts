/** The PDS that the network runs on, from npm: crawled among servers of our own, and by itself over the command line. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { catRepo } from "../../src/atproto/catalogue/cat-repo.ts";
import { jsonLines, Trawl } from "../cli/trawl.ts";
import { crawlAll, goodDids, makeFolder, startNetwork, storedDids } from "./crawling.ts";
import { installedPds } from "./real-pds/installed-pds.ts";
import { type PdsAccount, type RealPds, startRealPds } from "./real-pds/real-pds.ts";

const NAME = "real.atp.example";

const installed = installedPds();
const skip = installed === null && "@atproto/pds is not installed: node tools/services.ts installs it";

let pds: RealPds;
let alice: PdsAccount;
let bob: PdsAccount;
let carol: PdsAccount;
let dave: PdsAccount;
const texts = Array.from({ length: 8 }, (_, number) => `Post ${number} <b>ü🐟</b> ${"x".repeat(number * 20)}`);

/** Alice writes, Bob does not, Carol has deactivated her account, and Dave was taken down. */
before(async () => {
  if (installed === null) return;
  pds = await startRealPds(installed, NAME);
  const people = await Promise.all(["alice", "bob", "carol", "dave"].map((person) => pds.createAccount(person)));
  [alice, bob, carol, dave] = people as [PdsAccount, PdsAccount, PdsAccount, PdsAccount];
  for (const [number, text] of texts.entries()) {
    await pds.call(alice, "com.atproto.repo.createRecord", {
      repo: alice.did,
      collection: "app.bsky.feed.post",
      record: { $type: "app.bsky.feed.post", text, createdAt: new Date(number).toISOString() },
    });
  }
  await pds.call(carol, "com.atproto.server.deactivateAccount", {});
  await pds.takeDown(dave.did);
});

after(() => pds?.close());

test("relay, directory and PDS servers, the real one among them: all is stored and verified by signature", {
  skip,
}, async (t) => {
  const network = await startNetwork(t, { accounts: [30, 30, 30, 10], guests: [pds] });
  const expected = [...goodDids(network), alice.did, bob.did].sort();
  for (const source of [`relay:${network.relay.url}`, `plc:${network.plc.url}`]) {
    const folder = makeFolder(t);
    network.reset();
    const { progress } = await crawlAll(network, folder, { source: [source], verify: "full", proofs: true });
    assert.deepEqual(await storedDids(folder), expected, source);
    assert.deepEqual(progress.failed, { deactivated: 1, takendown: 1 }, source);
    const found = await catRepo({ folder: join(folder, "rca"), did: alice.did, onDamage: () => assert.fail() });
    assert.deepEqual([...found!.records].map(({ json }) => JSON.parse(`${json}`).text).sort(), [...texts].sort());
    for (const { did } of [alice, bob]) assert.equal(network.fetches(did).length, 1, source);
  }
});

test("what the real PDS answers for repos that it does not serve", { skip }, async (t) => {
  const network = await startNetwork(t, { accounts: [1], guests: [pds] });
  const folder = makeFolder(t);
  const stranger = network.good[0]!.did;
  // Through a list of DIDs nothing is known beforehand, so each is asked for.
  const dids = [carol.did, dave.did, stranger].map((did) => `${did}\thttps://${NAME}`);
  writeFileSync(join(folder, "dids.txt"), dids.join("\n"));
  const { failures } = await crawlAll(network, folder, { source: [`dids:${join(folder, "dids.txt")}`] });
  const classes = [...failures].map(([did, { class: name }]) => [did, name]);
  assert.deepEqual(
    classes.sort(),
    [
      [carol.did, "deactivated"],
      [dave.did, "takendown"],
    ].sort(),
  );
  assert.deepEqual(await storedDids(folder), [stranger], "the host that its document names was asked");
});

test("when no repo could be fetched, the crawl has failed and says why", { skip }, async (t) => {
  const trawl = new Trawl();
  t.after(() => trawl.remove());
  // The host that all documents name does not exist.
  const flags = ["--source", `pds:${pds.url}`, "--allow-private", "--plc-url", pds.plcUrl];
  const { code, lines } = await trawl.json("atproto", "crawl", ...flags);
  assert.equal(code, 1);
  assert.deepEqual([lines.at(-1)!["state"], lines.at(-1)!["stored"]], ["failed", 0]);
  assert.match(JSON.stringify(lines), /No repo could be fetched\. The host's name cannot be resolved\. \(4 repos\)/);
});

test("over the command line: crawled, read back, proved, and what changed fetched again", { skip }, async (t) => {
  const trawl = new Trawl();
  t.after(() => trawl.remove());
  const reach = ["--allow-private", "--plc-url", pds.plcUrl];
  // The directory knows it by a name that resolves nowhere; keys and signatures are those of the directory all the same.
  const flags = ["--source", `pds:${pds.url}`, ...reach, "--verify", "full", "--proofs", "--trust-sources"];
  const crawl = await trawl.json("atproto", "crawl", ...flags);
  assert.equal(crawl.code, 0, JSON.stringify(crawl.lines));

  const posts = await trawl.run("atproto", "cat", alice.did, "app.bsky.feed.post");
  const read = jsonLines(posts.stdout).map((line) => line["text"]);
  assert.deepEqual(read.sort(), [...texts].sort());
  assert.equal((await trawl.run("atproto", "cat", bob.did)).code, 0, "an empty repo is stored, too");
  assert.equal((await trawl.run("atproto", "cat", carol.did)).code, 1, "a deactivated one is not");
  const { code, lines } = await trawl.json("atproto", "verify", "--proofs");
  assert.equal(code, 0);
  assert.equal(lines.at(-1)!["provenRepos"], 2);

  // A second crawl fetches what changed, and only that.
  await pds.call(bob, "com.atproto.repo.createRecord", {
    repo: bob.did,
    collection: "app.bsky.actor.profile",
    rkey: "self",
    record: { $type: "app.bsky.actor.profile", displayName: "Bob" },
  });
  const later = join(trawl.folder, "later");
  const again = await trawl.json("atproto", "crawl", ...flags, "--since", "rca", "--output-dir", later);
  assert.equal(again.code, 0, JSON.stringify(again.lines.at(-1)));
  const profile = await trawl.run("atproto", "cat", bob.did, "app.bsky.actor.profile/self", "--input-dir", later);
  assert.equal(JSON.parse(profile.stdout).displayName, "Bob");
  assert.equal((await trawl.run("atproto", "cat", alice.did, "--input-dir", later)).code, 1);
});
