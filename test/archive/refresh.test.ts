/** A second archive of the same pages: conditional requests, 304, and what changed in between. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { archiveAll, linesOf, makeWorkspace, metadataOf, pathOf, startHost } from "./archiving.ts";

test("without refresh nothing is requested again, except a new seed", async (t) => {
  const host = await startHost(t);
  const workspace = await makeWorkspace(t);
  await archiveAll(workspace, host, { seeds: ["https://github.com/trending"] });
  host.reset();
  await archiveAll(workspace, host, { seeds: ["https://github.com/trending"] });
  assert.deepEqual([...host.counts().keys()], []);
  await archiveAll(workspace, host, { seeds: ["https://github.com/trending", "https://github.com/topics/other"] });
  assert.deepEqual([...host.counts().keys()], ["/topics/other"]);
});

test("what has not changed gets no second rows in edges.csv; what has changed gets its rows again", async (t) => {
  const host = await startHost(t);
  const workspace = await makeWorkspace(t);
  await archiveAll(workspace, host);
  const before = linesOf(workspace.paths.edgesCsv);
  await archiveAll(workspace, host, { refresh: true });
  const redirect = "https://github.com/old/name,https://github.com/owner-0/repo-0,2";
  assert.deepEqual(linesOf(workspace.paths.edgesCsv), [...before, redirect]);
  host.change("/trending");
  await archiveAll(workspace, host, { refresh: true });
  const added = linesOf(workspace.paths.edgesCsv).slice(before.length + 1);
  assert.deepEqual(
    added.filter((row) => row !== redirect),
    before.filter((row) => row.startsWith("https://github.com/trending,")),
  );
});

test("304: a line with the earlier page's hash and path and no bytes; what changed is stored again", async (t) => {
  const host = await startHost(t);
  const workspace = await makeWorkspace(t);
  await archiveAll(workspace, host);
  const before = new Map(metadataOf(workspace).map((record) => [record.url, record]));
  const lost = before.get("https://github.com/trending")!;
  rmSync(join(workspace.root, "..", lost.stored_path));
  host.change("/owner-1/repo-1");
  host.reset();
  const crawl = await archiveAll(workspace, host, { refresh: true });
  const again = metadataOf(workspace).slice(before.size);
  assert.deepEqual(
    again.map((record) => record.url).sort(),
    [...before.keys()].sort(),
    "links of unchanged pages are followed",
  );
  for (const record of again) {
    const earlier = before.get(record.url)!;
    const path = pathOf(record.url);
    if (path === "/owner-1/repo-1") {
      assert.equal(record.http_status, 200);
      assert.notEqual(record.content_sha256, earlier.content_sha256);
    } else if (path === "/trending") {
      assert.equal(record.http_status, 200, "without the stored page, a 304 would be useless");
      assert.equal(record.content_sha256, earlier.content_sha256);
    } else if (path !== "/old/name") {
      assert.equal(record.http_status, 304);
      assert.equal(record.content_bytes, 0);
      for (const key of ["content_sha256", "stored_path", "etag", "content_type", "encoding"] as const) {
        assert.equal(record[key], earlier[key], key);
      }
    }
  }
  assert.equal(crawl.metrics.get("not_modified_304"), before.size - 3);
  assert.ok([...host.counts().values()].every((count) => count === 1));
});
