import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { prepareUi, StaticFiles } from "./web-app.ts";

const SCRIPT = "console.log('hello');\n".repeat(200);

function folder(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), "trawl-ui-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const files = join(root, "ui");
  mkdirSync(join(files, "assets"), { recursive: true });
  writeFileSync(join(files, "index.html"), "<!doctype html>");
  writeFileSync(join(files, "assets", "main-1a2b.js"), SCRIPT);
  writeFileSync(join(files, "manifest.webmanifest"), "{}");
  writeFileSync(join(root, "secret.txt"), "secret");
  symlinkSync(join(root, "secret.txt"), join(files, "link.txt"));
  return files;
}

const answer = async (files: StaticFiles, path: string, headers: Record<string, string> = {}) =>
  (await files.answer(path, new Headers(headers)))!;

test("files come with their type, and are kept by browsers as long as their name says", async (t) => {
  const files = new StaticFiles(folder(t));
  const script = await answer(files, "/assets/main-1a2b.js");
  assert.match(script.headers.get("content-type")!, /^text\/javascript/);
  assert.equal(script.headers.get("cache-control"), "public, max-age=31536000, immutable");
  assert.equal(await script.text(), SCRIPT);
  const index = await answer(files, "/index.html");
  assert.equal(index.headers.get("cache-control"), "no-cache");
  const manifest = await answer(files, "/manifest.webmanifest");
  assert.match(manifest.headers.get("content-type")!, /^application\/manifest\+json/);
});

test("nothing outside the folder can be asked for, by any spelling", async (t) => {
  const files = new StaticFiles(folder(t));
  const paths = ["/../secret.txt", "/..%2fsecret.txt", "/assets/../../secret.txt", "//secret.txt", "/..\\secret.txt"];
  for (const path of [...paths, "/link.txt", "/", "", "/assets", "/assets/", "/index.html/", "/index.html\0"]) {
    assert.equal(await files.answer(path, new Headers()), null, path);
  }
});

test("large texts are compressed as the browser asks", async (t) => {
  const files = new StaticFiles(folder(t));
  const path = "/assets/main-1a2b.js";
  const body = async (accepted: string) => {
    const response = await answer(files, path, { "accept-encoding": accepted });
    return { coding: response.headers.get("content-encoding"), bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const brotli = await body("gzip, deflate, br");
  assert.equal(brotli.coding, "br");
  assert.equal(String(brotliDecompressSync(brotli.bytes)), SCRIPT);
  const gzip = await body("br;q=0, gzip;q=0.5");
  assert.equal(gzip.coding, "gzip");
  assert.equal(String(gunzipSync(gzip.bytes)), SCRIPT);
  assert.equal((await body("")).coding, null);
  assert.equal((await answer(files, "/index.html", { "accept-encoding": "br" })).headers.get("content-encoding"), null);
});

test("what the browser has already is not sent again", async (t) => {
  const files = new StaticFiles(folder(t));
  const etag = (await answer(files, "/index.html")).headers.get("etag")!;
  const again = await answer(files, "/index.html", { "if-none-match": `"other", ${etag}` });
  assert.equal(again.status, 304);
  assert.equal(await again.text(), "");
  assert.equal((await answer(files, "/index.html", { "if-none-match": '"other"' })).status, 200);
});

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
