/** Writes the records of an archive as Parquet or JSON lines, one file per collection: the newest crawl of each repo, and what events changed since. */
import { basename } from "node:path";
import type { CollectionFilter } from "../collection-filter.ts";
import { InactiveAccounts } from "../inactive-accounts.ts";
import type { Damage } from "../rca/format/bytes.ts";
import { collectionsOf } from "../rca/format/collection.ts";
import type { RepoArchive } from "../rca/read/archive.ts";
import { type NewestHead, NewestHeads } from "../rca/read/newest-heads.ts";
import type { JsonForm } from "../repo/parsed-repo.ts";
import { CollectionFiles, type ExportedFile } from "./collection-files.ts";
import { type ChangeBatch, changeJson, recordChanges } from "./event-changes.ts";
import { type ExportSource, JsonLines, ParquetRows } from "./export-formats.ts";
import { LatestChanges } from "./latest-changes.ts";
import { openWatched, type ReplayProgress } from "./replay.ts";
import { newestOnly } from "./wanted-blocks.ts";

export type ExportFormat = "parquet" | "jsonl";

export interface ExportOptions {
  /** The archive. */
  folder: string;
  /** A folder for the files; those of the same name are replaced. */
  output: string;
  format: ExportFormat;
  collections: CollectionFilter;
  /** The form of records that events have. */
  json?: JsonForm;
  /** Also records of accounts that are not active. */
  inactive?: boolean;
  onDamage: (damage: Damage) => void;
  onProgress?: (progress: ReplayProgress) => void;
  /** When it aborts, no file is left, and its reason is thrown. */
  signal?: AbortSignal;
}

export interface ExportSummary {
  files: ExportedFile[];
  repos: number;
  records: number;
}

const PROGRESS_EVERY = 1_000;

export async function exportArchive(options: ExportOptions): Promise<ExportSummary> {
  const { format, output } = options;
  const { archive } = await openWatched(options.folder, options.onDamage);
  await using _ = archive;
  using inactive = options.inactive ? null : new InactiveAccounts(options.folder);
  const encoder = () => (format === "parquet" ? new ParquetRows() : new JsonLines());
  const files = new CollectionFiles({ folder: output, extension: format, encoder });
  const exporting = new Exporting(options, files, (did) => (inactive?.statusOf(did) ?? null) === null);
  try {
    const { repos, records } = await exporting.run(archive);
    return { files: await files.finish(), repos, records };
  } catch (error) {
    await files.discard();
    throw error;
  }
}

class Exporting {
  readonly #options: ExportOptions;
  readonly #files: CollectionFiles;
  readonly #isActive: (did: string) => boolean;
  #repos = 0;
  #records = 0;

  constructor(options: ExportOptions, files: CollectionFiles, isActive: (did: string) => boolean) {
    this.#options = options;
    this.#files = files;
    this.#isActive = isActive;
  }

  async run(archive: RepoArchive): Promise<{ repos: number; records: number }> {
    const heads = new NewestHeads(archive);
    const newest = (did: string) => heads.of(did);
    using latest = await LatestChanges.of(this.#changes(newest), async ({ did, time }) => {
      const head = await newest(did);
      return head === null || time > head.crawledAt;
    });
    await this.#stored(archive, latest);
    for await (const change of latest.records(this.#changes(newest))) {
      this.#options.signal?.throwIfAborted();
      const { did, collection, rkey, time } = change;
      const json = changeJson(change, this.#options.json ?? "seed");
      await this.#add({ repo: did, collection, crawledAt: time }, rkey, json);
    }
    return { repos: this.#repos, records: this.#records };
  }

  #changes(newest: (did: string) => Promise<NewestHead | null>): AsyncGenerator<ChangeBatch> {
    const { folder, onDamage, collections } = this.#options;
    const wants = (did: string, collection: string) => collections.wants(collection) && this.#isActive(did);
    return recordChanges({ folder, onDamage, newest, wants });
  }

  /** The records of the newest blocks, but for those that were changed since. */
  async #stored(archive: RepoArchive, latest: LatestChanges): Promise<void> {
    const { onDamage, collections, signal } = this.#options;
    const isNewest = await newestOnly(archive);
    const bytesTotal = archive.segments.reduce((total, { size }) => total + size, 0);
    let bytesRead = 0;
    for await (const repo of archive.repos()) {
      signal?.throwIfAborted();
      bytesRead += repo.size;
      if (!isNewest(repo.path, repo.offset) || !this.#isActive(repo.did)) continue;
      this.#repos++;
      const changed = latest.changedIn(repo.did);
      for (const { name, records } of collectionsOf(repo, onDamage, collections.wants)) {
        const source = { repo: repo.did, collection: name, crawledAt: repo.crawledAt };
        for (const { rkey, value } of records) {
          if (changed.has(`${name}/${rkey}`)) continue;
          if (this.#options.format === "jsonl" && !isJson(value)) {
            const { path, offset, did } = repo;
            onDamage({ path, offset, did, reason: `${name}/${rkey}: this is not JSON`, torn: false });
            continue;
          }
          await this.#add(source, rkey, value);
        }
      }
      if (this.#repos % PROGRESS_EVERY === 0) {
        const { path } = repo;
        const [repos, records] = [this.#repos, this.#records];
        this.#options.onProgress?.({ segment: basename(path), bytesRead, bytesTotal, repos, records });
      }
    }
  }

  async #add(source: ExportSource, rkey: string, json: Buffer): Promise<void> {
    if (this.#files.add(source, rkey, json)) await this.#files.flush();
    this.#records++;
  }
}

/** It becomes part of a line, which it could break. */
function isJson(value: Buffer): boolean {
  try {
    JSON.parse(value.toString());
    return true;
  } catch {
    return false;
  }
}
