/** Words in stored pages: found as soon as they are archived, with an index that can be lost at any time. */
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { type SearchOptions, searchArchive } from "../../src/archive/search/search-archive.ts";
import { checkLedgers, repairWorkspace, verifyWorkspace } from "../../src/archive/verify-workspace.ts";
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

test("damage to the index is found by verify, which changes nothing, and repaired by deleting it", async (t) => {
  const host = await startHost(t, { repos: 1 });
  const workspace = await makeWorkspace(t, { storage: { warc: true }, requisites: { enabled: true } });
  await archiveAll(workspace, host);
  const { searchIndex, requisitesChoice } = workspace.paths;
  const pages = (await search(workspace, "topics")).index.pages;
  const problems = async (): Promise<string[]> => {
    const found: string[] = [];
    await verifyWorkspace(workspace, { onProblem: ({ kind }) => found.push(kind) });
    return [...found, ...(await checkLedgers(workspace)).map(({ file }) => file)];
  };
  const good = readFileSync(searchIndex);
  assert.deepEqual(await problems(), []);
  assert.deepEqual(readFileSync(searchIndex), good);
  const text = good.indexOf("/topics /topics/tides");
  const sha = good.indexOf(metadataOf(workspace).find(({ content_sha256 }) => content_sha256 !== "")!.content_sha256);
  assert.ok(text > 0 && sha > 0);
  for (const damaged of [
    Buffer.from("x".repeat(good.length)),
    good.subarray(0, good.length / 2),
    flipped(good, text + 3),
    flipped(good, sha + 3),
  ]) {
    writeFileSync(searchIndex, damaged);
    assert.deepEqual(await problems(), ["damaged_search"]);
  }
  writeFileSync(requisitesChoice, '{"requisites":trve}\n');
  assert.deepEqual(await problems(), ["damaged_search", "requisites.json"]);
  await repairWorkspace(workspace, { onProblem: () => {} }, Date.now());
  assert.deepEqual(await problems(), []);
  assert.deepEqual(JSON.parse(readFileSync(requisitesChoice, "utf8")), { requisites: true });
  assert.equal((await search(workspace, "topics")).index.pages, pages);
});

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 1;
  return copy;
}
