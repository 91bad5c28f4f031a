/** The sizes that `inspect` prints, also of frames that other writers made. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { constants, zstdCompressSync } from "node:zlib";
import { contentSize, encodeRecords } from "../format/collection.ts";
import { SegmentWriter } from "../write/segment-writer.ts";
import { inspectSegment } from "./inspect.ts";

/** As by a writer that does not know the length before. */
const withoutSize = (content: Buffer): Buffer =>
  zstdCompressSync(content, { params: { [constants.ZSTD_c_contentSizeFlag]: 0 } });

test("a frame without its content size counts as much as it unpacks to", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-inspect-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const content = encodeRecords([{ rkey: "a", value: Buffer.from(JSON.stringify({ text: "x".repeat(500) })) }]);
  const frame = withoutSize(content);
  assert.equal(contentSize(frame), null, "the test is about such a frame");
  const writer = new SegmentWriter({ folder, targetBytes: 1e6, proofs: false, now: () => 1 });
  const collections = [{ name: "app.bsky.feed.post", recordCount: 1, frame }];
  const { path } = await writer.append({ did: "did:web:a.example", pds: "", rev: "1", crawledAt: 1n, collections });
  await writer.close();
  assert.equal((await inspectSegment(path)).collections[0]!.contentBytes, content.length);
});
