/** The command line over the whole life of an archive: crawl, pause, read, verify, export, reset. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { verifyRepoCar } from "@atproto/repo";
import { linesOf, PROGRAM, Trawl } from "../cli/trawl.ts";
import type { AtNetwork } from "../servers/at-network.ts";
import { startNetwork } from "./crawling.ts";

const execute = promisify(execFile);

function makeTrawl(t: TestContext): Trawl {
  const trawl = new Trawl();
  t.after(() => trawl.remove());
  return trawl;
}

const crawlFlags = (network: AtNetwork): string[] => [
  ...["--source", `relay:${network.relay.url}`],
  ...["--plc-url", network.plc.url, "--allow-private"],
];

test("an archive is crawled, read, checked, compared, exported and reset", async (t) => {
  const network = await startNetwork(t, {
    plain: true,
    accounts: [4, 4, 3],
    faults: ["notFound", "suspended", "badRecord"],
  });
  const trawl = makeTrawl(t);
  const good = network.good.length;

  const crawl = await trawl.run("atproto", "crawl", ...crawlFlags(network));
  assert.equal(crawl.code, 0, crawl.stderr);
  assert.match(crawl.stdout, new RegExp(`Done in .*: ${good} repos stored`));
  assert.match(crawl.stdout, /suspended +1 +The account is suspended/);
  assert.match(crawl.stdout, /1 record could not be decoded/);

  const status = (await trawl.json("atproto", "status")).lines[0]!;
  assert.deepEqual([status["completed"], status["isRunning"]], [good + 1, false]);
  assert.deepEqual(status["failed"], { not_found: 1, suspended: 1 });

  const account = network.good.find(({ repo }) => repo.paths.length > 3)!;
  const inspect = (await trawl.json("atproto", "inspect", "rca/segment_0001.rca", "--index")).lines[0]!;
  assert.equal(inspect["repos"], good);
  assert.equal((inspect["index"] as unknown[]).length, good);

  const repo = (await trawl.json("atproto", "cat", account.did)).lines[0]!;
  assert.equal(repo["rev"], account.repo.rev);
  const records = (await trawl.json("atproto", "cat", account.did, "--all")).lines;
  assert.deepEqual(
    records.map(({ collection, rkey }) => `${collection}/${rkey}`),
    account.repo.paths,
  );
  const one = await trawl.run("atproto", "cat", account.did, "app.bsky.actor.profile/self");
  assert.equal(JSON.parse(one.stdout).$type, "app.bsky.actor.profile");
  const handle = await trawl.run("atproto", "cat", "alice.example.com");
  assert.equal(handle.code, 2);
  assert.match(handle.stderr, /is not a DID/);
  const missing = await trawl.run("atproto", "cat", network.faulty("notFound").did);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /has no repo of/);

  const verify = await trawl.json("atproto", "verify", "--proofs");
  assert.equal(verify.code, 0);
  const { problems, provenRepos, unprovableRepos } = verify.lines.at(-1)!;
  assert.deepEqual([problems, provenRepos, unprovableRepos], [0, good, 0]);

  renameSync(join(trawl.folder, "rca", "identities"), join(trawl.folder, "identities"));
  const keyless = await trawl.run("atproto", "verify", "--proofs");
  assert.equal(keyless.code, 0);
  assert.match(keyless.stdout, new RegExp(`${good} repos not proven: the account's signing key is not known`));
  const keys = network.good.map(({ did, key }) => `${did}\t${key.did()}`);
  writeFileSync(join(trawl.folder, "keys.txt"), keys.join("\n"));
  const named = await trawl.run("atproto", "verify", "--keys", "keys.txt");
  assert.match(named.stdout, new RegExp(`${good} repos proven by the account's signature`));
  writeFileSync(
    join(trawl.folder, "keys.txt"),
    `${account.did} ${network.good.find((one) => one !== account)!.key.did()}`,
  );
  assert.equal((await trawl.run("atproto", "verify", "--keys", "keys.txt")).code, 1, "that is not the account's key");
  renameSync(join(trawl.folder, "identities"), join(trawl.folder, "rca", "identities"));

  const car = await execute(process.execPath, [PROGRAM, "atproto", "cat", account.did, "--car"], {
    cwd: trawl.folder,
    encoding: "buffer",
  });
  const { creates } = await verifyRepoCar(car.stdout, account.did, account.key.did());
  assert.equal(creates.length, account.repo.paths.length);

  const exported = await trawl.json("atproto", "export", "--format", "jsonl", "--collections", "app.bsky.feed.*");
  assert.equal(exported.code, 0);
  assert.deepEqual(readdirSync(join(trawl.folder, "export")).sort(), [
    "app.bsky.feed.like.jsonl",
    "app.bsky.feed.post.jsonl",
  ]);
  const sql = await trawl.run("atproto", "schema");
  assert.match(sql.stdout, /CREATE TABLE IF NOT EXISTS repo_records/);

  await network.change(account.did);
  const again = await trawl.run("atproto", "crawl", ...crawlFlags(network), "--since", "rca", "--output-dir", "later");
  assert.equal(again.code, 0, again.stderr);
  const diff = await trawl.json("atproto", "diff", "rca", "later");
  assert.equal(diff.lines.find(({ change }) => change === "changed")!["did"], account.did);

  assert.equal((await trawl.run("atproto", "reset")).code, 2, "there is no terminal to ask on");
  assert.equal((await trawl.run("atproto", "reset", "--yes")).code, 0);
  assert.ok(!existsSync(join(trawl.folder, "rca", "segment_0001.rca")));
  assert.equal((await trawl.json("atproto", "status")).lines[0]!["completed"], 0);
});

test("damage is reported with its position and exit code 1, and repaired without losing an intact block", async (t) => {
  const network = await startNetwork(t, { plain: true, accounts: [4, 4] });
  const trawl = makeTrawl(t);
  assert.equal((await trawl.run("atproto", "crawl", ...crawlFlags(network), "--no-proofs")).code, 0);
  const path = join(trawl.folder, "rca", "segment_0001.rca");
  const [entry] = (
    (await trawl.json("atproto", "inspect", path, "--index")).lines[0]!["index"] as {
      did: string;
      offset: number;
      size: number;
    }[]
  ).slice(3);
  const file = openSync(path, "r+");
  const at = entry!.offset + entry!.size - 3;
  writeSync(file, Buffer.from([readFileSync(path)[at]! ^ 0xff]), 0, 1, at);
  closeSync(file);
  const verify = await trawl.json("atproto", "verify");
  assert.equal(verify.code, 1);
  const problem = verify.lines.find(({ event }) => event === "problem")!;
  assert.equal(problem["did"], entry!.did);
  assert.equal(problem["offset"], entry!.offset);
  const repair = await trawl.json("atproto", "repair");
  assert.equal(repair.code, 0);
  assert.deepEqual([repair.lines[0]!["action"], repair.lines[0]!["repos"]], ["rewritten", 7]);
  assert.equal((await trawl.run("atproto", "verify")).code, 0);
});

test("a file that only has the name of a segment does not keep the others from being read", async (t) => {
  const network = await startNetwork(t, { plain: true, accounts: [4] });
  const trawl = makeTrawl(t);
  const rca = join(trawl.folder, "rca");
  assert.equal((await trawl.run("atproto", "crawl", ...crawlFlags(network), "--no-proofs")).code, 0);
  renameSync(join(rca, "segment_0001.rca"), join(rca, "segment_0002.rca.partial"));
  writeFileSync(join(rca, "segment_0001.rca"), "");
  const repair = await trawl.json("atproto", "repair");
  assert.equal(repair.code, 1);
  assert.deepEqual(
    repair.lines.map(({ action }) => action),
    ["hopeless", "finished"],
  );
  const verify = await trawl.json("atproto", "verify");
  assert.equal(verify.code, 1);
  const { segments, repos, problems } = verify.lines.at(-1)!;
  assert.deepEqual([segments, repos, problems], [2, network.good.length, 1]);
  const crawl = await trawl.run("atproto", "crawl", ...crawlFlags(network), "--no-proofs");
  assert.equal(crawl.code, 0, crawl.stderr);
  assert.match(crawl.stdout + crawl.stderr, /segment_0001\.rca at byte 0: this is not a segment/);
});

test("Ctrl-C pauses with exit code 3, and --resume has everything once", async (t) => {
  const network = await startNetwork(t, { plain: true, accounts: [7, 6] });
  const trawl = makeTrawl(t);
  const child = trawl.start("atproto", "crawl", ...crawlFlags(network), "--json");
  child.stdin.end();
  const events: string[] = [];
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  await Promise.all([
    network.until(4).then(() => child.kill("SIGINT")),
    (async () => {
      for await (const line of linesOf(child)) events.push(`${line.event} ${line["state"] ?? ""}`);
    })(),
  ]);
  assert.equal(await ended, 3);
  assert.equal(events.at(-1), "end paused");
  network.reset();
  const resumed = await trawl.json("atproto", "crawl", ...crawlFlags(network), "--resume");
  assert.equal(resumed.code, 0);
  const { stored, state } = resumed.lines.at(-1)!;
  assert.equal(state, "completed");
  assert.ok((stored as number) < network.good.length);
  const index = readdirSync(join(trawl.folder, "rca")).filter((name) => name.endsWith(".rca"));
  let repos = 0;
  for (const name of index)
    repos += (await trawl.json("atproto", "inspect", join("rca", name))).lines[0]!["repos"] as number;
  assert.equal(repos, network.good.length);
});
