/**
 * Pages by the SHA-256 of their bytes: `aa/bb/<sha256>.html`, or `.html.zst` where zstd is a container around the same
 * bytes. A blob is written once, whole or not at all, and is durable when `put` resolves.
 */

import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import { TrawlError } from "../../errors.ts";
import { zstdFrames } from "../../net/decompress.ts";
import { makeFolder, missingAsNull, TEMPORARY_SUFFIX } from "../../storage/durable.ts";
import { type FileSystem, realFileSystem } from "../../storage/file-system.ts";
import { GroupWriter } from "../../storage/group-writer.ts";
import { readLines } from "../../storage/read-lines.ts";
import { isDamage, type MetadataRecord, parseRecord, urlOfLine } from "./metadata-record.ts";

export interface BlobStoreOptions {
  /** The folder, such as `<workspace>/store/html`. */
  root: string;
  /** What paths in the metadata begin with instead of `root`: `workspace/store/html`. */
  recordedRoot: string;
  compress: boolean;
  permissions: number;
  fs?: FileSystem;
}

export interface StoredBlob {
  sha256: string;
  /** As recorded in the metadata. */
  path: string;
  isNew: boolean;
}

/** A file of the store. `leftover` is a temporary file that a crash left behind. */
export interface BlobFile {
  kind: "blob" | "leftover";
  sha256: string;
  file: string;
}

/** Within 2 % of level 10 for pages, in a third of the time: level 10 clears tables far larger than a page. */
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 6 } };

/** A container that we wrote has one frame. Tools that append add more, but none needs this many. */
const MAX_FRAMES = 4096;

const SUFFIXES = [".html", ".html.zst"];
const SHA256 = /^[0-9a-f]{64}$/;
const SHARD = /^[0-9a-f]{2}$/;
const SHARDS = 0x10000;

const compressZstd = promisify(zstdCompress);
const decompressZstd = promisify(zstdDecompress);

export const isSha256 = (text: string): boolean => SHA256.test(text);

export const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

export class BlobStore {
  readonly root: string;
  readonly #options: BlobStoreOptions;
  readonly #fs: FileSystem;
  readonly #writer: GroupWriter;
  /** Resolves when the names of the store's own folder and of those above it are durable. */
  #rootMade: Promise<void> | null = null;
  /** Shards whose own names are known to be durable, one byte each. */
  readonly #durable = new Uint8Array(SHARDS);
  /** Two pages with the same bytes at the same time are written once. */
  readonly #writing = new Map<string, Promise<StoredBlob>>();

  constructor(options: BlobStoreOptions) {
    this.root = options.root;
    this.#options = options;
    this.#fs = options.fs ?? realFileSystem;
    this.#writer = new GroupWriter(this.#fs);
  }

  async put(bytes: Uint8Array): Promise<StoredBlob> {
    const sha256 = sha256Of(bytes);
    const writing = this.#writing.get(sha256);
    if (writing !== undefined) return { ...(await writing), isNew: false };
    const write = this.#put(sha256, bytes).finally(() => this.#writing.delete(sha256));
    this.#writing.set(sha256, write);
    return write;
  }

  /** The page's bytes; null when there is no such blob. Throws when the stored bytes do not match the name. */
  async read(sha256: string): Promise<Buffer | null> {
    if (!isSha256(sha256)) return null;
    for (const suffix of SUFFIXES) {
      const file = this.#file(sha256, suffix);
      const stored = await readFile(file).catch(missingAsNull(file));
      if (stored === null) continue;
      const bytes = suffix === ".html" ? stored : await decompress(stored);
      if (bytes === null || sha256Of(bytes) !== sha256) {
        throw new TrawlError("ARCHIVE_DAMAGED", `${file} does not match its SHA-256.`);
      }
      return bytes;
    }
    return null;
  }

