/**
 * Writes the catalogue of an archive. A `put` that resolved is on the disk: it is in this writer's own log. A full log becomes a sorted run,
 * and runs are merged in the background. Several processes may write at once; each has its own log.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AppendFile } from "../../storage/append-file.ts";
import { makeFolder, replaceFile } from "../../storage/durable.ts";
import { type FileLock, lockFile } from "../../storage/file-lock.ts";
import { type FileSystem, realFileSystem } from "../../storage/file-system.ts";
import { Catalogue } from "./catalogue.ts";
import {
  emptyManifest,
  logNames,
  MANIFEST_LOCK,
  type Manifest,
  MERGE_LOCK,
  NAMES,
  newLogName,
  newRunName,
  readManifest,
  readNames,
  runNames,
  saveManifest,
  takeLock,
} from "./catalogue-files.ts";
import { type CatalogueEntry, isForgottenRecord, isPlcKey } from "./catalogue-record.ts";
import { mergeRuns } from "./merge-runs.ts";
import { RecordBatch } from "./record-batch.ts";
import { type SortedRecords, SortedRun } from "./sorted-run.ts";

export interface CatalogueWriterOptions {
  /** That of the catalogue. */
  folder: string;
  /** A log with this many records becomes a run. Readers read logs whole. */
  logRecords?: number;
  fs?: FileSystem;
}

const LOG_RECORDS = 65_536;
/** A run is merged with the later ones once they have a quarter of its records, so there are never more than a dozen. */
const GROWTH = 4;

/** The log of this process; the lock says that it is alive. */
interface OwnLog {
  name: string;
  file: AppendFile;
  lock: FileLock;
}

export class CatalogueWriter {
  readonly #folder: string;
  readonly #fs: FileSystem;
  readonly #most: number;
  readonly #reader: Catalogue;
  readonly #log: OwnLog;
  readonly #batch = new RecordBatch();
  readonly #names: Set<string>;
  #last: Promise<unknown> = Promise.resolve();
  #merging: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();

  private constructor(options: CatalogueWriterOptions, log: OwnLog) {
    this.#folder = options.folder;
    this.#fs = options.fs ?? realFileSystem;
    this.#most = options.logRecords ?? LOG_RECORDS;
    this.#log = log;
    this.#names = new Set(readNames(options.folder).values());
    this.#reader = new Catalogue(options.folder);
  }

