/** The registry: projects, their configs, and their crawls. The data of each crawl is in a file of its own. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { TrawlError } from "../../errors.ts";
import { openForReading } from "../../kernel/sqlite/open-reading.ts";
import { migrate, openForWriting, requireVersion } from "../../kernel/sqlite/schema.ts";
import { isOutOfReach, openStore } from "../../kernel/sqlite/store-error.ts";
import type { Ending, EndState } from "../../site/crawl-end.ts";
import { type SiteOptions, withinCeilings } from "../../site/site-config.ts";
import { lockFolder } from "./crawl-lock.ts";
import { REGISTRY_MIGRATIONS } from "./registry-schema.ts";

export type CrawlRecordState = "running" | EndState;

/** States of a crawl that fetched everything it was meant to: it can be compared, and later crawls can build on it. */
export const FINISHED: readonly CrawlRecordState[] = ["completed", "limit_reached"];
/** States of a crawl that has complete or partial results. */
export const WITH_RESULTS: readonly CrawlRecordState[] = [...FINISHED, "stopped", "paused"];

/**
 * What another process may ask the process that works on a crawl to do: stop it, or release it for any process to
 * resume.
 */
export type Asked = "stop" | "pause";

const quoted = (states: readonly string[]): string => states.map((state) => `'${state}'`).join(", ");

export interface CrawlRecord {
  id: number;
  projectId: number;
  domain: string;
  mode: "site" | "list";
  startUrls: string[];
  settings: unknown;
  baselineId: number | null;
  state: CrawlRecordState;
  startedAt: number;
  durationMs: number;
  /** Pages as `site/numbers.ts` defines them; null when an older version did not count them. */
  pages: number | null;
  /** URLs that were fetched. */
  crawled: number;
  discovered: number;
  /** How it ended and what to do next, in words. */
  message: string | null;
  /** Null while it has not ended, and for a crawl made by an older version. */
  ending: Ending | null;
  /** Null for a crawl made by a version that did not store it. */
  progress: StoredProgress | null;
}

/** More about a crawl's progress, for other processes to read. */
export interface StoredProgress {
  open: number;
  recorded: number;
  skipped: number;
  errors: number;
  broken: number;
  retries: number;
  inFlight: number;
  /** Missing in a crawl made by an older version. */
  trouble?: string | null;
  pagesPerSecond: number;
  urlsPerSecond: number;
  statuses: { value: number; count: number }[];
  reasons: { value: string; count: number }[];
}

export interface CrawlUpdate {
  state: CrawlRecordState;
  durationMs: number;
  pages: number | null;
  crawled: number;
  discovered: number;
  message: string | null;
  ending: Ending | null;
  progress: StoredProgress | null;
}

export interface ProjectRecord {
  id: number;
  url: string;
  domain: string;
}

const CRAWL_COLUMNS = `c.id AS id, c.project_id AS projectId, p.domain AS domain, c.mode AS mode, c.start_urls AS startUrls,
  c.settings AS settings, c.baseline_id AS baselineId, c.state AS state, c.crawl_date_time AS startedAt,
  c.crawl_duration AS durationMs, c.pages_crawled AS crawled, c.urls_discovered AS discovered, c.message AS message,
  c.pages AS pages, c.ending AS ending, c.progress AS progress
  FROM crawls c JOIN projects p ON p.id = c.project_id`;

const PATIENCE_MS = 5_000;

export class Registry {
  readonly #path: string;
  readonly #now: () => number;
  #db: DatabaseSync;
  /** The read-only connection, for a full or read-only disk on which nothing can be written. */
  #reading: DatabaseSync | null = null;

