import assert from "node:assert/strict";
import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { copyList, readList } from "./url-list.ts";

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "trawl-test-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function gather(batches: AsyncIterable<string[]>): Promise<string[][]> {
  const all: string[][] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}

test("url list: is copied with one normalised URL per line, without comments, blank lines and invalid URLs", async (t) => {
  const target = join(folder(t), "list.txt");
  const text =
    "\ufeffexample.com/a\r\n# a comment\n\n  https://other.test/b#x  \nnot a url\nexample.com/c\r\nmailto:x@y.test";
  const list = await copyList(Readable.from([Buffer.from(text)]), target);
  assert.deepEqual(list, {
    urls: 3,
    hosts: ["https://example.com/a", "https://other.test/b"],
    rejected: [
      { line: 5, text: "not a url" },
      { line: 7, text: "mailto:x@y.test" },
    ],
    rejectedCount: 2,
  });
  assert.equal(readFileSync(target, "utf8"), "https://example.com/a\nhttps://other.test/b\nhttps://example.com/c\n");
});

test("url list: of invalid URLs, the first five are shown, shortened, and all are counted", async (t) => {
  const lines = Array.from({ length: 8 }, () => `no url ${"x".repeat(500)}`);
  const list = await copyList(Readable.from([lines.join("\n")]), join(folder(t), "list.txt"));
  assert.deepEqual([list.urls, list.rejectedCount, list.rejected.length], [0, 8, 5]);
  assert.equal(list.rejected[0]!.text.length, 100);
});

test("url list: a thousand hosts are named at most", async (t) => {
  const lines = Array.from({ length: 1_200 }, (_, index) => `h${index}.test\n`);
  const list = await copyList(Readable.from(lines), join(folder(t), "list.txt"));
  assert.deepEqual([list.urls, list.hosts.length], [1_200, 1_000]);
});

test("url list: read in batches, the same each time, however long", async (t) => {
  const target = join(folder(t), "list.txt");
  const lines = Array.from({ length: 2_500 }, (_, index) => `https://example.com/${index}`);
  await copyList(Readable.from(lines.map((line) => `${line}\n`)), target);
  const first = await gather(readList(target));
  assert.deepEqual(
    first.map((batch) => batch.length),
    [1_000, 1_000, 500],
  );
  assert.deepEqual(first.flat(), lines);
  assert.deepEqual(await gather(readList(target)), first);
});

test("url list: an empty one has no batches", async (t) => {
  const target = join(folder(t), "list.txt");
  writeFileSync(target, "");
  assert.deepEqual(await gather(readList(target)), []);
});

test("url list: a file that cannot be read rejects, and does not end the process", async (t) => {
  const path = folder(t);
  const input = createReadStream(join(path, "nowhere.txt"));
  await assert.rejects(copyList(input, join(path, "list.txt")), { code: "FILE_NOT_READABLE", message: /ENOENT/ });
  await assert.rejects(gather(readList(join(path, "nowhere.txt"))), { code: "FILE_NOT_READABLE" });
});

test("url list: one that breaks in the middle rejects", async (t) => {
  const input = Readable.from(
    (function* () {
      yield "https://example.com/a\n";
      throw new Error("cut off");
    })(),
  );
  const target = join(folder(t), "list.txt");
  await assert.rejects(copyList(input, target), { code: "FILE_NOT_READABLE", message: "cut off" });
  assert.equal(existsSync(target), false, "half of it does not pass for all of it");
});

test("url list: a target that cannot be written rejects, and does not end the process", async (t) => {
  const target = join(folder(t), "no", "such", "folder");
  const lines = Array.from({ length: 5_000 }, (_, index) => `https://example.com/${index}/${"x".repeat(100)}\n`);
  await assert.rejects(copyList(Readable.from(lines), target), { code: "STORE_FAILED", message: /ENOENT/ });
});
