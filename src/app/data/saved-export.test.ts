import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { exportQuestion } from "../operations/urls.ts";
import { writeExport } from "./saved-export.ts";

function exporting(t: { after(end: () => void): void }, chunks: string[], breaks = false) {
  const folder = mkdtempSync(join(tmpdir(), "trawl-export-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const home = { crawlFolder: () => folder };
  const data = {
    download: async (_: unknown, onBroken: () => void) => ({
      fileName: "example.com-urls.csv",
      body: new ReadableStream<Uint8Array<ArrayBuffer>>({
        start(stream) {
          for (const chunk of chunks) stream.enqueue(Buffer.from(chunk));
          if (breaks) onBroken();
          else stream.close();
        },
      }),
    }),
  };
  return { folder: join(folder, "exports"), home, data };
}

test("rows are counted although cells have line ends and quotes, wherever chunks end", async (t) => {
  const csv = 'url,title\n/a,"two\nlines"\n/b,"say ""hi"""\n/c,\n';
  const { home, data, folder } = exporting(t, [...csv]);
  const saved = await writeExport(data, home, exportQuestion.parse({ id: 1 }));
  assert.deepEqual([dirname(saved.path), saved.total, saved.bytes], [folder, 3, csv.length]);
  assert.match(saved.path, /example\.com-urls-[0-9a-f]{8}\.csv$/);
  assert.equal(readFileSync(saved.path, "utf8"), csv);
});

test("JSON lines are counted, however many quotes are in their strings", async (t) => {
  const rows = ['a 5" screen', 'quoted "twice"', "back\\slash"].map((title) => `${JSON.stringify({ title })}\n`);
  const { home, data } = exporting(t, rows);
  assert.equal((await writeExport(data, home, exportQuestion.parse({ id: 1, format: "jsonl" }))).total, 3);
});

test("an export that breaks off leaves no file", async (t) => {
  const { home, data, folder } = exporting(t, ["url\n", "/a\n"], true);
  await assert.rejects(writeExport(data, home, exportQuestion.parse({ id: 1 })), { code: "FILE_NOT_WRITABLE" });
  assert.deepEqual(readdirSync(folder), []);
});

test("exports at the same time are whole, and no question replaces the file of another", async (t) => {
  const { home, data, folder } = exporting(t, ["url\n", "/a\n"]);
  const asked = [["status=200"], ["status=404"], ["status=200"]].map((filter) =>
    writeExport(data, home, exportQuestion.parse({ id: 1, filter })),
  );
  const [first, other, again] = await Promise.all(asked);
  assert.equal(first!.path, again!.path);
  assert.notEqual(first!.path, other!.path);
  assert.equal(readdirSync(folder).length, 2);
  for (const { path } of [first!, other!]) assert.equal(readFileSync(path, "utf8"), "url\n/a\n");
});

test("what a killed process had begun to write is removed, and not what another one is writing", async (t) => {
  const { home, data, folder } = exporting(t, ["url\n"]);
  mkdirSync(folder);
  // No system gives a process this number.
  for (const pid of [2 ** 30, process.ppid]) writeFileSync(join(folder, `a.csv.${pid}-1.partial`), "half");
  const { path } = await writeExport(data, home, exportQuestion.parse({ id: 1 }));
  assert.deepEqual(
    readdirSync(folder).sort(),
    [`a.csv.${process.ppid}-1.partial`, path.slice(folder.length + 1)].sort(),
  );
});

test("an abandoned export ends and leaves no file", async (t) => {
  const { home, folder } = exporting(t, []);
  const left = new AbortController();
  const data = {
    download: async () => ({
      fileName: "a.csv",
      body: new ReadableStream<Uint8Array<ArrayBuffer>>({ pull: () => left.abort() }),
    }),
  };
  await assert.rejects(writeExport(data, home, exportQuestion.parse({ id: 1 }), left.signal));
  assert.deepEqual(readdirSync(folder), []);
});
