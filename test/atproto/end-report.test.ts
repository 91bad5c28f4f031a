/** How commands end when there is little to say: nothing listed, nothing stored, nothing there. They say so, and suggest only what works. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Trawl } from "../cli/trawl.ts";
import type { AtNetwork, AtNetworkOptions } from "../servers/at-network.ts";
import { startNetwork } from "./crawling.ts";

async function setUp(t: TestContext, options: AtNetworkOptions): Promise<{ network: AtNetwork; trawl: Trawl }> {
  const { certificate: _, ...given } = options;
  const network = await startNetwork(t, { plain: true, tombstones: 0, ...given });
  const trawl = new Trawl();
  t.after(() => trawl.remove());
  return { network, trawl };
}

const crawl = ({ network, trawl }: { network: AtNetwork; trawl: Trawl }) =>
  trawl.run(
    ...["atproto", "crawl", "--source", `pds:${[...network.pds.values()][0]!.host.url}`],
    ...["--plc-url", network.plc.url, "--allow-private"],
  );

test("a server without repos: the crawl is done, and says that nothing was listed", async (t) => {
  const { code, stdout } = await crawl(await setUp(t, { accounts: [0], faults: [] }));
  assert.equal(code, 0);
  assert.match(stdout, /The sources list no repos\./);
  assert.doesNotMatch(stdout, /atproto (?:cat|query|verify|replay)/, "there is nothing to read");
});

test("repos that are gone: why, and where to look, but no command that needs an archive", async (t) => {
  const { code, stdout } = await crawl(await setUp(t, { accounts: [0], faults: ["notFound"] }));
  assert.equal(code, 0);
  assert.match(stdout, /Nothing to fetch\n +not_found +1 +The host has no such repo\./);
  assert.match(stdout, /trawl atproto failures +which repos failed, and why/);
  assert.doesNotMatch(stdout, /atproto (?:cat|query|verify|replay)/);
});

test("a second crawl says what is stored already, and what of it can be read", async (t) => {
  const set = await setUp(t, { accounts: [2], faults: ["notFound"] });
  assert.equal((await crawl(set)).code, 0);
  const { code, stdout } = await crawl(set);
  assert.equal(code, 0);
  assert.match(stdout, /completed +3 +stored already, or gone and not yet to be asked for again/);
  assert.match(stdout, /atproto cat <did>/);
});

test("repos that none of the keys signed: the crawl fails, and the hint leads to the reasons", async (t) => {
  const set = await setUp(t, { accounts: [0], faults: ["foreignSignature"] });
  const { code, stderr } = await crawl(set);
  assert.equal(code, 1);
  assert.match(stderr, /No repo could be fetched\. The repo is not signed/);
  assert.match(stderr, /hint: `trawl atproto failures` lists each repo/);
  const failures = await set.trawl.run("atproto", "failures", "--class", "timeout");
  assert.deepEqual([failures.code, failures.stdout], [0, "No failures of this class and host.\n"]);
});

test("in a folder without a crawl, nothing is said to have gone well", async (t) => {
  const trawl = new Trawl();
  t.after(() => trawl.remove());
  for (const command of ["failures", "hosts"]) {
    const { code, stderr } = await trawl.run("atproto", command);
    assert.deepEqual([code, /rca has no state of a crawl/.test(stderr)], [2, true], command);
  }
  const { code, stderr } = await trawl.run("atproto", "events");
  assert.deepEqual([code, /rca has no recorded events/.test(stderr)], [2, true]);
});
