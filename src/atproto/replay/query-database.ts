/**
 * The records of an archive in an embedded ClickHouse, in a folder beside the segments. They are loaded once; later only
 * what is new. There is one row per record, as it was when its repo was last crawled.
 */
import { join } from "node:path";
import { QUERY_DATABASE } from "../atproto-config.ts";
import type { Damage } from "../rca/format/bytes.ts";
import { Bookmarks, segmentId } from "./bookmarks.ts";
import { ChdbTarget } from "./chdb-target.ts";
import { type QueryAnswer, runQuery } from "./query.ts";
import { openWatched, type ReplayProgress, type ReplaySummary, replaySegments, type WatchedArchive } from "./replay.ts";
import { BOOKMARKS_TABLE, RECORDS_TABLE } from "./replay-tables.ts";
import { type CollectionFilter, newestOnly, supersededBlocks } from "./wanted-blocks.ts";

export interface QueryDatabaseOptions {
  /** The archive. */
  folder: string;
  /** A custom database, which may contain other archives too. Default: `query.chdb` in the archive. */
  database?: string;
  /** Only these are loaded, and seen by queries. */
  collections: CollectionFilter;
  /** Unix milliseconds. */
  now: () => number;
  onDamage: (damage: Damage) => void;
  onProgress?: (progress: ReplayProgress) => void;
  /** Ends the loading; what was loaded is kept for the next time. */
  signal?: AbortSignal;
}

/** Superseded blocks in one DELETE. */
const DELETE_AT_ONCE = 1_000;

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
  const { archive } = watched;
  if (options.database === undefined) await dropWhenOutdated(watched, target, options);
  const summary = await replaySegments(watched, { ...options, target }, await newestOnly(archive));
  await deleteSuperseded(watched, target);
  return summary;
}

/** When segments are gone or were replaced, queries must no longer find what was loaded from them. */
async function dropWhenOutdated(
  { archive }: WatchedArchive,
  target: ChdbTarget,
  { collections, now }: QueryDatabaseOptions,
): Promise<void> {
  const { segments } = await Bookmarks.open(target, collections, now);
  const known = new Set(archive.segments.map(segmentId));
  if (segments.every((segment) => known.has(segment))) return;
  for (const table of [RECORDS_TABLE, BOOKMARKS_TABLE]) await target.command(`DROP TABLE IF EXISTS ${table} SYNC`);
}

/** Blocks that were the newest when they were loaded, but no longer are; or that `replay` loaded. */
async function deleteSuperseded({ archive }: WatchedArchive, target: ChdbTarget): Promise<void> {
  let pairs: string[] = [];
  const flush = async (): Promise<void> => {
    if (pairs.length === 0) return;
    const condition = `(repo, time_us) IN (${pairs.join(", ")})`;
    const found = await target.rows(`SELECT 1 FROM ${RECORDS_TABLE} WHERE ${condition} LIMIT 1`);
    // A DELETE that matches nothing would still rewrite every part of the table.
    if (found.length > 0) await target.command(`DELETE FROM ${RECORDS_TABLE} WHERE ${condition}`);
    pairs = [];
  };
  for await (const { did, crawledAt } of supersededBlocks(archive)) {
    pairs.push(`(${literal(did)}, ${crawledAt})`);
    if (pairs.length >= DELETE_AT_ONCE) await flush();
  }
  await flush();
}

async function forReading(target: ChdbTarget, { sql }: CollectionFilter): Promise<void> {
  // A batch that was being sent during a crash may be stored twice: implied FINAL shows it once.
  await target.command("SET final = 1, output_format_json_quote_64bit_integers = 1");
  if (sql !== null) {
    // The same query gets the same answer, whatever earlier ones left in the database.
    await target.command(`SET additional_table_filters = {${literal(RECORDS_TABLE)}: ${literal(sql)}}`);
  }
  await target.command("SET readonly = 1");
}

const literal = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;
