/**
 * The words of the stored pages, in SQLite next to the store. Everything in it comes from the metadata and the store,
 * so it can be deleted at any time; an index that is damaged, or was made by another version, is rebuilt.
 */
import { rmSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { openPrivateDatabase } from "../../kernel/sqlite/private-files.ts";
import type { MetadataMark } from "../store/metadata-since.ts";
import type { PageText } from "./page-text.ts";

/** How far the metadata was read, and when the last line of it was fetched (Unix time in seconds). */
export interface Reached extends MetadataMark {
  timestamp: number;
}

export interface IndexedPage extends PageText {
  url: string;
  page_type: string;
  sha256: string;
  timestamp: number;
}

export interface Match {
  url: string;
  title: string;
  page_type: string;
  sha256: string;
  /** When it was fetched, in Unix time in seconds. */
  timestamp: number;
  /** The place in the text, with the words found between `\u0001` and `\u0002`. */
  snippet: string;
}

/** Raised when the tables change. */
const VERSION = 2;

const TABLES = `
  CREATE TABLE pages (id INTEGER PRIMARY KEY, url TEXT UNIQUE NOT NULL, page_type TEXT, sha256 TEXT, timestamp INTEGER,
    sum INTEGER);
  CREATE VIRTUAL TABLE texts USING fts5(title, text, tokenize = "unicode61 remove_diacritics 2");
  CREATE TABLE reached (position INTEGER NOT NULL, url TEXT NOT NULL, timestamp INTEGER NOT NULL);
  PRAGMA user_version = ${VERSION};`;

const ROWS = `
  SELECT url, page_type, sha256, timestamp, title, text, sum FROM pages LEFT JOIN texts ON texts.rowid = pages.id`;

const MATCHES = `
  SELECT url, title, page_type, sha256, timestamp, snippet(texts, 1, char(1), char(2), '…', 24) AS snippet
  FROM texts JOIN pages ON pages.id = texts.rowid WHERE texts MATCH ? ORDER BY bm25(texts, 5.0, 1.0), url LIMIT ?`;

export class TextIndex {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** `isFresh`: what was in the file could not be used, so the index starts empty. */
  static open(path: string, { isFresh = false } = {}): TextIndex {
    if (isFresh) TextIndex.remove(path);
    const db = openPrivateDatabase(path);
    try {
      db.exec("PRAGMA busy_timeout = 10000");
      const { user_version: version } = db.prepare("PRAGMA user_version").get() as { user_version: number };
      if (version === VERSION) return new TextIndex(db);
      if (version === 0 && isEmpty(db)) {
        db.exec(`BEGIN IMMEDIATE; ${TABLES} COMMIT`);
        return new TextIndex(db);
      }
    } catch (error) {
      db.close();
      if (isFresh || !isDamage(error)) throw error;
      return TextIndex.open(path, { isFresh: true });
    }
    db.close();
    return TextIndex.open(path, { isFresh: true });
  }

  /** Whether everything is as it was written, and the index holds the words of its texts. Changes nothing. */
  static isIntact(path: string): boolean {
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      const { integrity_check: found } = db.prepare("PRAGMA integrity_check(1)").get() as { integrity_check: string };
      const { user_version: version } = db.prepare("PRAGMA user_version").get() as { user_version: number };
      // An index of another version; the next search rebuilds it.
      if (found !== "ok" || version !== VERSION) return found === "ok";
      for (const row of db.prepare(ROWS).iterate() as Iterable<unknown> as Iterable<IndexedPage & { sum: number }>) {
        if (sumOf(row) !== row.sum) return false;
      }
      return true;
    } catch (error) {
      // A search is writing, or one was killed: the next search undoes what it left.
      if (hasCode(error, SQLITE_BUSY, SQLITE_READONLY)) return true;
      // A table may have lost its name.
      if (!isDamage(error) && !hasCode(error, SQLITE_ERROR)) throw error;
      return false;
    } finally {
      db.close();
    }
  }

  /** Deletes it; the next search rebuilds it. */
  static remove(path: string): void {
    for (const file of [path, `${path}-journal`, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
  }

  /** Null when it is empty. */
  get reached(): Reached | null {
    const sql = "SELECT position AS offset, url, timestamp FROM reached";
    return (this.#prepared(sql).get() as Reached | undefined) ?? null;
  }

  get pages(): number {
    return (this.#prepared("SELECT count(*) AS pages FROM pages").get() as { pages: number }).pages;
  }

  /** Adds pages, or updates them, and records how far the index now reaches: both or neither. */
  add(pages: readonly IndexedPage[], reached: Reached): void {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      for (const page of pages) this.#put(page);
      this.#db.exec("DELETE FROM reached");
      this.#prepared("INSERT INTO reached VALUES (?, ?, ?)").run(reached.offset, reached.url, reached.timestamp);
      this.#db.exec("COMMIT");
    } catch (error) {
      // On a full disk SQLite has rolled back already.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  /** `query` in the syntax of FTS5. Best first. */
  find(query: string, limit: number): { total: number; matches: Match[] } {
    const count = "SELECT count(*) AS total FROM texts WHERE texts MATCH ?";
    const { total } = this.#prepared(count).get(query) as { total: number };
    return { total, matches: this.#prepared(MATCHES).all(query, limit) as unknown as Match[] };
  }

  close(): void {
    this.#db.close();
  }

  #put(page: IndexedPage): void {
    const { url, page_type, sha256, timestamp, title, text } = page;
    const insert = `INSERT INTO pages (url, page_type, sha256, timestamp, sum) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (url) DO UPDATE SET page_type = excluded.page_type, sha256 = excluded.sha256, timestamp = excluded.timestamp,
        sum = excluded.sum
      RETURNING id`;
    const { id } = this.#prepared(insert).get(url, page_type, sha256, timestamp, sumOf(page)) as { id: number };
    this.#prepared("DELETE FROM texts WHERE rowid = ?").run(id);
    this.#prepared("INSERT INTO texts (rowid, title, text) VALUES (?, ?, ?)").run(id, title, text);
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

const sumOf = ({ url, page_type, sha256, timestamp, title, text }: IndexedPage): number =>
  crc32([url, page_type, sha256, timestamp, title, text].join("\n"));

const isEmpty = (db: DatabaseSync): boolean =>
  (db.prepare("SELECT count(*) AS tables FROM sqlite_schema").get() as { tables: number }).tables === 0;

const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

const hasCode = (error: unknown, ...codes: number[]): boolean =>
  codes.includes(((error as { errcode?: number }).errcode ?? 0) & 0xff);

export const isDamage = (error: unknown): boolean => hasCode(error, SQLITE_CORRUPT, SQLITE_NOTADB);
