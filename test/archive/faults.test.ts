/** Failed fetches: retried, counted, and never taken for a page. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  archiveAll,
  makeWorkspace,
  metadataOf,
  PATIENT,
  pathOf,
  quickClock,
  startHost,
  storedPaths,
} from "./archiving.ts";

test("errors, resets and answers that are not pages: each has its line, none is stored", async (t) => {
  const host = await startHost(t, { repos: 1, files: 1, faults: true });
  const workspace = await makeWorkspace(t, { limits: { max_retries: 3 } });
  const crawl = await archiveAll(workspace, host);
  assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
  const line = (name: string) =>
    metadataOf(workspace).find((record) => pathOf(record.url) === `/owner-0/repo-0/blob/main/${name}`)!;
  assert.equal(line("flaky").http_status, 200);
  assert.equal(line("flaky").retries, 2);
  assert.deepEqual([line("broken").http_status, line("broken").retries, line("broken").stored_path], [500, 3, ""]);
  assert.deepEqual([line("reset").http_status, line("reset").metadata], [0, { error: "reset" }]);
  assert.deepEqual([line("picture").content_type, line("picture").metadata], ["image/png", { skipped: "not_html" }]);
  assert.equal(crawl.metrics.get("fetch_not_html"), 1);
  assert.equal(crawl.metrics.get("fetch_fail_err"), 2);
  assert.equal(crawl.progress().failed, 2);
});

test("a page that is gone is an answer, in every kind of run: nothing has failed", async (t) => {
  const [gone, broken] = ["/owner-0/repo-0/issues/1", "/owner-0/repo-0/issues/2"];
  const answers = new Map([
    [gone, 404],
    [broken, 500],
  ]);
  const instead = (path: string) => (answers.has(path) ? { status: answers.get(path)! } : null);
  const host = await startHost(t, { repos: 1, files: 1, instead });
  const workspace = await makeWorkspace(t);
  for (const mode of ["archive", "discover"] as const) {
    const crawl = await archiveAll(workspace, host, { mode });
    assert.equal(crawl.progress().failed, 1, mode);
    const failed = crawl.failures.first.map(({ url, http_status }) => [pathOf(url), http_status]);
    // A run that records nothing knows only that it failed.
    assert.deepEqual(failed, [[broken, mode === "archive" ? 500 : null]]);
  }
});

test("429: the host is left alone for as long as it asks, and the page is fetched after all", async (t) => {
  const host = await startHost(t, { repos: 3, busy: { every: 20, retryAfterSeconds: 30 } });
  const limits = { global_concurrency: 1, per_host_concurrency: 1, ...PATIENT };
  const workspace = await makeWorkspace(t, { limits });
  await archiveAll(workspace, host, { clock: quickClock(100) });
  assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
  const requests = host.requests();
  const refused = requests.filter((request) => request.status === 429);
  assert.ok(refused.length >= 2);
  for (const [index, request] of requests.entries()) {
    if (request.status !== 429) continue;
    const next = requests[index + 1]!;
    assert.ok(next.at - request.at >= 290, `asked again after ${next.at - request.at} of 300 ms`);
  }
});

test("HTTP/1.1 and HTTP/2 give the same archive", async (t) => {
  const host = await startHost(t);
  const sums: string[][] = [];
  for (const http2 of [false, true]) {
    const workspace = await makeWorkspace(t, { limits: { http2 } });
    await archiveAll(workspace, host);
    sums.push(
      metadataOf(workspace)
        .map((record) => `${record.url} ${record.content_sha256}`)
        .sort(),
    );
  }
  assert.deepEqual(sums[0], sums[1]);
});
