/**
 * The files of an export, one per collection. Rows wait in memory until a group is worth writing; when all of them
 * together are too many, the largest group goes first. No file is held open, so their number costs little.
 */
import { join } from "node:path";
import { makeFolder, notWritable } from "../../storage/durable.ts";
import { type FileSystem, realFileSystem } from "../../storage/file-system.ts";
import type { ExportSource, RowEncoder } from "./export-formats.ts";

export interface CollectionFilesOptions {
  folder: string;
  /** Without the dot. */
  extension: string;
  encoder: () => RowEncoder;
  limits?: FileLimits;
  fs?: FileSystem;
}

export interface ExportedFile {
  path: string;
  records: number;
  bytes: number;
}

export interface FileLimits {
  /** A group is written when it has this many rows or bytes. */
  groupRows: number;
  groupBytes: number;
  /** Of all rows in memory. */
  waitingBytes: number;
  files: number;
}

export const FILE_LIMITS: FileLimits = {
  // A good size for Parquet readers.
  groupRows: 100_000,
  groupBytes: 16 * 1024 * 1024,
  waitingBytes: 64 * 1024 * 1024,
  // Anyone can invent collections. Beyond this many, rows go into one shared file, as do rows whose collection has an invalid name.
  files: 2_000,
};

const OTHER = "_other";
const NAME = /^[a-zA-Z][a-zA-Z0-9-]*(?:\.[a-zA-Z0-9-]+){2,}$/;
/** Room for the extension in what file systems allow. */
const MAX_NAME = 230;

interface CollectionFile {
  collection: string;
  path: string;
  encoder: RowEncoder;
  records: number;
  bytes: number;
}

export class CollectionFiles {
  readonly #options: CollectionFilesOptions;
  readonly #limits: FileLimits;
  readonly #fs: FileSystem;
  /** By lower-case name: some file systems ignore case. */
  readonly #files = new Map<string, CollectionFile>();
  /** Files whose group is large enough to write. */
  readonly #full = new Set<CollectionFile>();
  #waiting = 0;

  constructor(options: CollectionFilesOptions) {
    this.#options = options;
    this.#limits = options.limits ?? FILE_LIMITS;
    this.#fs = options.fs ?? realFileSystem;
  }

  /** Bytes of rows in memory. */
  get waiting(): number {
    return this.#waiting;
  }

  /** True when `flush` must be called before more is added. */
  add(source: ExportSource, rkey: string, json: Buffer): boolean {
    const file = this.#fileOf(source.collection);
    const { encoder } = file;
    const before = encoder.bytes;
    encoder.add(source, rkey, json);
    this.#waiting += encoder.bytes - before;
    const { groupRows, groupBytes, waitingBytes } = this.#limits;
    if (encoder.rows >= groupRows || encoder.bytes >= groupBytes) this.#full.add(file);
    return this.#full.size > 0 || this.#waiting > waitingBytes;
  }

  async flush(): Promise<void> {
    for (const file of this.#full) await this.#write(file);
    this.#full.clear();
    while (this.#waiting > this.#limits.waitingBytes) await this.#write(this.#largest());
  }

  /** Gives the files their names. A file with its final name is complete; when this resolves, all have theirs. */
  async finish(): Promise<ExportedFile[]> {
    const files = [...this.#files.values()];
    for (const file of files) {
      if (file.encoder.rows > 0) await this.#write(file);
      await this.#append(file, file.encoder.end(), true);
      await this.#fs.rename(partial(file.path), file.path);
    }
    if (files.length > 0) await this.#fs.syncFolder(this.#options.folder);
    return files
      .map(({ path, records, bytes }) => ({ path, records, bytes }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Leaves nothing unfinished behind. */
  async discard(): Promise<void> {
    for (const { path } of this.#files.values()) await this.#fs.rm(partial(path), { force: true });
  }

  #fileOf(collection: string): CollectionFile {
    const key = collection.toLowerCase();
    const found = this.#files.get(key);
    if (found?.collection === collection) return found;
    const hasName = found === undefined && NAME.test(collection) && collection.length <= MAX_NAME;
    if (hasName && this.#files.size < this.#limits.files) return this.#begin(key, collection);
    return this.#files.get(OTHER) ?? this.#begin(OTHER, OTHER);
  }

  #begin(key: string, collection: string): CollectionFile {
    const { folder, extension, encoder } = this.#options;
    const path = join(folder, `${collection}.${extension}`);
    const file = { collection, path, encoder: encoder(), records: 0, bytes: 0 };
    this.#files.set(key, file);
    return file;
  }

  #largest(): CollectionFile {
    return [...this.#files.values()].reduce((most, file) => (file.encoder.bytes > most.encoder.bytes ? file : most));
  }

  async #write(file: CollectionFile): Promise<void> {
    const { encoder } = file;
    file.records += encoder.rows;
    this.#waiting -= encoder.bytes;
    await this.#append(file, encoder.group());
  }

  async #append(file: CollectionFile, bytes: Uint8Array, isLast = false): Promise<void> {
    const isFirst = file.bytes === 0;
    try {
      if (isFirst) await makeFolder(this.#options.folder, this.#fs);
      // The first write replaces anything left by a crash.
      const handle = await this.#fs.open(partial(file.path), isFirst ? "w" : "a");
      try {
        await handle.writeFile(bytes);
        if (isLast) await handle.sync();
      } finally {
        await handle.close();
      }
    } catch (error) {
      throw notWritable(file.path, error);
    }
    file.bytes += bytes.length;
  }
}

const partial = (path: string): string => `${path}.partial`;
