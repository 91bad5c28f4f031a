/**
 * The identities of a PLC export: where each did:plc has its repo, and which key signs it. A folder with one sorted file of
 * small records, searched on disk; an import adds sorted runs to it and merges them at its end. What a crash leaves is
 * continued: the manifest names the runs that are complete, and how far each export was read.
 */
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { makeFolder, replaceFile } from "../../storage/durable.ts";
import { type FileLock, lockFile } from "../../storage/file-lock.ts";
import { type FileSystem, realFileSystem } from "../../storage/file-system.ts";
import { PAGE_RECORDS, type Pages, pageAround, searchPages, shareOf } from "../search-pages.ts";
import {
  compareDids,
  DID_BYTES,
  NO_HOST,
  RECORD_BYTES,
  readDid,
  readRecord,
  secondsOf,
  writeDid,
} from "./identity-record.ts";
import { IdentityRun, type MergeOptions, mergeRuns, RUN_RECORDS } from "./identity-runs.ts";
import type { PlcBatch } from "./plc-export.ts";

interface Manifest {
  version: 1;
  /** How far each export was read. */
  imports: Record<string, string>;
  /** Hosts as they are written in operations; a record has the place, counted from 1. */
  hosts: string[];
  /** The sorted file; null before the first import. */
  table: string | null;
  /** Runs that are not merged into it yet, the oldest first. */
  runs: string[];
  /** Files made so far: each gets a new number. */
  made: number;
}

const MANIFEST = "manifest.json";
const LOCK = "identities.lock";
/** How often to look whether another process on this machine has finished its import. */
const LOCK_POLL_MS = 500;
/** A longer address cannot be a host's (see `normaliseEndpoint`). */
const LONGEST_HOST = 300;
/** More servers than can exist. Beyond it, accounts are looked up one by one. */
const MOST_HOSTS = 1_000_000;
const OTHER_HOST = 0xffff_ffff;
const PAGE_BYTES = RECORD_BYTES * PAGE_RECORDS;
/** Runs merged at once: each has a file open and 230 KB of memory. */
const MOST_RUNS = 200;

export interface TableIdentity {
  /** As written; null if there is none. */
  pds: string | null;
  signingKey: string | null;
  /** When the operation was written, in Unix ms; 0 when the export does not say. */
  since: number;
}

export class IdentityTable implements Pages {
  readonly #folder: string;
  readonly #runRecords: number;
  readonly #fs: FileSystem;
  #manifest: Manifest;
  #file: number | null = null;
  #count = 0;
  readonly #page = Buffer.allocUnsafe(PAGE_BYTES);
  readonly #wanted = Buffer.alloc(DID_BYTES);
  first = 0;
  loaded = 0;
  /** Of pages, by look-ups. */
  reads = 0;

  /** Reads what is there; nothing is created. `runRecords`: how many operations are sorted at once. */
  constructor(folder: string, runRecords = RUN_RECORDS, fs: FileSystem = realFileSystem) {
    this.#folder = folder;
    this.#fs = fs;
    this.#runRecords = runRecords;
    this.#manifest = this.#readManifest();
    this.#open();
  }

  get count(): number {
    return this.#count;
  }

  /** How far the export of this name was read. */
  cursor(name: string): string | null {
    return this.#manifest.imports[name] ?? null;
  }

