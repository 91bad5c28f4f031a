/**
 * Every task that a process of the pool accepts: reading from a crawl or an archive, SQL, exports, audits, and
 * user-written patterns.
 */
import { TrawlError } from "../../errors.ts";
import { type AuditRun, runAudit } from "../../site/audit/run-audit.ts";
import { type ExportForm, type ExportQuery, exportPieces } from "../../site/export/export-rows.ts";
import {
  Comparison,
  type ComparisonCounts,
  type ComparisonPage,
  type ComparisonQuery,
} from "../../site/store/compare.ts";
import { SiteReader } from "../../site/store/reader.ts";
import { guardedQuery, type QueryAnswer, QueryError, type QueryLimits } from "../../site/store/sql/guarded-query.ts";
import type { ArchiveReadingName } from "../archive/readings.ts";
import type { ArchivePlace, RepoReadingName } from "../atproto/readings.ts";
import { decideRobots, decideUrls, type RobotsTask, type RulesTask } from "../config/rule-decisions.ts";
import { checkSettings } from "../config/setting-checks.ts";
import { READINGS, type ReadingName } from "./readings.ts";

export interface ExportTask {
  path: string;
  query: ExportQuery;
  form: ExportForm;
}

export interface CompareTask {
  /** The databases of the earlier and the later crawl. */
  before: string;
  after: string;
  /** Changes when either database has grown. */
  version: string;
  /** Null: the counts only. */
  query: ComparisonQuery | null;
}

export interface ArchiveTask {
  root: string;
  configFile: string;
  name: ArchiveReadingName;
  args: unknown;
}

export interface ComparisonReading {
  counts: ComparisonCounts;
  page: ComparisonPage | null;
}

/** The last comparison, because a screen asks for its pages one after another. */
let kept: { key: string; comparison: Comparison } | null = null;

function readComparison({ before, after, version, query }: CompareTask): ComparisonReading {
  const key = JSON.stringify([before, after, version]);
  if (kept?.key !== key) {
    kept?.comparison.close();
    kept = null;
    kept = { key, comparison: new Comparison(before, after) };
  }
  const { comparison } = kept;
  return { counts: comparison.counts, page: query === null ? null : comparison.rows(query) };
}

type Put = (bytes: Uint8Array) => void;

export const TASKS: Record<string, (args: never, put: Put) => unknown> = {
  read: ({ name, path, args }: { name: ReadingName; path: string; args: never }) => {
    const reader = new SiteReader(path);
    try {
      return READINGS[name](reader, args);
    } finally {
      reader.close();
    }
  },
  sql: ({ path, sql, limits }: { path: string; sql: string; limits: QueryLimits }): QueryAnswer => {
    try {
      return guardedQuery(path, sql, limits);
    } catch (error) {
      throw new TrawlError("BAD_SQL", error instanceof QueryError ? error.message : String(error));
    }
  },
  export: ({ path, query, form }: ExportTask, put: Put): null => {
    const reader = new SiteReader(path);
    try {
      for (const { bytes } of exportPieces(reader, query, form)) put(bytes);
      return null;
    } finally {
      reader.close();
    }
  },
  compare: (task: CompareTask) => readComparison(task),
  audit: ({ path, run }: { path: string; run: AuditRun }): null => {
    runAudit(path, run);
    return null;
  },
  archive: async ({ root, configFile, name, args }: ArchiveTask) => {
    const [{ ARCHIVE_READINGS }, { openWorkspace }] = await Promise.all([
      import("../archive/readings.ts"),
      import("../archive/workspace.ts"),
    ]);
    return ARCHIVE_READINGS[name](openWorkspace(root, Date.now(), configFile), args as never);
  },
  repoArchive: async ({ place, name, args }: { place: ArchivePlace; name: RepoReadingName; args: unknown }) => {
    const { REPO_READINGS } = await import("../atproto/readings.ts");
    return REPO_READINGS[name](place, args as never);
  },
  rules: (task: RulesTask) => decideUrls(task),
  robots: (task: RobotsTask) => decideRobots(task),
  settings: (given: Record<string, unknown>) => checkSettings(given),
};
