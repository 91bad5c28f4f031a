import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { AppendFile } from "./append-file.ts";
import { temporaryFolder } from "./testing/files.ts";

test("appends are in the order they were made, at the offsets they resolve to", async (t) => {
  const path = join(await temporaryFolder(t), "deep/er/file");
  const file = await AppendFile.open(path);
  const parts = Array.from({ length: 200 }, (_, index) => Buffer.from(`${index};`.repeat(index % 7)));
  const offsets = await Promise.all(parts.map((part) => file.append(part)));
  const all = Buffer.concat(parts);
  assert.deepEqual(await readFile(path), all);
  assert.equal(file.length, all.length);
  for (const [index, part] of parts.entries()) {
    assert.deepEqual(await file.read(offsets[index]!, part.length), part);
  }
  assert.equal((await file.read(all.length - 2, 100)).length, 2);
  await file.close();
});

test("a file that exists goes on, and close waits for what was appended", async (t) => {
  const path = join(await temporaryFolder(t), "file");
  await writeFile(path, "one");
  const file = await AppendFile.open(path);
  assert.equal(file.length, 3);
  const appended = file.append(Buffer.from("two"));
  await file.close();
  assert.equal(await appended, 3);
  assert.equal(await readFile(path, "utf8"), "onetwo");
});

test("what was cut off is written over", async (t) => {
  const path = join(await temporaryFolder(t), "file");
  const file = await AppendFile.open(path);
  await file.append(Buffer.from("keep;drop;"));
  await file.truncate(5);
  assert.equal(await file.append(Buffer.from("x")), 5);
  await file.close();
  assert.equal(await readFile(path, "utf8"), "keep;x");
});

test("a full disk fails the append, and the next one follows what was whole", {
  skip: process.platform !== "linux",
}, async (t) => {
  const file = await AppendFile.open("/dev/full").catch(() => null);
  if (file === null) return t.skip("no /dev/full");
  await assert.rejects(file.append(Buffer.from("x")), { code: "FILE_NOT_WRITABLE" });
  assert.equal(file.length, 0);
  await file.close();
});
