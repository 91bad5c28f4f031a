/** A complete archive of the code host: every page once, in the documented formats. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { archiveStatus } from "../../src/archive/archive-status.ts";
import { BlobStore } from "../../src/archive/store/blob-store.ts";
import { verifyArchive } from "../../src/archive/store/verify-store.ts";
import { archiveAll, linesOf, makeWorkspace, metadataOf, pathOf, startHost, storedPaths } from "./archiving.ts";

test("every reachable allowed page is stored, and no URL is requested twice", async (t) => {
  const host = await startHost(t, { repos: 6 });
  const workspace = await makeWorkspace(t);
  const crawl = await archiveAll(workspace, host);
  assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
  const twice = [...host.counts()].filter(([, count]) => count > 1);
  assert.deepEqual(twice, []);
  assert.equal(crawl.openSockets(), 0);
  const fetched = linesOf(workspace.paths.ledger.fetched).sort();
  assert.deepEqual(
    fetched,
    metadataOf(workspace)
      .map((record) => record.url)
      .sort(),
    "one line per fetched URL",
  );
  assert.ok(host.requests().every((request) => request.userAgent.includes("+https://")));
});

test("metadata lines have the documented keys in order, including referrer and page type", async (t) => {
  const host = await startHost(t);
  const workspace = await makeWorkspace(t);
  await archiveAll(workspace, host);
  const first = linesOf(workspace.paths.metadata)[0]!;
  assert.deepEqual(Object.keys(JSON.parse(first)), [
    "url",
    "timestamp",
    "depth",
    "page_type",
    "referrer",
    "http_status",
    "content_type",
    "encoding",
    "content_sha256",
    "content_bytes",
    "stored_path",
    "etag",
    "last_modified",
    "fetch_latency_ms",
    "retries",
    "proxy_id",
    "metadata",
  ]);
  const byPath = new Map(metadataOf(workspace).map((record) => [pathOf(record.url), record]));
  const type = (path: string) => byPath.get(path)?.page_type;
  assert.equal(type("/topics"), "topic");
  assert.equal(type("/trending"), "trending");
  assert.equal(type("/owner-0/repo-0"), "repo_root");
  assert.equal(type("/owner-0/repo-0/blob/main/src/file-1.ts"), "blob");
  assert.equal(type("/owner-0/repo-0/issues/2"), "issues");
  assert.equal(type("/owner-0/repo-0/pulls"), "pull");
  assert.equal(type("/owner-0/repo-0/pull/1"), "pull");
  assert.equal(byPath.get("/topics")!.referrer, null);
  assert.equal(byPath.get("/owner-0/repo-0/issues")!.referrer, "https://github.com/owner-0/repo-0");
  const redirect = byPath.get("/old/name")!;
  assert.equal(redirect.http_status, 301);
  assert.equal(redirect.stored_path, "");
  assert.deepEqual(redirect.metadata, { redirect_to: "https://github.com/owner-0/repo-0" });
  const { stored_path } = byPath.get("/trending")!;
  assert.match(readFileSync(join(workspace.root, "..", stored_path), "utf8"), /<title>\/trending<\/title>/);
});

test("breadth first: depths never decrease, at any parallelism", async (t) => {
  const host = await startHost(t, { repos: 12 });
  for (const parallel of [1, 8]) {
    const limits = { global_concurrency: parallel, per_host_concurrency: parallel };
    const workspace = await makeWorkspace(t, { limits });
    await archiveAll(workspace, host);
    const depths = metadataOf(workspace).map((record) => record.depth);
    assert.deepEqual(
      depths,
      [...depths].sort((a, b) => a - b),
    );
    assert.equal(depths.at(-1), 4);
  }
});

test("the store verifies, status has the right counts, and compressed pages are the same pages", async (t) => {
  const host = await startHost(t);
  const workspace = await makeWorkspace(t, { storage: { html_compress: true, html_permissions: "0o600" } });
  await archiveAll(workspace, host);
  const { paths, settings } = workspace;
  const blobs = new BlobStore({
    root: paths.htmlStore,
    recordedRoot: paths.recordedStore,
    compress: true,
    permissions: settings.config.storage.html_permissions,
  });
  const counts = await verifyArchive({
    metadataPath: paths.metadata,
    blobs,
    onProblem: (p) => assert.fail(JSON.stringify(p)),
  });
  const status = await archiveStatus(workspace);
  assert.equal(status.blobs, new Set(storedPaths(workspace)).size);
  assert.equal(status.frontier, 0);
  assert.equal(status.records, metadataOf(workspace).length);
  assert.ok(counts !== undefined);
  const { content_sha256 } = metadataOf(workspace)[0]!;
  assert.match((await blobs.read(content_sha256))!.toString(), /<h1>\/topics<\/h1>/);
});

test("trajectory and metrics are CSV with the documented columns; Prometheus has the same counts", async (t) => {
  const host = await startHost(t);
  const workspace = await makeWorkspace(t);
  const crawl = await archiveAll(workspace, host);
  const edges = linesOf(workspace.paths.edgesCsv);
  assert.equal(edges[0], "src,dst,depth");
  assert.ok(edges.includes("https://github.com/topics,https://github.com/topics/nets,1"));
  assert.ok(!edges.some((edge) => edge.includes("example.com") || edge.includes("/tree/")), "only what is allowed");
  const rows = linesOf(workspace.paths.metricsCsv);
  assert.equal(rows[0], "timestamp,metric,value");
  const metrics = new Map(rows.slice(1).map((row) => [row.split(",")[1]!, Number(row.split(",")[2])]));
  assert.equal(metrics.get("pages_saved"), host.pages.length);
  assert.equal(metrics.get("frontier_push"), crawl.progress().fetched);
  assert.equal(metrics.get("policy_reject_subdomain_denied"), 2);
  const prometheus = await crawl.metrics.prometheus();
  assert.match(prometheus, new RegExp(`^trawl_archive_pages_saved_total ${host.pages.length}$`, "m"));
  assert.match(prometheus, /^trawl_archive_policy_reject_total\{reason="subdomain_denied"\} 2$/m);
  assert.match(prometheus, /^trawl_archive_frontier_size 0$/m);
});