  constructor(path: string, now: () => number = Date.now) {
    this.#path = path;
    this.#now = now;
    try {
      this.#db = this.#openForWriting();
    } catch (error) {
      if (!isOutOfReach(error) || !existsSync(path)) throw error;
      this.#reading = openStore(
        path,
        (db) => requireVersion(db, "registry", REGISTRY_MIGRATIONS, error),
        openForReading,
      );
      this.#db = this.#reading;
    }
  }

  #openForWriting(): DatabaseSync {
    return openStore(this.#path, (db) => prepare(db, this.#path));
  }

  /** The connection for changes: there may be room on the disk by now. */
  #writing(): DatabaseSync {
    if (this.#db === this.#reading) this.#db = this.#openForWriting();
    return this.#db;
  }

  /** The connection, for other tables in the same file. */
  get db(): DatabaseSync {
    return this.#db;
  }

  projects(): ProjectRecord[] {
    return this.#db.prepare("SELECT id, url, domain FROM projects ORDER BY id").all() as unknown as ProjectRecord[];
  }

  projectWithId(id: number): ProjectRecord {
    const row = this.#db.prepare("SELECT id, url, domain FROM projects WHERE id = ?").get(id);
    if (row === undefined) throw new TrawlError("PROJECT_NOT_FOUND", `There is no project ${id}.`);
    return row as unknown as ProjectRecord;
  }

  /** The project of a host, created if it is new. */
  project(url: string, domain: string): number {
    const now = this.#now();
    const row = this.#writing()
      .prepare(
        `INSERT INTO projects (url, domain, created_at, updated_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (domain) DO UPDATE SET updated_at = excluded.updated_at RETURNING id`,
      )
      .get(url, domain, now, now);
    return row!["id"] as number;
  }

  addCrawl(
    crawl: Pick<CrawlRecord, "projectId" | "mode" | "startUrls" | "settings" | "baselineId">,
    startedAt?: number,
  ): number {
    const now = this.#now();
    const { projectId, mode, startUrls, settings, baselineId } = crawl;
    const { lastInsertRowid } = this.#writing()
      .prepare(
        `INSERT INTO crawls (project_id, mode, start_urls, settings, baseline_id, state, crawl_date_time, crawl_duration,
           pages_crawled, urls_discovered, created_at, updated_at) VALUES (?, ?, ?, ?, ?, 'running', ?, 0, 0, 0, ?, ?)`,
      )
      .run(
        projectId,
        mode,
        JSON.stringify(startUrls),
        JSON.stringify(settings),
        baselineId,
        startedAt ?? now,
        now,
        now,
      );
    return Number(lastInsertRowid);
  }

  /** For a list, these are known only once it has been read. */
  setStart(id: number, start: Pick<CrawlRecord, "startUrls" | "projectId" | "baselineId" | "settings">): void {
    const { startUrls, projectId, baselineId, settings } = start;
    this.#writing()
      .prepare("UPDATE crawls SET start_urls = ?, project_id = ?, baseline_id = ?, settings = ? WHERE id = ?")
      .run(JSON.stringify(startUrls), projectId, baselineId, JSON.stringify(settings), id);
    this.#dropEmptyProjects();
  }

  updateCrawl(id: number, update: CrawlUpdate): void {
    const { state, durationMs, pages, crawled, discovered, message, ending, progress } = update;
    this.#writing()
      .prepare(
        `UPDATE crawls SET state = ?, crawl_duration = ?, pages = ?, pages_crawled = ?, urls_discovered = ?, message = ?,
           ending = ?, progress = coalesce(?, progress), updated_at = ? WHERE id = ?`,
      )
      .run(
        state,
        Math.round(durationMs),
        pages,
        crawled,
        discovered,
        message,
        ending === null ? null : JSON.stringify(ending),
        progress === null ? null : JSON.stringify(progress),
        this.#now(),
        id,
      );
  }

  crawl(id: number): CrawlRecord {
    const row = this.#db.prepare(`SELECT ${CRAWL_COLUMNS} WHERE c.id = ?`).get(id);
    if (row === undefined) throw new TrawlError("CRAWL_NOT_FOUND", `There is no crawl ${id}.`);
    return crawlRecord(row);
  }

  /** Newest first. */
  crawls(): CrawlRecord[] {
    return this.#db.prepare(`SELECT ${CRAWL_COLUMNS} ORDER BY c.id DESC`).all().map(crawlRecord);
  }

  /** Of one project, newest first. */
  crawlsOf(projectId: number): CrawlRecord[] {
    return this.#db
      .prepare(`SELECT ${CRAWL_COLUMNS} WHERE c.project_id = ? ORDER BY c.id DESC`)
      .all(projectId)
      .map(crawlRecord);
  }

  /** Leaves a request for the process that works on the crawl, whichever process that is. */
  ask(id: number, asked: Asked): void {
    this.#writing()
      .prepare("INSERT OR REPLACE INTO requests (crawl_id, at, asked) VALUES (?, ?, ?)")
      .run(id, this.#now(), asked);
  }

  asked(id: number): Asked | null {
    const row = this.#db.prepare("SELECT asked FROM requests WHERE crawl_id = ?").get(id);
    return (row?.["asked"] ?? null) as Asked | null;
  }

  /** A request to an earlier process does not apply to the next. */
  forgetAsked(id: number): void {
    this.#writing().prepare("DELETE FROM requests WHERE crawl_id = ?").run(id);
  }

  /** Crawls that a process has marked as running. */
  running(): CrawlRecord[] {
    return this.#db.prepare(`SELECT ${CRAWL_COLUMNS} WHERE c.state = 'running' ORDER BY c.id`).all().map(crawlRecord);
  }

  /** The newest crawl of a project that finished. */
  lastCompleted(domain: string): CrawlRecord | null {
    const row = this.#db
      .prepare(
        `SELECT ${CRAWL_COLUMNS} WHERE p.domain = ? AND c.state IN (${quoted(FINISHED)}) ORDER BY c.id DESC LIMIT 1`,
      )
      .get(domain);
    return row === undefined ? null : crawlRecord(row);
  }

  /** A project is deleted with its last crawl. */
  removeCrawl(id: number): void {
    this.#writing().prepare("DELETE FROM crawls WHERE id = ?").run(id);
    this.#dropEmptyProjects();
  }

  #dropEmptyProjects(): void {
    this.#writing().exec("DELETE FROM projects WHERE id NOT IN (SELECT project_id FROM crawls)");
  }

  close(): void {
    this.#db.close();
    // Others may have been reading from it until now.
    if (this.#reading?.isOpen) this.#reading.close();
  }
}

function prepare(db: DatabaseSync, path: string): void {
  // Several commands may run at once: they wait for each other.
  db.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}; PRAGMA foreign_keys = ON`);
  // On a new machine, two commands at once would both create the tables, and SQLite does not wait when both switch to
  // WAL.
  const lock = lockFolder(dirname(path), PATIENCE_MS);
  try {
    openForWriting(db);
    migrate(db, "registry", REGISTRY_MIGRATIONS);
  } finally {
    lock.release();
  }
}

function crawlRecord(row: Record<string, unknown>): CrawlRecord {
  const { startUrls, settings, progress, ending, ...record } = row as Record<string, string>;
  return {
    ...(record as unknown as CrawlRecord),
    startUrls: JSON.parse(startUrls!) as string[],
    settings: withinCeilings(JSON.parse(settings!) as SiteOptions),
    ending: JSON.parse(ending ?? "null") as Ending | null,
    progress: JSON.parse(progress ?? "null") as StoredProgress | null,
  };
}