  /** Takes over what a crash left in logs. */
  static async open(options: CatalogueWriterOptions): Promise<CatalogueWriter> {
    const { folder, fs = realFileSystem } = options;
    await makeFolder(folder, fs);
    await takeOverLogs(folder, fs);
    const name = newLogName();
    const lock = lockFile(lockOf(folder, name), 0)!;
    try {
      return new CatalogueWriter(options, { name, file: await AppendFile.open(join(folder, name), fs), lock });
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Resolves when they are on the disk. Call it after the blocks are on the disk. */
  put(entries: readonly CatalogueEntry[]): Promise<void> {
    if (entries.length === 0) return Promise.resolve();
    return this.#inTurn(async () => {
      const names = [...new Set(entries.map(({ did }) => did))].filter((did) => !this.#names.has(did));
      const records = entries.map((entry) => this.#batch.add(entry));
      const isOther = new Set(entries.filter((_, at) => !isPlcKey(records[at]!)).map(({ did }) => did));
      await this.#addNames(names.filter((did) => isOther.has(did)));
      await this.#log.file.append(Buffer.concat(records));
      if (this.#batch.count < this.#most) return;
      await this.#flush();
      this.#mergeInBackground();
    });
  }

  /** What this process has put, and what others had when the last log became a run. */
  get(did: string): CatalogueEntry | null {
    return this.#reader.get(did, this.#batch);
  }

  /** All blocks of these finished segments have been put. */
  cover(segments: ReadonlyMap<number, number>): Promise<void> {
    if (segments.size === 0) return Promise.resolve();
    return this.#inTurn(() =>
      changeManifest(this.#folder, this.#fs, (manifest) => {
        for (const [number, size] of segments) manifest.segments[`${number}`] = size;
      }),
    );
  }

  /** What is in the log becomes a run. */
  async close(): Promise<void> {
    await this.#inTurn(() => this.#flush());
    this.#stop.abort();
    await this.#merging;
    this.#reader.close();
    await this.#log.file.close();
    await this.#fs.rm(join(this.#folder, this.#log.name));
    await this.#fs.rm(lockOf(this.#folder, this.#log.name), { force: true });
    this.#log.lock.release();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  async #addNames(dids: readonly string[]): Promise<void> {
    if (dids.length === 0) return;
    await appendNames(this.#folder, dids, this.#fs);
    for (const did of dids) this.#names.add(did);
  }

  async #flush(): Promise<void> {
    if (this.#batch.count === 0) return;
    await addRun(this.#folder, this.#fs, [this.#batch]);
    await this.#log.file.truncate(0);
    this.#batch.clear();
    this.#reader.refresh();
  }

  #mergeInBackground(): void {
    const { signal } = this.#stop;
    this.#merging = this.#merging
      .then(() => mergeLater(this.#folder, this.#fs, signal))
      .catch((error) => {
        if (!signal.aborted) throw error;
      });
    // Reported by close; until then it must not count as unhandled.
    this.#merging.catch(() => {});
  }
}

const lockOf = (folder: string, log: string): string => join(folder, `${log}.lock`);

/** Begins with a line feed: a line that a crash tore ends there. */
export async function appendNames(folder: string, dids: readonly string[], fs: FileSystem): Promise<void> {
  const path = join(folder, NAMES);
  const isNew = !existsSync(path);
  const file = await fs.open(path, "a", 0o644);
  try {
    await file.writeFile(`\n${dids.join("\n")}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  if (isNew) await fs.syncFolder(folder);
}

/** Removes the name of a DID that was forgotten. */
export async function dropName(folder: string, did: string, fs: FileSystem): Promise<void> {
  const lock = await takeLock(folder, MANIFEST_LOCK);
  try {
    const names = [...readNames(folder).values()];
    const left = names.filter((name) => name !== did);
    if (left.length < names.length) {
      await replaceFile(join(folder, NAMES), (file) => file.writeFile(`${left.join("\n")}\n`), { fs });
    }
  } finally {
    lock.release();
  }
}

/** Reads, changes and replaces it, while no other process does so. */
export async function changeManifest(
  folder: string,
  fs: FileSystem,
  change: (manifest: Manifest) => void | Promise<void>,
): Promise<void> {
  const lock = await takeLock(folder, MANIFEST_LOCK);
  try {
    const manifest = readManifest(folder) ?? emptyManifest();
    await change(manifest);
    await saveManifest(folder, manifest, fs);
  } finally {
    lock.release();
  }
}

/** Within the lock, so that no other process mistakes the file for one that a crash left. */
export async function addRun(folder: string, fs: FileSystem, records: readonly SortedRecords[]): Promise<void> {
  await changeManifest(folder, fs, async (manifest) => {
    const file = newRunName();
    const count = await mergeRuns(records, join(folder, file), { fs });
    await fs.syncFolder(folder);
    manifest.runs.push({ file, count });
  });
}

/** The logs of processes that have ended become runs. */
async function takeOverLogs(folder: string, fs: FileSystem): Promise<void> {
  for (const name of logNames(folder)) {
    const lock = lockFile(lockOf(folder, name), 0);
    if (lock === null) continue;
    try {
      if (!existsSync(join(folder, name))) continue;
      const batch = new RecordBatch();
      batch.addLog(readFileSync(join(folder, name)));
      if (batch.count > 0) await addRun(folder, fs, [batch]);
      await fs.rm(join(folder, name), { force: true });
    } finally {
      await fs.rm(lockOf(folder, name), { force: true });
      lock.release();
    }
  }
}

/** Merges runs until each has four times as many records as all later ones together. */
async function mergeLater(folder: string, fs: FileSystem, signal?: AbortSignal): Promise<void> {
  const lock = lockFile(join(folder, MERGE_LOCK), 0);
  // Another process merges.
  if (lock === null) return;
  await mergeSome(lock, folder, fs, signal, ({ runs }) => {
    let later = 0;
    let from = runs.length;
    for (let at = runs.length - 1; at >= 0; at--) {
      if (at < runs.length - 1 && runs[at]!.count < later * GROWTH) from = at;
      later += runs[at]!.count;
    }
    return from < runs.length - 1 ? from : runs.length;
  });
}

/** Merges all runs into one, without what was forgotten. Waits for another process that merges. */
export async function mergeAll(folder: string, fs: FileSystem = realFileSystem, signal?: AbortSignal): Promise<void> {
  await mergeSome(await takeLock(folder, MERGE_LOCK), folder, fs, signal, () => 0);
}

/** `choose`: which runs to merge, by the first of them. */
async function mergeSome(
  lock: FileLock,
  folder: string,
  fs: FileSystem,
  signal: AbortSignal | undefined,
  choose: (manifest: Manifest) => number,
): Promise<void> {
  try {
    const manifest = readManifest(folder) ?? emptyManifest();
    const from = choose(manifest);
    const chosen = manifest.runs.slice(from);
    if (chosen.length === 0) return;
    const target = newRunName();
    const runs = chosen.map(({ file }) => new SortedRun(join(folder, file)));
    let count = 0;
    try {
      // What was forgotten hides older records; there are none before the first run.
      const keep = from === 0 ? (record: Buffer) => !isForgottenRecord(record) : () => true;
      count = await mergeRuns(runs, join(folder, target), { keep, fs, ...(signal && { signal }) });
    } catch (error) {
      await fs.rm(join(folder, target), { force: true });
      throw error;
    } finally {
      for (const run of runs) run.close();
    }
    await fs.syncFolder(folder);
    await changeManifest(folder, fs, async (now) => {
      // Others may have added runs after these meanwhile, but no other process merges.
      now.runs.splice(from, chosen.length, { file: target, count });
    });
    await tidy(folder, fs);
  } finally {
    lock.release();
  }
}

/** Removes runs that the manifest does not name: merged ones, and what a crash left. Holds the lock of merges. */
export async function tidy(folder: string, fs: FileSystem): Promise<void> {
  const lock = await takeLock(folder, MANIFEST_LOCK);
  try {
    const named = new Set(readManifest(folder)?.runs.map(({ file }) => file));
    for (const file of runNames(folder)) if (!named.has(file)) await fs.rm(join(folder, file), { force: true });
  } finally {
    lock.release();
  }
}
