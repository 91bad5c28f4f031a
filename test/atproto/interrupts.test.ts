/** Ctrl-C while hosts are being listed: a clean end, and progress with every run, however often it is pressed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Trawl } from "../cli/trawl.ts";
import { assertWhole, makeFolder, startCrawl, startNetwork, storedDids, summaryOf } from "./crawling.ts";

test("stopped while it lists: it is stopped, not failed; repeated, it still comes to an end", async (t) => {
  const network = await startNetwork(t, { accounts: [30, 20], pageSize: 4 });
  const folder = makeFolder(t);
  let runs = 0;
  let before = 0;
  for (let state = ""; state !== "completed"; runs++) {
    assert.ok(runs < 60, "it makes progress");
    network.reset();
    const run = await startCrawl(network, folder, { resume: true });
    const listed = new Promise<void>((resolve) => {
      const watch = setInterval(() => {
        if (network.requests().filter(({ method }) => method.endsWith("listRepos")).length < 3) return;
        clearInterval(watch);
        resolve();
      }, 1);
      t.after(() => clearInterval(watch));
    });
    await Promise.race([listed, run.outcome]);
    await run.crawl.pause();
    await run.crawl.stop();
    const { end } = await run.outcome;
    assert.deepEqual([end.error, end.state === "stopped" || end.state === "completed"], [null, true]);
    state = end.state;
    const { stats } = await summaryOf(folder);
    assert.ok(stats.total_crawled >= before);
    before = stats.total_crawled;
  }
  await assertWhole(network, folder);
  assert.equal((await storedDids(folder)).length, 50);
});

test("Ctrl-C during the first list: exit code 3, and no error", async (t) => {
  const network = await startNetwork(t, { plain: true, accounts: [9, 9, 9], pageSize: 3 });
  const trawl = new Trawl();
  t.after(() => trawl.remove());
  const flags = ["--source", `relay:${network.relay.url}`, "--plc-url", network.plc.url, "--allow-private"];
  const child = trawl.start("atproto", "crawl", ...flags);
  child.stdin.end();
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (said += piece));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const watch = setInterval(() => {
    if (network.requests().some(({ method }) => method.endsWith("listRepos"))) {
      clearInterval(watch);
      child.kill("SIGINT");
    }
  }, 1);
  t.after(() => clearInterval(watch));
  assert.equal(await ended, 3, said);
  assert.match(said, /Paused after/);
  assert.doesNotMatch(said, /broke|error/i);
});
