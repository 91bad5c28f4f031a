import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { HALVES, lockedHalves, lockWorkspace } from "./workspace-lock.ts";

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-lock-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("workspace lock: discovering and scraping go side by side, a run goes alone", (t) => {
  const root = join(folderFor(t), "new");
  const discover = lockWorkspace(root, ["crawl"]);
  assert.ok(existsSync(root), "made for whoever begins");
  const scrape = lockWorkspace(root, ["store"]);
  assert.deepEqual(lockedHalves(root), ["crawl", "store"]);
  assert.throws(() => lockWorkspace(root, HALVES), { code: "WORKSPACE_BUSY", message: /new\.$/ });
  discover.release();
  assert.throws(() => lockWorkspace(root, HALVES), { code: "WORKSPACE_BUSY" });
  assert.deepEqual(lockedHalves(root), ["store"], "who was refused keeps nothing");
  scrape.release();
  lockWorkspace(root, HALVES).release();
  assert.deepEqual(lockedHalves(root), []);
});
