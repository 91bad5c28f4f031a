/**
 * Reads the catalogue of an archive: where the newest block of a DID is, its rev, and the account's status. Runs are searched on
 * disk, so that a look-up takes a few reads however many accounts there are. It may be read while others write it.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { isMissing } from "../../storage/durable.ts";
import { emptyManifest, logNames, type Manifest, NAMES, readManifest, readNames } from "./catalogue-files.ts";
import {
  type CatalogueEntry,
  foldRecord,
  isForgottenRecord,
  isPlcKey,
  KEY_BYTES,
  keyOf,
  keyText,
  RECORD_BYTES,
  readEntry,
  writeKey,
} from "./catalogue-record.ts";
import { LogRecords } from "./log-records.ts";
import { mergedRecords } from "./merge-runs.ts";
import type { RecordBatch } from "./record-batch.ts";
import { SortedRun } from "./sorted-run.ts";

/** The folder of the catalogue, inside the segments' folder. */
export const CATALOGUE_FOLDER = "catalogue";
export const catalogueFolder = (archive: string): string => join(archive, CATALOGUE_FOLDER);

export class Catalogue {
  readonly #folder: string;
  #runs: SortedRun[] = [];
  #manifest: Manifest = emptyManifest();
  /** Records that writers have not put into runs yet. */
  #log = new LogRecords();
  #seen = "";
  #names: Map<string, string> | null = null;
  readonly #key = Buffer.alloc(KEY_BYTES);

  /** `folder`: the catalogue's folder, see `catalogueFolder`. The catalogue is empty if there is none yet. */
  constructor(folder: string) {
    this.#folder = folder;
    this.refresh();
  }

  /** Records, of which a few may be of the same DID. */
  get count(): number {
    return this.#runs.reduce((sum, run) => sum + run.count, this.#log.count);
  }

  /** The cost of look-ups so far: files on disk that each of them searches, and pages of these that were read. */
  get cost(): { runs: number; reads: number } {
    return { runs: this.#runs.length, reads: this.#runs.reduce((sum, { reads }) => sum + reads, 0) };
  }

  /** The segments whose blocks are all in it, by number, with the size of their files. */
  get segments(): ReadonlyMap<number, number> {
    return new Map(Object.entries(this.#manifest.segments).map(([number, size]) => [Number(number), size]));
  }

  /** Sees what writers have added since it was opened. Costs a few `stat`s when there is nothing new. */
  refresh(): void {
    for (;;) {
      const seen = this.#state();
      if (seen === this.#seen) return;
      // Logs first: a record that is moved to a run meanwhile is then seen twice, which is harmless, but never missed.
      const logs = logNames(this.#folder).map((name) => readIfThere(join(this.#folder, name)));
      const manifest = readManifest(this.#folder) ?? emptyManifest();
      const runs = openRuns(this.#folder, manifest);
      if (runs === null) continue;
      this.close();
      this.#log = new LogRecords(logs.filter((bytes) => bytes !== null));
      this.#manifest = manifest;
      this.#runs = runs;
      this.#names = null;
      this.#seen = seen;
      return;
    }
  }

  /** Null when nothing is known about it. `later`: what was learnt since. */
  get(did: string, later?: RecordBatch): CatalogueEntry | null {
    writeKey(did, this.#key);
    let found: Buffer | null = null;
    for (const run of [...this.#runs, this.#log, ...(later === undefined ? [] : [later])]) {
      const record = run.find(this.#key);
      if (record === null) continue;
      if (found === null) found = Buffer.from(record);
      else foldRecord(found, record);
    }
    return found === null || isForgottenRecord(found) ? null : readEntry(found, 0, did);
  }

  /** Every DID once, in the order of their keys: those of did:plc by DID, then the others. */
  *entries(): Generator<CatalogueEntry> {
    for (const record of this.records()) {
      const entry = record === null ? null : this.entryOf(record);
      if (entry !== null) yield entry;
    }
  }

  /**
   * The same, starting with the first DID after a given one, whether or not that one exists; other work gets its turn
   * meanwhile.
   */
  async *entriesAfter(did: string | null): AsyncGenerator<CatalogueEntry> {
    for (const record of this.records(did)) {
      const entry = record === null ? null : this.entryOf(record);
      if (entry !== null) yield entry;
      else if (record === null) await turn();
    }
  }

  /**
   * The same, as stored and including forgotten ones, in a buffer that the next one overwrites. Yields null now and
   * then to let other work have its turn.
   */
  *records(after: string | null = null): Generator<Buffer | null> {
    yield* mergedRecords([...this.#runs, this.#log], after === null ? undefined : keyOf(after));
  }

  /** Null when it was forgotten. */
  entryOf(record: Buffer): CatalogueEntry | null {
    if (isForgottenRecord(record)) return null;
    if (isPlcKey(record)) return readEntry(record, 0);
    this.#names ??= readNames(this.#folder);
    const did = this.#names.get(keyText(record));
    return did === undefined ? null : readEntry(record, 0, did);
  }

  close(): void {
    for (const run of this.#runs) run.close();
    this.#runs = [];
    this.#log = new LogRecords();
    this.#seen = "";
  }

  #state(): string {
    const parts = ["manifest.json", NAMES, ...logNames(this.#folder)].map((name) => {
      const path = join(this.#folder, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat === undefined ? "" : `${name} ${stat.ino} ${stat.size} ${stat.mtimeMs}`;
    });
    return `seen ${parts.join("|")}`;
  }
}

/** Bytes that a catalogue takes on disk for each record. */
export const BYTES_PER_RECORD = RECORD_BYTES;

/** Null when another process has merged some away in the meantime. */
function openRuns(folder: string, { runs }: Manifest): SortedRun[] | null {
  const opened: SortedRun[] = [];
  try {
    for (const { file } of runs) opened.push(new SortedRun(join(folder, file)));
    return opened;
  } catch (error) {
    for (const run of opened) run.close();
    // A manifest that still names it is broken, and trying again would never end.
    const isNamed = readManifest(folder)?.runs.some(({ file }) => !existsSync(join(folder, file)));
    if (isMissing(error) && isNamed !== true) return null;
    throw error;
  }
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
