import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  assert.deepEqual(saved, { path: join(folder, "example.com-urls.csv"), total: 3, bytes: csv.length });
  assert.equal(readFileSync(saved.path, "utf8"), csv);
});

test("an export that breaks off leaves no file", async (t) => {
  const { home, data, folder } = exporting(t, ["url\n", "/a\n"], true);
  await assert.rejects(writeExport(data, home, exportQuestion.parse({ id: 1 })), { code: "FILE_NOT_WRITABLE" });
  assert.deepEqual(readdirSync(folder), []);
});
