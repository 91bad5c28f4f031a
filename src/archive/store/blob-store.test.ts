import assert from "node:assert/strict";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { TrawlError } from "../../errors.ts";
import { collect, temporaryFolder } from "../../storage/testing/files.ts";
import { sha256Of } from "./blob-store.ts";
import { sampleStore } from "./testing/samples.ts";

const page = Buffer.from("<h1>héllo\0</h1>\r\n");
const sha256 = sha256Of(page);
const shard = `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}`;

const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());

async function store(t: TestContext, options = {}) {
  const folder = await temporaryFolder(t);
  return { folder, root: join(folder, "store/html"), blobs: sampleStore(folder, options) };
}

test("a page is stored under its hash, with its bytes and permissions", async (t) => {
  const { root, blobs } = await store(t, { permissions: 0o640 });
  const stored = await blobs.put(page);
  assert.deepEqual(stored, { sha256, path: `workspace/store/html/${shard}/${sha256}.html`, isNew: true });
  const file = join(root, shard, `${sha256}.html`);
  assert.deepEqual(await readFile(file), page);
  assert.equal((await stat(file)).mode & 0o777, 0o640);
  assert.deepEqual(await blobs.read(sha256), page);
  assert.equal(await blobs.has(sha256), true);
  assert.equal((await filesIn(root)).length, 1, "no temporary file stays");
});

test("the same bytes are written once, at once or later, also after compression was switched", async (t) => {
  const { folder, root, blobs } = await store(t);
  const stored = await Promise.all([blobs.put(page), blobs.put(page), blobs.put(page)]);
  assert.deepEqual(stored.map(({ isNew }) => isNew).sort(), [false, false, true]);
  const { ino, mtimeMs } = await stat(join(root, shard, `${sha256}.html`));
  const again = await sampleStore(folder, { compress: true }).put(page);
  assert.equal(again.isNew, false);
  assert.equal(again.path, stored[0].path);
  const after = await stat(join(root, shard, `${sha256}.html`));
  assert.deepEqual([after.ino, after.mtimeMs], [ino, mtimeMs]);
});

test("zstd is a container: the name is the hash of the page, and any reader of zstd gets its bytes", async (t) => {
  const { root, blobs } = await store(t, { compress: true });
  const { path } = await blobs.put(page);
  assert.equal(path, `workspace/store/html/${shard}/${sha256}.html.zst`);
  assert.deepEqual(zstdDecompressSync(await readFile(join(root, shard, `${sha256}.html.zst`))), page);
  assert.deepEqual(await blobs.read(sha256), page);
  const empty = await blobs.put(Buffer.alloc(0));
  assert.deepEqual(await blobs.read(empty.sha256), Buffer.alloc(0));
});

test("a container of several frames is read to its end", async (t) => {
  const { root, blobs } = await store(t, { compress: true });
  await blobs.put(page);
  const frames = [page.subarray(0, 5), page.subarray(5)].map((part) => zstdCompressSync(part));
  await writeFile(join(root, shard, `${sha256}.html.zst`), Buffer.concat(frames));
  assert.deepEqual(await blobs.read(sha256), page);
});

test("a page with other bytes is damage, in either form", async (t) => {
  for (const compress of [false, true]) {
    const { root, blobs } = await store(t, { compress });
    const { path } = await blobs.put(page);
    const file = join(root, shard, path.slice(path.lastIndexOf("/") + 1));
    for (const bytes of ["other", compress ? zstdCompressSync("other") : ""]) {
      await writeFile(file, bytes);
      await assert.rejects(blobs.read(sha256), (error: TrawlError) => error.code === "ARCHIVE_DAMAGED");
    }
  }
});

test("a plain file of another size is written again; what is missing is not there", async (t) => {
  const { root, blobs } = await store(t);
  await blobs.put(page);
  await writeFile(join(root, shard, `${sha256}.html`), "");
  assert.equal((await blobs.put(page)).isNew, true);
  assert.deepEqual(await blobs.read(sha256), page);
  await rm(join(root, shard, `${sha256}.html`));
  assert.equal(await blobs.read(sha256), null);
  assert.equal(await blobs.has(sha256), false);
  for (const name of ["../../../etc/passwd", "", sha256.toUpperCase()]) assert.equal(await blobs.read(name), null);
});

test("each lists pages and what a crash left, and nothing else", async (t) => {
  const { root, blobs } = await store(t);
  assert.deepEqual(await collect(blobs.each()), []);
  await blobs.put(page);
  const other = await blobs.put(Buffer.from("other"));
  await writeFile(join(root, shard, `${sha256}.html.99.tmp`), "half");
  await writeFile(join(root, shard, "notes.txt"), "");
  const listed = await collect(blobs.each());
  assert.deepEqual(
    listed
      .filter(({ kind }) => kind === "blob")
      .map((blob) => blob.sha256)
      .sort(),
    [sha256, other.sha256].sort(),
  );
  assert.deepEqual(
    listed.filter(({ kind }) => kind === "leftover").map(({ sha256 }) => sha256),
    [sha256],
  );
  const moved = await blobs.quarantine(sha256);
  assert.deepEqual(await readFile(moved!), page);
  assert.equal((await collect(blobs.each())).filter(({ kind }) => kind === "blob").length, 1);
});

test("a store that cannot be used says so in words, with the system's code as the cause", async (t) => {
  const { folder, blobs } = await store(t);
  await writeFile(join(folder, "store"), "a file where the folder should be");
  for (const use of [() => blobs.put(page), () => blobs.read(sha256), () => blobs.each().next()]) {
    await assert.rejects(use, (error: TrawlError) => {
      assert.equal(error.code, "FILE_NOT_READABLE");
      assert.equal((error.cause as NodeJS.ErrnoException).code, "ENOTDIR");
      return true;
    });
  }
});
