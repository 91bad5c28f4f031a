/** A page that is larger than the limit: named, not stored, and fetched when the limit is raised. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openWorkspace } from "../../src/archive/workspace.ts";
import {
  archive,
  archiveAll,
  makeWorkspace,
  metadataOf,
  pathOf,
  startHost,
  storedPaths,
  writeConfig,
} from "./archiving.ts";

test("over limits.max_page_mb, over HTTP/2 and HTTP/1.1: the others are not disturbed", async (t) => {
  const large = "/owner-0/repo-0/blob/main/src/file-1.ts";
  const body = `<p>${"x".repeat(300_000)}</p>`;
  for (const http2 of [true, false]) {
    const host = await startHost(t, { repos: 1, instead: (path) => (path === large ? { status: 200, body } : null) });
    const limits = { max_page_mb: 0.2, http2: http2 as never };
    const workspace = await makeWorkspace(t, { limits });
    const { crawl, notices } = await archive(workspace, host);
    assert.equal((await crawl.ended).state, "completed");
    const url = `https://github.com${large}`;
    assert.deepEqual(notices, [`${url} is not stored: it is larger than limits.max_page_mb (0.2 MB).`]);
    assert.deepEqual(
      crawl.failures.first.map((failure) => [failure.url, failure.error]),
      [[url, "truncated_length"]],
    );
    assert.equal(metadataOf(workspace).filter((record) => pathOf(record.url) === large)[0]!.content_sha256, "");
    assert.equal(storedPaths(workspace).length, host.pages.length - 1);
    writeConfig(workspace.root, { limits: { max_page_mb: 1, http2: http2 as never } });
    const again = await archiveAll(openWorkspace(workspace.root, Date.now()), host, { refetch: [{ failed: true }] });
    assert.equal(again.failures.count, 0);
    assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
  }
});