  /**
   * Adds an export. `batches` begins to read when it may, from the cursor it is given. An import that is stopped keeps the
   * operations it has read.
   */
  async import(
    name: string,
    batches: (cursor: string | null) => AsyncIterable<PlcBatch>,
    { signal, onRead }: { signal?: AbortSignal; onRead?: (operations: number) => void } = {},
  ): Promise<void> {
    await makeFolder(this.#folder, this.#fs);
    const lock = await this.#lock(signal);
    try {
      this.#manifest = this.#readManifest();
      await this.#read(name, batches(this.cursor(name)), onRead);
      if (this.#manifest.runs.length > 0) await this.#merge({ signal });
      this.#open();
      await this.#tidy();
    } finally {
      lock.release();
    }
  }

  /** Writes the table again without a DID. Only an operation that the directory writes later brings it back. */
  async forget(did: string): Promise<void> {
    const without = Buffer.alloc(DID_BYTES);
    if (!existsSync(join(this.#folder, MANIFEST)) || !writeDid(did, without, 0)) return;
    const lock = await this.#lock();
    try {
      this.#manifest = this.#readManifest();
      const { table, runs } = this.#manifest;
      if (table !== null || runs.length > 0) await this.#merge({ without });
      this.#open();
      await this.#tidy();
    } finally {
      lock.release();
    }
  }

  /** Null when the table does not have it. */
  find(did: string): TableIdentity | null {
    if (this.#file === null || !writeDid(did, this.#wanted, 0)) return null;
    const place = searchPages(this, shareOf(this.#wanted, 0), 0, this.#count) - this.first;
    if (place < 0 || place >= this.loaded || this.compare(place) !== 0) return null;
    const at = place * RECORD_BYTES;
    const { host, signingKey } = readRecord(this.#page, at);
    if (host === OTHER_HOST) return null;
    return {
      pds: host === NO_HOST ? null : (this.#manifest.hosts[host - 1] ?? null),
      signingKey,
      since: secondsOf(this.#page, at) * 1000,
    };
  }

  /** The next DIDs in order that have a PDS, and the last DID that was looked at; null at the end. */
  page(after: string, limit: number): { entries: { did: string; pds: string }[]; last: string | null } {
    const entries: { did: string; pds: string }[] = [];
    if (this.#file === null) return { entries, last: null };
    let record = 0;
    if (after !== "" && writeDid(after, this.#wanted, 0))
      record = searchPages(this, shareOf(this.#wanted, 0), 0, this.#count);
    for (; record < this.#count; ) {
      this.load(record, record, this.#count);
      for (let at = 0; at < this.loaded * RECORD_BYTES; at += RECORD_BYTES, record++) {
        const { host } = readRecord(this.#page, at);
        const did = readDid(this.#page, at);
        const pds = this.#manifest.hosts[host - 1];
        if (did <= after || pds === undefined) continue;
        if (entries.push({ did, pds }) === limit) return { entries, last: did };
      }
    }
    return { entries, last: null };
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
    this.#count = 0;
  }

  async #lock(signal?: AbortSignal): Promise<FileLock> {
    for (;;) {
      const lock = lockFile(join(this.#folder, LOCK), 0);
      if (lock !== null) return lock;
      await setTimeout(LOCK_POLL_MS, undefined, signal === undefined ? {} : { signal });
    }
  }

  #readManifest(): Manifest {
    const path = join(this.#folder, MANIFEST);
    if (existsSync(path)) return JSON.parse(readFileSync(path, "utf8")) as Manifest;
    return { version: 1, imports: {}, hosts: [], table: null, runs: [], made: 0 };
  }

  #open(): void {
    this.close();
    this.loaded = 0;
    const { table } = this.#manifest;
    if (table === null) return;
    this.#file = openSync(join(this.#folder, table), "r");
    this.#count = Math.floor(fstatSync(this.#file).size / RECORD_BYTES);
  }

  async #read(name: string, batches: AsyncIterable<PlcBatch>, onRead?: (operations: number) => void): Promise<void> {
    const run = new IdentityRun(this.#runRecords);
    const hosts = new Map(this.#manifest.hosts.map((host, index) => [host, index + 1]));
    let operations = 0;
    let cursor: string | null = null;
    try {
      for await (const { lines, cursor: next } of batches) {
        for (const { did, pds, signingKey, createdAt } of lines) {
          if (pds === undefined) continue;
          const seconds = createdAt === null ? 0 : Math.floor(Date.parse(createdAt) / 1000) || 0;
          run.add({ did, signingKey, host: this.#hostNumber(pds, hosts), seconds });
          // Within a batch its cursor is not reached yet: after a crash the batch is read again, which changes nothing.
          if (run.isFull) await this.#keep(run, name, cursor);
        }
        cursor = next ?? cursor;
        onRead?.((operations += lines.length));
      }
    } finally {
      // Done even if it was stopped, or the export ended in an error, so that nothing has to be read again.
      if (run.count > 0 || cursor !== null) await this.#keep(run, name, cursor);
    }
  }

  #hostNumber(pds: string | null, hosts: Map<string, number>): number {
    if (pds === null || pds.length > LONGEST_HOST) return NO_HOST;
    const known = hosts.get(pds);
    if (known !== undefined) return known;
    if (hosts.size >= MOST_HOSTS) return OTHER_HOST;
    hosts.set(pds, this.#manifest.hosts.push(pds));
    return hosts.size;
  }

  /** The run, and how far the export was read, become part of the table together. */
  async #keep(run: IdentityRun, name: string, cursor: string | null): Promise<void> {
    const runs = [...this.#manifest.runs];
    if (run.count > 0) {
      const file = this.#newFile("run");
      await run.write(join(this.#folder, file), this.#fs);
      // Otherwise the manifest could name a file that a power cut took back.
      await this.#fs.syncFolder(this.#folder);
      runs.push(file);
    }
    const imports = cursor === null ? this.#manifest.imports : { ...this.#manifest.imports, [name]: cursor };
    await this.#save({ ...this.#manifest, runs, imports });
    if (runs.length >= MOST_RUNS) await this.#merge();
  }

  async #merge(options: Omit<MergeOptions, "fs"> = {}): Promise<void> {
    const { table, runs } = this.#manifest;
    const target = this.#newFile("table");
    const files = [...(table === null ? [] : [table]), ...runs];
    const partial = join(this.#folder, `${target}.partial`);
    await mergeRuns(
      files.map((file) => join(this.#folder, file)),
      partial,
      { ...options, fs: this.#fs },
    );
    await this.#fs.rename(partial, join(this.#folder, target));
    await this.#fs.syncFolder(this.#folder);
    await this.#save({ ...this.#manifest, table: target, runs: [] });
  }

  /** Removes what the manifest does not name: merged runs, and what a crash left. */
  async #tidy(): Promise<void> {
    const { table, runs } = this.#manifest;
    const named = new Set([table, ...runs, MANIFEST]);
    for (const file of await readdir(this.#folder)) {
      if (/^(?:run|table)-/.test(file) && !named.has(file))
        await this.#fs.rm(join(this.#folder, file), { force: true });
    }
  }

  async #save(manifest: Manifest): Promise<void> {
    await replaceFile(join(this.#folder, MANIFEST), (file) => file.writeFile(JSON.stringify(manifest)), {
      fs: this.#fs,
    });
    this.#manifest = manifest;
  }

  #newFile(kind: "run" | "table"): string {
    this.#manifest = { ...this.#manifest, made: this.#manifest.made + 1 };
    return `${kind}-${String(this.#manifest.made).padStart(6, "0")}`;
  }

  compare(place: number): number {
    return compareDids(this.#page, place * RECORD_BYTES, this.#wanted, 0);
  }

  shareAt(place: number): number {
    return shareOf(this.#page, place * RECORD_BYTES);
  }

  load(record: number, low: number, high: number): void {
    const { first, loaded } = pageAround(record, low, high);
    this.first = first;
    this.loaded = loaded;
    readSync(this.#file!, this.#page, 0, loaded * RECORD_BYTES, first * RECORD_BYTES);
    this.reads++;
  }
}
