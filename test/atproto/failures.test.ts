/** What failed, by repo and host, after a crawl; and that a selection is tried again. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { countFailures, failedRepos, hostReports, retryFailures } from "../../src/atproto/state/failures.ts";
import { crawlAll, makeFolder, startNetwork } from "./crawling.ts";

test("failures are listed by class and host, and a selection is asked for again at once", async (t) => {
  const network = await startNetwork(t, { accounts: [4, 3], faults: ["notFound", "wrongDid"] });
  const folder = makeFolder(t);
  const archive = join(folder, "rca");
  assert.deepEqual([[...failedRepos(archive, {}, 10)], hostReports(archive)], [[], []]);
  await crawlAll(network, folder);
  const [lost, wrong] = [network.faulty("notFound"), network.faulty("wrongDid")];
  assert.equal(countFailures(archive, {}), 2);
  const [parse] = [...failedRepos(archive, { class: "parse_error" }, 10)];
  assert.equal(parse!.did, wrong.did);
  assert.ok(parse!.retryAt > parse!.failedAt && parse!.detail!.includes("commit"));
  assert.equal([...failedRepos(archive, { host: "pds-1" }, 10)].length, 0);
  const [first] = hostReports(archive);
  assert.deepEqual(first!.failed, { not_found: 1, parse_error: 1 });
  assert.ok(first!.requests > 0);
  network.reset();
  await crawlAll(network, folder);
  assert.deepEqual([network.fetches(lost.did).length, network.fetches(wrong.did).length], [0, 0], "it is not time yet");
  assert.equal(retryFailures(archive, { class: "parse_error" }), 1);
  network.reset();
  await crawlAll(network, folder);
  assert.deepEqual([network.fetches(lost.did).length, network.fetches(wrong.did).length], [0, 1]);
});
