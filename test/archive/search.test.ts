/** Words in stored pages: found as soon as they are archived, with an index that can be lost at any time. */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { type SearchOptions, searchArchive } from "../../src/archive/search/search-archive.ts";
import type { Workspace } from "../../src/archive/workspace.ts";
import { archiveAll, makeWorkspace, metadataOf, pathOf, startHost } from "./archiving.ts";

const search = (workspace: Workspace, words: string, update: SearchOptions["update"] = "yes") =>
  searchArchive(workspace, words, { limit: 10, update });

test("a search knows what was archived, says how fresh it is, and survives the loss of its index", async (t) => {
  const body = (text: string) => ({ status: 200, body: `<title>${text}</title><p>Über ${text} <b>tide</b>pool` });
  const special: Record<string, string> = { "/topics/tides": "sandpiper", "/trending": "sandpiper heron" };
  const host = await startHost(t, { repos: 1, instead: (path) => (special[path] ? body(special[path]) : null) });
  const workspace = await makeWorkspace(t);
  await assert.rejects(search(workspace, "x"), { code: "BAD_USAGE", message: /Nothing has been archived/ });
  await archiveAll(workspace, host);
  const pages = metadataOf(workspace).filter(({ content_sha256 }) => content_sha256 !== "").length;

  const found = await search(workspace, "sandpiper");
  assert.deepEqual(found.matches.map(({ url }) => pathOf(url)).sort(), ["/topics/tides", "/trending"]);
  assert.deepEqual([found.total, found.index.pages, found.index.behind], [2, pages, 0]);
  assert.equal(found.index.upTo, metadataOf(workspace).at(-1)!.timestamp);
  assert.match(found.matches[0]!.snippet, /\u0001sandpiper\u0002/);
  const paths = async (words: string) => (await search(workspace, words)).matches.map(({ url }) => pathOf(url));
  assert.deepEqual(await paths("sandpiper -heron"), ["/topics/tides"]);
  assert.deepEqual(await paths("uber HERON tidepool"), ["/trending"], "accents and case do not matter");
  assert.deepEqual(await paths('"heron sandpiper"'), []);
  assert.deepEqual(await paths("hero*"), ["/trending"]);

  // The page has changed: the index as it is says that it is behind, and is brought up to date by the next search.
  special["/trending"] = "cormorant";
  await archiveAll(workspace, host, { refresh: true });
  const stale = await search(workspace, "cormorant", "no");
  assert.equal(stale.total, 0);
  assert.ok(stale.index.behind > 0);
  assert.deepEqual(await paths("cormorant"), ["/trending"]);
  assert.deepEqual(await paths("heron"), [], "only the last page of a URL counts");

  const { searchIndex } = workspace.paths;
  for (const lose of [
    () => rmSync(searchIndex),
    () => writeFileSync(searchIndex, "no database at all, but long enough".repeat(99)),
  ]) {
    lose();
    assert.deepEqual(await paths("cormorant"), ["/trending"]);
  }
  assert.equal((await search(workspace, "cormorant", "rebuild")).index.pages, pages);
});
