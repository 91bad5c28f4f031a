/**
 * `export wacz`: packs the finished WARCs of a folder into one package that replay tools open (WACZ 1.1.1). Damaged ones are
 * refused. It streams: memory does not grow with the archive.
 */
import { createHash } from "node:crypto";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { TrawlError } from "../../../errors.ts";
import { makeFolder, notWritable, replaceFile } from "../../../storage/durable.ts";
import type { BlobStore } from "../blob-store.ts";
import { assertIntact } from "../warc/verify-warcs.ts";
import { CDXJ_SUFFIX, namesIn, WARC_SUFFIX } from "../warc/warc-file.ts";
import { CompressedIndex, INDEX_NAME, mergeLines, PAGES_HEADER, PageList, pageTitle } from "./package-index.ts";
import { type ZipEntry, ZipWriter } from "./zip-writer.ts";

export interface WaczOptions {
  /** The folder of the WARCs. Those still open are left out. */
  warcFolder: string;
  /** Must end in `.wacz`. */
  output: string;
  /** Where titles come from. */
  blobs: BlobStore;
  title: string;
  description: string;
  software: string;
  /** The page where replay begins. */
  mainPageUrl: string | null;
  /** Wall time in ms. */
  now: number;
  onProgress?: (done: { name: string; bytes: number }) => void;
}

export interface WrittenWacz {
  warcs: number;
  pages: number;
  captures: number;
  bytes: number;
}

export async function writeWacz(options: WaczOptions): Promise<WrittenWacz> {
  const { warcFolder, output } = options;
  if (!output.endsWith(".wacz")) throw new TrawlError("BAD_USAGE", `${output}: the name must end in .wacz.`);
  const names = await namesIn(warcFolder);
  const warcs = names.filter((name) => name.endsWith(WARC_SUFFIX));
  if (warcs.length === 0) throw new TrawlError("NOTHING_TO_EXPORT", `There is no finished WARC in ${warcFolder}.`);
  await assertIntact(warcFolder);
  const indexes = names.filter((name) => name.endsWith(CDXJ_SUFFIX)).map((name) => join(warcFolder, name));

  await makeFolder(dirname(output));
  // Next to the package, not in the system's temporary folder, which may be in memory.
  const folder = await mkdtemp(`${output}-`);
  try {
    const { pages, captures } = await writeIndexes(folder, indexes, options);
    if (pages === 0) {
      throw new TrawlError("NOTHING_TO_EXPORT", `None of the ${captures} captures in ${warcFolder} is a page.`);
    }
    const bytes = await replaceFile(output, async (handle) => {
      await packAll(new ZipWriter(handle, options.now), folder, warcs, options);
      return (await handle.stat()).size;
    });
    return { warcs: warcs.length, pages, captures, bytes };
  } catch (error) {
    throw notWritable(output, error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const INDEX_FILES = ["pages.jsonl", INDEX_NAME, "index.idx"];

async function writeIndexes(
  folder: string,
  indexes: string[],
  { blobs }: WaczOptions,
): Promise<{ pages: number; captures: number }> {
  const files = await Promise.all(INDEX_FILES.map((name) => open(join(folder, name), "w")));
  try {
    const [pageFile, dataFile, indexFile] = files as [FileHandle, FileHandle, FileHandle];
    const index = new CompressedIndex(
      (bytes) => dataFile.writeFile(bytes),
      (text) => indexFile.writeFile(text),
    );
    const pages = new PageList(
      (text) => pageFile.writeFile(text),
      (digest) => titleOf(blobs, digest),
    );
    let captures = 0;
    await pageFile.writeFile(PAGES_HEADER);
    for await (const line of mergeLines(indexes)) {
      captures++;
      await index.add(line);
      await pages.add(line);
    }
    await index.finish();
    await pages.finish();
    return { pages: pages.count, captures };
  } finally {
    await Promise.all(files.map((file) => file.close()));
  }
}

async function packAll(zip: ZipWriter, folder: string, warcs: string[], options: WaczOptions): Promise<void> {
  const resources: ZipEntry[] = [];
  const pack = async (name: string, path: string): Promise<void> => {
    const entry = await zip.addFile(name, path);
    resources.push(entry);
    options.onProgress?.({ name, bytes: entry.bytes });
  };
  for (const name of warcs) await pack(`archive/${name}`, join(options.warcFolder, name));
  for (const name of INDEX_FILES)
    await pack(`${name === "pages.jsonl" ? "pages" : "indexes"}/${name}`, join(folder, name));
  const dataPackage = Buffer.from(`${JSON.stringify(describe(resources, options), null, 2)}\n`);
  await zip.addBytes("datapackage.json", dataPackage);
  const hash = `sha256:${createHash("sha256").update(dataPackage).digest("hex")}`;
  const digest = `${JSON.stringify({ path: "datapackage.json", hash }, null, 2)}\n`;
  await zip.addBytes("datapackage-digest.json", Buffer.from(digest));
  await zip.finish();
}

function describe(resources: ZipEntry[], options: WaczOptions): Record<string, unknown> {
  const created = new Date(options.now).toISOString();
  return {
    profile: "data-package",
    wacz_version: "1.1.1",
    title: options.title,
    description: options.description,
    created,
    modified: created,
    software: options.software,
    ...(options.mainPageUrl !== null && { mainPageUrl: options.mainPageUrl }),
    resources: resources.map(({ name, sha256, bytes }) => ({
      name: name.slice(name.lastIndexOf("/") + 1),
      path: name,
      hash: `sha256:${sha256}`,
      bytes,
    })),
  };
}

/** The payload digest is the page's name in the store. A page that is missing or damaged goes without a title. */
async function titleOf(blobs: BlobStore, digest: string): Promise<string | null> {
  const page = await blobs.read(digest.slice("sha256:".length)).catch(() => null);
  return page === null ? null : pageTitle(page);
}
