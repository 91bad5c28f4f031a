/**
 * The records of an archive in an embedded ClickHouse, in a folder next to the segments. They are loaded once; later only
 * what is new. There is one row per record, as in a server that `replay` fills.
 */

import { join } from "node:path";
import type { CollectionFilter } from "../collection-filter.ts";
import { QUERY_DATABASE } from "../folder-files.ts";
import { eventSegments, readEventHeader } from "../follow/event-segments.ts";
import type { Damage } from "../rca/format/bytes.ts";
import type { JsonForm } from "../repo/parsed-repo.ts";
import { ChdbTarget } from "./chdb-target.ts";
import { eventSegmentId } from "./event-changes.ts";
import { Bookmarks, segmentId } from "./load-bookmarks.ts";
import { literal } from "./loaded-accounts.ts";
import { type QueryAnswer, runQuery } from "./query.ts";
import { openWatched, type ReplayProgress, type ReplaySummary, replayWatched, type WatchedArchive } from "./replay.ts";
import { ACCOUNTS_TABLE, BOOKMARKS_TABLE, DROPPED_TABLE, RECORDS_TABLE, TOUCHED_TABLE } from "./replay-tables.ts";

export interface QueryDatabaseOptions {
  /** The archive. */
  folder: string;
  /** A custom database, which may contain other archives too. Default: `query.chdb` in the archive. */
  database?: string;
  /** Only these are loaded, and seen by queries. */
  collections: CollectionFilter;
  /** The form of records that events have. */
  json?: JsonForm;
  /** Also records of accounts that are not active. */
  inactive?: boolean;
  /** Unix milliseconds. */
  now: () => number;
  onDamage: (damage: Damage) => void;
  onProgress?: (progress: ReplayProgress) => void;
  /** Ends the loading; what was loaded is kept for next time. */
  signal?: AbortSignal;
}

export class QueryDatabase implements AsyncDisposable {
  /** What opening it loaded. When that was stopped, queries see only a part. */
  readonly loaded: ReplaySummary;
  readonly #target: ChdbTarget;

  private constructor(target: ChdbTarget, loaded: ReplaySummary) {
    this.#target = target;
    this.loaded = loaded;
  }

  static async open(options: QueryDatabaseOptions): Promise<QueryDatabase> {
    const watched = await openWatched(options.folder, options.onDamage);
    await using _ = watched.archive;
    const target = await ChdbTarget.open(options.database ?? join(options.folder, QUERY_DATABASE));
    try {
      const loaded = await load(watched, target, options);
      await forReading(target, options.collections);
      return new QueryDatabase(target, loaded);
    } catch (error) {
      await target[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** One SELECT, SHOW, DESCRIBE or EXPLAIN at a time. Throws BAD_RECORD_SQL. */
  query(sql: string, signal?: AbortSignal): Promise<QueryAnswer> {
    return runQuery(this.#target.session, sql, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#target[Symbol.asyncDispose]();
  }
}

async function load(
  watched: WatchedArchive,
  target: ChdbTarget,
  options: QueryDatabaseOptions,
): Promise<ReplaySummary> {
  if (options.database === undefined) await dropWhenOutdated(watched, target, options);
  return replayWatched(watched, { ...options, target });
}

/** When segments are gone or were replaced, queries must no longer find what was loaded from them. */
async function dropWhenOutdated(
  { folder, archive }: WatchedArchive,
  target: ChdbTarget,
  { collections, now, onDamage }: QueryDatabaseOptions,
): Promise<void> {
  const tables = (await target.rows("SHOW TABLES")).map(({ name }) => name);
  if (!tables.includes(BOOKMARKS_TABLE) || !tables.includes(RECORDS_TABLE)) return;
  const { segments } = await Bookmarks.open(target, collections, now);
  const known = new Set(archive.segments.map(segmentId));
  for (const segment of await eventSegments(folder)) {
    const header = await readEventHeader(segment, onDamage);
    if (header !== null) known.add(eventSegmentId(segment.path, header.createdAt));
  }
  // A version that did not know of accounts left rows of older blocks.
  if (tables.includes(ACCOUNTS_TABLE) && segments.every((segment) => known.has(segment))) return;
  for (const table of LOADED_TABLES) await target.command(`DROP TABLE IF EXISTS ${table} SYNC`);
}

const LOADED_TABLES = [RECORDS_TABLE, BOOKMARKS_TABLE, ACCOUNTS_TABLE, TOUCHED_TABLE, DROPPED_TABLE];

async function forReading(target: ChdbTarget, { sql }: CollectionFilter): Promise<void> {
  // A batch that was being sent during a crash may be stored twice: implied FINAL shows it once.
  await target.command("SET final = 1, output_format_json_quote_64bit_integers = 1");
  if (sql !== null) {
    // The same query gets the same answer, whatever earlier ones left in the database.
    await target.command(`SET additional_table_filters = {${literal(RECORDS_TABLE)}: ${literal(sql)}}`);
  }
  await target.command("SET readonly = 1");
}
