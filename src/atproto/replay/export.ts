/** Writes the records of an archive as Parquet or JSON lines, one file per collection; of each repo its newest crawl. */
import { basename } from "node:path";
import type { Damage } from "../rca/format/bytes.ts";
import { collectionsOf } from "../rca/format/collection.ts";
import { openArchive } from "../rca/read/archive.ts";
import { CollectionFiles, type ExportedFile } from "./collection-files.ts";
import { JsonLines, ParquetRows } from "./export-formats.ts";
import type { ReplayProgress } from "./replay.ts";
import { type CollectionFilter, newestOnly } from "./wanted-blocks.ts";

export type ExportFormat = "parquet" | "jsonl";

export interface ExportOptions {
  /** The archive. */
  folder: string;
  /** A folder for the files; those of the same name are replaced. */
  output: string;
  format: ExportFormat;
  collections: CollectionFilter;
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
  const { format, output, signal } = options;
  await using archive = await openArchive(options.folder, options.onDamage);
  const isNewest = await newestOnly(archive);
  const encoder = () => (format === "parquet" ? new ParquetRows() : new JsonLines());
  const files = new CollectionFiles({ folder: output, extension: format, encoder });
  const bytesTotal = archive.segments.reduce((total, { size }) => total + size, 0);
  let bytesRead = 0;
  let repos = 0;
  let records = 0;
  try {
    for await (const repo of archive.repos()) {
      signal?.throwIfAborted();
      bytesRead += repo.size;
      if (!isNewest(repo.path, repo.offset)) continue;
      repos++;
      for (const { name, records: found } of collectionsOf(repo, options.onDamage, options.collections.wants)) {
        const source = { repo: repo.did, collection: name, crawledAt: repo.crawledAt };
        for (const { rkey, value } of found) {
          if (format === "jsonl" && !isJson(value)) {
            const { path, offset, did } = repo;
            options.onDamage({ path, offset, did, reason: `${name}/${rkey}: this is not JSON`, torn: false });
            continue;
          }
          if (files.add(source, rkey, value)) await files.flush();
          records++;
        }
      }
      if (repos % PROGRESS_EVERY === 0) {
        options.onProgress?.({ segment: basename(repo.path), bytesRead, bytesTotal, repos, records });
      }
    }
    return { files: await files.finish(), repos, records };
  } catch (error) {
    await files.discard();
    throw error;
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