  async has(sha256: string): Promise<boolean> {
    return isSha256(sha256) && (await this.#find(sha256)) !== null;
  }

  /** Every file of the store, sorted by name. */
  async *each(): AsyncGenerator<BlobFile> {
    for (const outer of await shards(this.root)) {
      for (const inner of await shards(join(this.root, outer))) {
        const folder = join(this.root, outer, inner);
        for (const name of (await readdir(folder)).sort()) {
          const sha256 = name.slice(0, 64);
          if (!isSha256(sha256) || !sha256.startsWith(outer + inner)) continue;
          const rest = name.slice(64);
          if (SUFFIXES.includes(rest)) yield { kind: "blob", sha256, file: join(folder, name) };
          else if (rest.endsWith(TEMPORARY_SUFFIX)) yield { kind: "leftover", sha256, file: join(folder, name) };
        }
      }
    }
  }

  /** Moves a damaged blob away, so that the page can be stored again. Returns its new path. */
  async quarantine(sha256: string): Promise<string | null> {
    const found = await this.#find(sha256);
    if (found === null) return null;
    const folder = join(this.root, "quarantine");
    await makeFolder(folder, this.#fs);
    const target = join(folder, sha256 + found.suffix);
    await this.#fs.rename(this.#file(sha256, found.suffix), target);
    await this.#fs.syncFolder(folder);
    return target;
  }

  async #put(sha256: string, bytes: Uint8Array): Promise<StoredBlob> {
    const found = await this.#find(sha256);
    // A plain file of another size was damaged from outside, so it is written again.
    if (found !== null && (found.suffix !== ".html" || found.size === bytes.length)) {
      // The process that wrote it may have died between the rename and the sync of the folder.
      await this.#writer.sync(this.#folders(sha256));
      this.#durable[shardNumber(sha256)] = 1;
      return { sha256, path: this.#recorded(sha256, found.suffix), isNew: false };
    }
    const { compress, permissions } = this.#options;
    const suffix = compress ? ".html.zst" : ".html";
    const stored = compress ? await compressZstd(bytes, ZSTD) : bytes;
    const folders = this.#folders(sha256);
    this.#rootMade ??= makeFolder(this.root, this.#fs);
    await this.#rootMade;
    this.#fs.ensureFolder(folders[0]!);
    await this.#writer.write(this.#file(sha256, suffix), stored, permissions, folders);
    this.#durable[shardNumber(sha256)] = 1;
    return { sha256, path: this.#recorded(sha256, suffix), isNew: true };
  }

  async #find(sha256: string): Promise<{ suffix: string; size: number } | null> {
    for (const suffix of SUFFIXES) {
      const file = this.#file(sha256, suffix);
      const found = await stat(file).catch(missingAsNull(file));
      if (found !== null) return { suffix, size: found.size };
    }
    return null;
  }

  /** The folders to sync so that a name in a shard is durable: the shard, and the first time its parents too. */
  #folders(sha256: string): string[] {
    const shard = join(this.root, shardOf(sha256));
    if (this.#durable[shardNumber(sha256)] === 1) return [shard];
    return [shard, dirname(shard), this.root];
  }

  #file(sha256: string, suffix: string): string {
    return join(this.root, shardOf(sha256), sha256 + suffix);
  }

  /** With forward slashes on every system: the metadata may be read on another one. */
  #recorded(sha256: string, suffix: string): string {
    return `${this.#options.recordedRoot}/${shardOf(sha256)}/${sha256}${suffix}`;
  }
}

const shardNumber = (sha256: string): number => Number.parseInt(sha256.slice(0, 4), 16);

const shardOf = (sha256: string): string => `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}`;

async function shards(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(missingAsNull(folder))) ?? [];
  return names.filter((name) => SHARD.test(name)).sort();
}

/** Decompresses all frames: node:zlib silently stops after the first. Null when the bytes are not zstd. */
async function decompress(bytes: Buffer): Promise<Buffer | null> {
  const frames = zstdFrames(bytes, MAX_FRAMES);
  if (frames === null) return null;
  return Promise.all(frames.map((frame) => decompressZstd(frame))).then(Buffer.concat, () => null);
}

/** `cat`: the bytes of a stored page, by its URL (the last fetch that stored one) or by its SHA-256. */
export interface StoredPage {
  sha256: string;
  bytes: Buffer;
  /** Null when the page was requested by its SHA-256. */
  record: MetadataRecord | null;
}

/** `url` in the form the archive stores. */
export async function catPage(urlOrSha256: string, blobs: BlobStore, metadataPath: string): Promise<StoredPage> {
  const asked = urlOrSha256.toLowerCase();
  const record = isSha256(asked) ? null : await lastStored(urlOrSha256, metadataPath);
  const sha256 = record?.content_sha256 ?? asked;
  const bytes = await blobs.read(sha256);
  if (bytes !== null) return { sha256, bytes, record };
  if (record === null) throw new TrawlError("PAGE_NOT_IN_ARCHIVE", `The archive has no page ${urlOrSha256}.`);
  throw new TrawlError("ARCHIVE_DAMAGED", `The page ${sha256} of ${record.url} is not in the store.`);
}

/** Scans the file: an index does not pay off for a single lookup. */
async function lastStored(url: string, metadataPath: string): Promise<MetadataRecord | null> {
  let last: MetadataRecord | null = null;
  for await (const { bytes, flaw } of readLines(metadataPath)) {
    if (flaw !== null || urlOfLine(bytes) !== url) continue;
    const parsed = parseRecord(bytes);
    if (!isDamage(parsed) && parsed.content_sha256 !== "") last = parsed;
  }
  return last;
}
