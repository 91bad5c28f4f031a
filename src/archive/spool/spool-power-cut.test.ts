/** What the spool and its bookmark promise, on every state that a power cut could leave. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { FakeClock } from "../../kernel/testing/fake-clock.ts";
import { aBatch, anAdmitted } from "../../kernel/testing/samples.ts";
import { collect } from "../../storage/testing/files.ts";
import { assertCrashSafe } from "../../storage/testing/replay-crashes.ts";
import { TestLedger } from "../ledger/testing/file-harness.ts";
import { DiscoveriesWriter } from "./discoveries-writer.ts";
import { bookmarkedLedger, bookmarkNote, type Discovery, readBookmark, readSpool, SPOOL_START } from "./spool-files.ts";
import { checkSpool } from "./spool-sums.ts";

const foldersIn = (folder: string) => ({ spool: join(folder, "spool"), spoolSums: join(folder, "sums") });

const discovery = (name: string): Discovery => ({
  url: `https://a.example/${name}`,
  page_type: "repo_root",
  depth: 1,
  referrer: null,
});

test("discoveries are there once they were flushed, over rotations", async (t) => {
  await assertCrashSafe<string[]>(t, {
    async work({ folder, fs, promise }) {
      const limits = { rotateBytes: 250, budgetBytes: 1_000_000 };
      const writer = await DiscoveriesWriter.open(foldersIn(folder), limits, new FakeClock(), fs);
      for (const names of [["a"], ["b", "c"], ["d"], ["e"]]) {
        writer.add(names.map(discovery));
        await writer.flush();
        promise(names);
      }
      await writer.close();
    },
    async recover({ folder, promised }) {
      const damage = await collect(checkSpool(foldersIn(folder), SPOOL_START));
      assert.deepEqual(damage, [], "what a power cut leaves is not damage");
      const items = await collect(readSpool(join(folder, "spool"), { file: null, offset: 0 }));
      const urls = items.map((item) => item.discovery?.url);
      for (const name of promised.flat()) assert.ok(urls.includes(discovery(name).url), `${name} is lost`);
    },
  });
});

test("the bookmark never passes a URL that the ledger does not know", async (t) => {
  const path = (folder: string) => join(folder, "state/spool_bookmark.json");
  await assertCrashSafe<number>(t, {
    needless: { "sync ledger (AppendFile.open in append-file.ts)": "the ledger's seal makes the names durable" },
    async work({ folder, fs, promise }) {
      const inner = new TestLedger(join(folder, "ledger"), () => {}, fs);
      const ledger = bookmarkedLedger(inner, path(folder), () => {}, fs);
      await ledger.open(() => {});
      for (const id of [1, 2, 3]) {
        const note = bookmarkNote({ file: "discoveries-1.jsonl", offset: id });
        await ledger.commit(aBatch({ admitted: [anAdmitted(id)], notes: [note] }));
        promise(id);
      }
      await ledger.close();
    },
    async recover({ folder, fs, promised }) {
      const { offset } = await readBookmark(path(folder), assert.fail);
      assert.ok(offset >= (promised.at(-1) ?? 0), "what was saved is lost");
      const known: number[] = [];
      const ledger = new TestLedger(join(folder, "ledger"), () => {}, fs);
      await ledger.open(({ id }) => known.push(id));
      await ledger.close();
      for (let id = 1; id <= offset; id++) assert.ok(known.includes(id), `URL ${id} is lost`);
    },
  });
});
