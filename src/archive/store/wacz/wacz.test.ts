import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { collect, temporaryFolder } from "../../../storage/testing/files.ts";
import { readWarc, START, sampleCapture, warcWriter } from "../testing/captures.ts";
import { checkDigests, readZip } from "../testing/readers.ts";
import { sampleStore } from "../testing/samples.ts";
import { parseCdxj } from "../warc/cdxj.ts";
import { mergeLines, pageTitle } from "./package-index.ts";
import { type WaczOptions, writeWacz } from "./wacz.ts";

async function exported(t: TestContext, captures: number, maxBytes = 1_000_000) {
  const folder = await temporaryFolder(t);
  const [warcFolder, output] = [join(folder, "warc"), join(folder, "out/archive.wacz")];
  const blobs = sampleStore(folder);
  const writer = await warcWriter(warcFolder, { maxBytes });
  for (let index = 0; index < captures; index++) {
    const html = `<title>Page ${index} &amp; more</title>`;
    const url = `https://github.com/o/r${index}`;
    await Promise.all([blobs.put(Buffer.from(html)), writer.write(sampleCapture(html, { url }))]);
  }
  // Again later, the same page elsewhere, an error, and something that is not a page.
  await writer.write(sampleCapture("<p>later", { url: "https://github.com/o/r0", at: START + 60_000 }));
  await writer.write(sampleCapture("<p>later", { url: "https://github.com/o/twin", at: START + 60_000 }));
  await writer.write(sampleCapture("no", { url: "https://github.com/o/none", response: { status: 404 } }));
  const plain = { headers: [["content-type", "text/plain"]] as [string, string][] };
  await writer.write(sampleCapture("text", { url: "https://github.com/o/text", response: plain }));
  await writer.close();
  const options: WaczOptions = {
    warcFolder,
    output,
    blobs,
    title: "Made for a test",
    description: "Some pages",
    software: "Trawl/test",
    mainPageUrl: "https://github.com/o/r1",
    now: START,
  };
  const written = await writeWacz(options);
  const files = await readZip(output);
  const entries = new Map(files.entries().map(([name, { bytes }]) => [name, bytes]));
  return { folder, warcFolder, options, written, files, entries };
}

test("a package has what WACZ 1.1.1 asks for, and its digests are right", async (t) => {
  const { folder, warcFolder, options, written, files, entries } = await exported(t, 3);
  assert.deepEqual([written.warcs, written.captures, written.pages], [1, 7, 4]);
  const [warc] = (await readdir(warcFolder)).filter((name) => name.endsWith(".warc.gz"));
  assert.deepEqual(
    [...entries.keys()],
    [
      `archive/${warc}`,
      "pages/pages.jsonl",
      "indexes/index.cdx.gz",
      "indexes/index.idx",
      "datapackage.json",
      "datapackage-digest.json",
    ],
  );
  const dataPackage = JSON.parse(entries.get("datapackage.json")!.toString());
  assert.equal(dataPackage.profile, "data-package");
  assert.equal(dataPackage.wacz_version, "1.1.1");
  assert.equal(dataPackage.mainPageUrl, options.mainPageUrl);
  assert.equal(dataPackage.created, "2025-01-12T10:00:00.000Z");
  const hash = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  for (const resource of dataPackage.resources) {
    const bytes = entries.get(resource.path)!;
    assert.deepEqual([resource.hash, resource.bytes], [hash(bytes), bytes.length]);
  }
  assert.equal(dataPackage.resources.length, 4);
  assert.deepEqual(JSON.parse(entries.get("datapackage-digest.json")!.toString()), {
    path: "datapackage.json",
    hash: hash(entries.get("datapackage.json")!),
  });
  await writeFile(join(folder, "copy.warc.gz"), entries.get(`archive/${warc}`)!);
  assert.equal((await readWarc(join(folder, "copy.warc.gz"))).length, 15);
  assert.ok(checkDigests(join(folder, "copy.warc.gz")).right > 15);
  // Readers fetch single records by range requests, which a compressed entry would not allow.
  assert.ok(files.values().every(({ isStored }) => isStored));
  assert.deepEqual(await readdir(join(folder, "out")), ["archive.wacz"], "nothing temporary stays");
});

