/** The PDS that the network runs on, from npm, crawled end to end: accounts, records, a deactivated one, signatures. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { jsonLines, Trawl } from "../cli/trawl.ts";
import { installedPds, startRealPds } from "./real-pds/real-pds.ts";

const installed = installedPds();
const skip =
  installed === null &&
  "@atproto/pds is not installed: npm install --ignore-scripts @atproto/pds in a folder, named by TRAWL_TEST_PDS";

test("the real PDS is crawled, verified by signature, and its records are read back", { skip }, async (t) => {
  const pds = await startRealPds(installed!);
  t.after(() => pds.close());
  const trawl = new Trawl();
  t.after(() => trawl.remove());
  const [alice, bob, carol] = await Promise.all(["alice", "bob", "carol"].map((name) => pds.createAccount(name)));
  const texts: string[] = [];
  for (let number = 0; number < 8; number++) {
    texts.push(`Post ${number} <b>ü🐟</b> ${"x".repeat(number * 20)}`);
    await pds.call(alice!, "com.atproto.repo.createRecord", {
      repo: alice!.did,
      collection: "app.bsky.feed.post",
      record: { $type: "app.bsky.feed.post", text: texts.at(-1), createdAt: new Date(number).toISOString() },
    });
  }
  await pds.call(carol!, "com.atproto.server.deactivateAccount", {});

  const reach = ["--allow-private", "--plc-url", pds.plcUrl];
  const flags = ["--source", `pds:${pds.url}`, ...reach, "--verify", "full", "--proofs"];
  const crawl = await trawl.json("atproto", "crawl", ...flags);
  assert.equal(crawl.code, 0, JSON.stringify(crawl.lines));

  const posts = await trawl.run("atproto", "cat", alice!.did, "app.bsky.feed.post");
  const read = jsonLines(posts.stdout).map((line) => line["text"]);
  assert.deepEqual(read.sort(), texts.sort());
  assert.equal((await trawl.run("atproto", "cat", bob!.did)).code, 0, "an empty repo is stored, too");
  assert.equal((await trawl.run("atproto", "cat", carol!.did)).code, 1, "a deactivated one is not");
  const { code, lines } = await trawl.json("atproto", "verify", "--proofs");
  assert.equal(code, 0);
  assert.equal(lines.at(-1)!["provenRepos"], 2);

  // A second crawl fetches what changed, and only that.
  await pds.call(bob!, "com.atproto.repo.createRecord", {
    repo: bob!.did,
    collection: "app.bsky.actor.profile",
    rkey: "self",
    record: { $type: "app.bsky.actor.profile", displayName: "Bob" },
  });
  const later = join(trawl.folder, "later");
  const again = await trawl.json("atproto", "crawl", ...flags, "--since", "rca", "--output-dir", later);
  assert.equal(again.code, 0, JSON.stringify(again.lines.at(-1)));
  const profile = await trawl.run("atproto", "cat", bob!.did, "app.bsky.actor.profile/self", "--input-dir", later);
  assert.equal(JSON.parse(profile.stdout).displayName, "Bob");
  assert.equal((await trawl.run("atproto", "cat", alice!.did, "--input-dir", later)).code, 1);
});
