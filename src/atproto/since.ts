/** The revisions of an earlier archive, in a file that lasts as long as the crawl: what did not change is not fetched. */
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { AtprotoConfig } from "./atproto-config.ts";
import type { Damage } from "./rca/format/bytes.ts";
import { archivedRevisions } from "./rca/read/archive.ts";

/** Rows in one transaction. */
const BATCH = 10_000;

/** Whether a crawl writes into the archive that it continues. */
export const continuesItself = ({ since, outputDir }: Pick<AtprotoConfig, "since" | "outputDir">): boolean =>
  since !== null && resolve(since) === resolve(outputDir);

export class ArchivedRevs {
  readonly #path: string;
  readonly #db: DatabaseSync;

  private constructor(path: string, db: DatabaseSync) {
    this.#path = path;
    this.#db = db;
  }

  /** Reads the whole archive: a damaged block must not count as archived. */
  static async read(archive: string, path: string, onDamage: (damage: Damage) => void): Promise<ArchivedRevs> {
    rmSync(path, { force: true });
    const db = new DatabaseSync(path);
    // It is created each time, so nothing in it has to survive a crash.
    db.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    db.exec("CREATE TABLE revs (did TEXT PRIMARY KEY, rev TEXT NOT NULL) STRICT, WITHOUT ROWID; BEGIN");
    const insert = db.prepare("INSERT OR REPLACE INTO revs VALUES (?, ?)");
    const revs = new ArchivedRevs(path, db);
    try {
      let rows = 0;
      for await (const { did, rev } of archivedRevisions(archive, onDamage)) {
        insert.run(did, rev);
        if (++rows % BATCH === 0) db.exec("COMMIT; BEGIN");
      }
      db.exec("COMMIT");
      return revs;
    } catch (error) {
      revs.close();
      throw error;
    }
  }

  /** Revisions are times written so that they sort: one that is not older was crawled after this one was listed. */
  isUnchanged(did: string, rev: string | null): boolean {
    if (rev === null) return false;
    const row = this.#db.prepare("SELECT rev FROM revs WHERE did = ?").get(did);
    return row !== undefined && (row["rev"] as string) >= rev;
  }

  close(): void {
    this.#db.close();
    rmSync(this.#path, { force: true });
  }
}