test("the list of pages has the last capture of each, with its title", async (t) => {
  const { entries } = await exported(t, 3);
  const lines = entries
    .get("pages/pages.jsonl")!
    .toString()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  assert.deepEqual(lines, [
    { format: "json-pages-1.0", id: "pages", title: "All Pages" },
    { id: "page-1", url: "https://github.com/o/r0", ts: "2025-01-12T10:01:00Z" },
    { id: "page-2", url: "https://github.com/o/r1", ts: "2025-01-12T10:00:00Z", title: "Page 1 & more" },
    { id: "page-3", url: "https://github.com/o/r2", ts: "2025-01-12T10:00:00Z", title: "Page 2 & more" },
    { id: "page-4", url: "https://github.com/o/twin", ts: "2025-01-12T10:01:00Z" },
  ]);
});

test("several WARCs have one index, in order, whose lines lead into them", async (t) => {
  const { written, entries } = await exported(t, 6, 3000);
  assert.ok(written.warcs > 1);
  const lines = gunzipSync(entries.get("indexes/index.cdx.gz")!).toString().split("\n").slice(0, -1);
  assert.equal(lines.length, 10);
  assert.deepEqual(lines, lines.toSorted());
  for (const line of lines) {
    const { filename, offset, length, url } = parseCdxj(line)!.entry;
    const warc = entries.get(`archive/${filename}`)!;
    const record = gunzipSync(warc.subarray(Number(offset), Number(offset) + Number(length))).toString();
    assert.ok(record.includes(`WARC-Target-URI: ${url}\r\n`));
  }
});

test("the package lists every file it holds, and only those", async (t) => {
  const { entries } = await exported(t, 5);
  const { resources } = JSON.parse(entries.get("datapackage.json")!.toString()) as {
    resources: { name: string; path: string }[];
  };
  assert.deepEqual(
    [...resources.map(({ path }) => path), "datapackage.json", "datapackage-digest.json"].sort(),
    [...entries.keys()].sort(),
  );
  for (const { name, path } of resources) assert.equal(path.split("/").at(-1), name);
});

test("a folder without a finished WARC has nothing to export, and a package has its name", async (t) => {
  const { options, warcFolder } = await exported(t, 1);
  await assert.rejects(writeWacz({ ...options, output: "x.zip" }), { code: "BAD_USAGE" });
  const none = join(warcFolder, "none");
  await mkdir(none);
  await writeFile(join(none, "a.warc.gz.open"), "");
  await assert.rejects(writeWacz({ ...options, warcFolder: none }), { code: "NOTHING_TO_EXPORT" });
});

test("sorted files are merged, and equal lines come once", async (t) => {
  const folder = await temporaryFolder(t);
  const paths = ["a", "b", "c", "none"].map((name) => join(folder, name));
  await writeFile(paths[0]!, "a 1\nc 1\nz\n");
  await writeFile(paths[1]!, "b\nc 1\nc 2\n");
  await writeFile(paths[2]!, "");
  assert.deepEqual(await collect(mergeLines(paths)), ["a 1", "b", "c 1", "c 2", "z"]);
});

test("titles: the page's own, decoded, on one line", () => {
  const title = (html: string) => pageTitle(Buffer.from(html));
  assert.equal(title("<head><title>\n a &lt;b&gt;\n  c </title><title>other</title>"), "a <b> c");
  assert.equal(title("<svg><title>drawing</title></svg><title>page</title>"), "page");
  assert.equal(title("<p>none"), null);
  assert.equal(title("<title> </title>"), null);
  assert.equal(title(`<title>${"x".repeat(9000)}`)?.length, 500);
  assert.equal(pageTitle(Buffer.from("<meta charset=iso-8859-1><title>\xe9</title>", "latin1")), "é");
});
