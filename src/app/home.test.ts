import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openHome } from "./home.ts";

test("home: TRAWL_HOME is made when it is not there, and every crawl has its own folder", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, "deep", "home");
  const home = openHome({ TRAWL_HOME: root });
  assert.ok(existsSync(join(root, "crawls")));
  assert.equal(home.registry, join(root, "registry.db"));
  assert.equal(home.crawlDatabase(3), join(home.crawlFolder(3), "crawl.db"));
  assert.notEqual(home.crawlFolder(3), home.crawlFolder(4));
});

test("home: a folder that cannot be made is named", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "file"), "");
  const root = join(folder, "file", "home");
  assert.throws(() => openHome({ TRAWL_HOME: root }), { code: "STORE_FAILED", message: new RegExp(root) });
});

test("home: without TRAWL_HOME, or with an empty one, it is in the home folder", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
  const { HOME } = process.env;
  process.env["HOME"] = folder;
  t.after(() => {
    process.env["HOME"] = HOME;
    rmSync(folder, { recursive: true, force: true });
  });
  assert.equal(openHome({}).root, join(folder, ".trawl"));
  assert.equal(openHome({ TRAWL_HOME: "" }).root, join(folder, ".trawl"));
});

test("home: a system that refuses to create folders there is reported, and not retried forever", {
  skip: process.platform !== "linux",
}, () => {
  assert.throws(() => openHome({ TRAWL_HOME: "/proc/trawl-test/home" }), { code: "STORE_FAILED", message: /\/proc/ });
});
