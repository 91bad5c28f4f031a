import assert from "node:assert/strict";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { makeFolder, replaceFile } from "./durable.ts";
import { temporaryFolder } from "./testing/files.ts";

test("a file gets new contents whole, or keeps the old ones", async (t) => {
  const folder = join(await temporaryFolder(t), "a/b");
  const path = join(folder, "file");
  assert.equal(await replaceFile(path, (handle) => handle.writeFile("old").then(() => 7), { permissions: 0o600 }), 7);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const failing = replaceFile(path, async (handle) => {
    await handle.writeFile("half");
    throw new Error("stopped half way");
  });
  await assert.rejects(failing, /stopped half way/);
  assert.equal(await readFile(path, "utf8"), "old");
  assert.deepEqual(await readdir(folder), ["file"], "no temporary file stays");
});

test("a folder may be there, in part or whole", async (t) => {
  const folder = await temporaryFolder(t);
  await makeFolder(join(folder, "a"));
  await makeFolder(join(folder, "a/b/c"));
  await makeFolder(join(folder, "a/b/c"));
  assert.ok((await stat(join(folder, "a/b/c"))).isDirectory());
});

test("a folder that the system does not make is an error for people, and not waited for", {
  skip: process.platform !== "linux",
}, async () => {
  const error = { code: "FILE_NOT_WRITABLE", message: /\/proc\/trawl-test cannot be created/ };
  await assert.rejects(makeFolder("/proc/trawl-test/a"), error);
  await assert.rejects(
    replaceFile("/proc/trawl-test/file", async () => {}),
    error,
  );
});
