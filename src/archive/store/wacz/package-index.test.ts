import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { CompressedIndex } from "./package-index.ts";

async function compressed(count: number) {
  const lines = Array.from(
    { length: count },
    (_, at) => `com,github)/${String(at).padStart(6, "0")} 20250112100000 {"at":${at}}`,
  );
  const data: Buffer[] = [];
  let index = "";
  const writer = new CompressedIndex(
    async (bytes) => data.push(bytes),
    async (text) => {
      index += text;
    },
  );
  for (const line of lines) await writer.add(line);
  await writer.finish();
  return { lines, data: Buffer.concat(data), index };
}

test("an index is read piece by piece: every member by its line in index.idx", async () => {
  const { lines, data, index } = await compressed(2500);
  const [meta, ...members] = index.split("\n").slice(0, -1);
  assert.equal(meta, '!meta 0 {"format":"cdxj-gzip-1.0","filename":"index.cdx.gz"}');
  assert.equal(members.length, 3);
  const read: string[] = [];
  for (const member of members) {
    const [key, time] = member.split(" ");
    const { offset, length, filename } = JSON.parse(member.slice(member.indexOf("{")));
    assert.equal(filename, "index.cdx.gz");
    const piece = gunzipSync(data.subarray(offset, offset + length))
      .toString()
      .split("\n")
      .slice(0, -1);
    assert.ok(piece[0]!.startsWith(`${key} ${time} {`));
    read.push(...piece);
  }
  assert.deepEqual(read, lines);
});

test("a last member that is full is not followed by an empty one", async () => {
  const { index } = await compressed(2048);
  assert.equal(index.split("\n").length, 4);
});
