import assert from "node:assert/strict";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { TrawlError } from "../errors.ts";
import { asDiskFull, createFile, makeFolder, notWritable, replaceFile } from "./durable.ts";
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

test("a file is created whole, and one that is there stays as it is", async (t) => {
  const path = join(await temporaryFolder(t), "file");
  assert.equal(await createFile(path, "first", 0o600), true);
  assert.equal(await createFile(path, "second", 0o600), false);
  assert.equal(await readFile(path, "utf8"), "first");
});

test("a full disk is one error that names the file, however deep it was wrapped", () => {
  const system = Object.assign(new Error("ENOSPC: no space left on device, write"), {
    code: "ENOSPC",
    syscall: "write",
  });
  const wrapped = asDiskFull(notWritable("/a/b", system)) as TrawlError;
  assert.deepEqual([wrapped.code, wrapped.message], ["DISK_FULL", "The disk is full: /a/b cannot be written."]);
  assert.equal(asDiskFull(wrapped), wrapped);
  const opened = asDiskFull(Object.assign(system, { path: "/a/c" })) as TrawlError;
  assert.equal(opened.message, "The disk is full: /a/c cannot be written.");
  const sqlite = asDiskFull(Object.assign(new Error("database or disk is full"), { errcode: 13 })) as TrawlError;
  assert.equal(sqlite.message, "The disk is full.");
  const other = new TrawlError("BAD_USAGE", "x");
  assert.equal(asDiskFull(other), other);
});
