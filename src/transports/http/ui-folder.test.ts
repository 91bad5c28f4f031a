import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { prepareUi } from "./ui-folder.ts";

function checkout(t: TestContext, files: Record<string, number>): string {
  const root = mkdtempSync(join(tmpdir(), "trawl-ui-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, seconds] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), "");
    utimesSync(join(root, path), seconds, seconds);
  }
  return root;
}

async function prepared(root: string, problem: string | null = null) {
  const said: string[] = [];
  let builds = 0;
  const build = async () => {
    builds++;
    return { isBuilt: problem === null, problem: problem ?? "" };
  };
  return { folder: await prepareUi(root, (line) => said.push(line), build), builds, said };
}

const BUILT = { "dist/ui/index.html": 100 };
const SOURCES = { "tools/build-ui.ts": 1, "ui/src/main.tsx": 50 };

test("a package is served as it is, a checkout is built when its sources are newer", async (t) => {
  const installed = await prepared(checkout(t, BUILT));
  assert.deepEqual([installed.builds, installed.folder?.endsWith(join("dist", "ui"))], [0, true]);
  assert.equal((await prepared(checkout(t, { ...BUILT, ...SOURCES }))).builds, 0);
  const stale = await prepared(checkout(t, { ...BUILT, ...SOURCES, "ui/src/deep/new.tsx": 200 }));
  assert.deepEqual([stale.builds, stale.said], [1, ["building the web app…"]]);
});

test("what cannot be built is said; the older one is served, or none", async (t) => {
  const none = await prepared(checkout(t, SOURCES), "vite is missing");
  assert.equal(none.folder, null);
  assert.match(none.said.at(-1)!, /could not be built: vite is missing/);
  const older = await prepared(checkout(t, { ...BUILT, ...SOURCES, "ui/new.tsx": 200 }), "broken");
  assert.ok(older.folder);
  assert.deepEqual((await prepared(checkout(t, {}))).folder, null);
});
