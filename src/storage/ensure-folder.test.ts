import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ensureFolder } from "./ensure-folder.ts";

function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("ensureFolder: creates missing folders, and returns the topmost", (t) => {
  const folder = temporary(t);
  assert.equal(ensureFolder(join(folder, "a", "b"), 0o700), join(folder, "a"));
  assert.equal(ensureFolder(join(folder, "a", "b", "c")), join(folder, "a", "b", "c"));
  assert.equal(ensureFolder(join(folder, "a", "b", "c")), undefined);
  if (process.platform !== "win32") assert.equal(statSync(join(folder, "a")).mode & 0o777, 0o700);
});

test("ensureFolder: a path that goes back and forth, and one with a slash at its end", (t) => {
  const folder = temporary(t);
  ensureFolder(`${folder}/a/../b//c/`);
  assert.ok(statSync(join(folder, "b", "c")).isDirectory());
});

test("ensureFolder: a file in the way is named", (t) => {
  const folder = temporary(t);
  const file = join(folder, "file");
  writeFileSync(file, "");
  assert.throws(() => ensureFolder(file), { code: "FILE_NOT_WRITABLE", message: /file cannot be created: EEXIST/ });
  assert.throws(() => ensureFolder(join(file, "x", "y")), { message: /file cannot be created: EEXIST/ });
});

test("ensureFolder: a system that refuses to create folders there is reported, and not retried forever", {
  skip: process.platform !== "linux",
}, () => {
  assert.throws(() => ensureFolder("/proc/trawl-test/a/b"), {
    code: "FILE_NOT_WRITABLE",
    message: /^The folder \/proc\/trawl-test cannot be created: ENOENT/,
    hint: /^Choose a folder/,
  });
});
