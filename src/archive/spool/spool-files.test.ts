import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Ledger } from "../../kernel/ledger.ts";
import { bookmarkedLedger, bookmarkNote, readBookmark } from "./spool-files.ts";

test("commits that overlap save their bookmarks one after the other, and the last one stays", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-bookmark-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const inner = { commit: async () => {} } as unknown as Ledger<null>;
  const path = join(folder, "spool_bookmark.json");
  const ledger = bookmarkedLedger(inner, path, () => {});
  const at = (offset: number) => ({ file: "discoveries-1.jsonl", offset });
  const commit = (offset: number) =>
    ledger.commit({ admitted: [], settled: [], retried: [], lanes: new Map(), notes: [bookmarkNote(at(offset))] });
  await Promise.all(Array.from({ length: 30 }, (_, index) => commit(index)));
  assert.deepEqual(await readBookmark(path, assert.fail), at(29));
  assert.deepEqual(readdirSync(folder), ["spool_bookmark.json"]);
});
