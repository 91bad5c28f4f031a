/** Which pages of a crawl to ask about, and where the answers are stored. */
import { DatabaseSync } from "node:sqlite";
import { migrate, openForWriting } from "../../kernel/sqlite/schema.ts";
import { openStore } from "../../kernel/sqlite/store-error.ts";
import type { FieldFacts } from "../facts/fact-rows.ts";
import { addFactColumns, SITE_MIGRATIONS, SITE_PART } from "../store/site-schema.ts";

export class FieldStore {
  readonly #db: DatabaseSync;

  /** Nothing else may write to the database meanwhile. */
  constructor(path: string) {
    this.#db = openStore(path, prepare, (location) => new DatabaseSync(location));
  }

  /** Indexable pages: the start page, then the pages that the site links to most. */
  pages(most: number): string[] {
    return this.#db
      .prepare(
        `SELECT u.url AS url FROM pages p JOIN urls u ON u.id = p.id LEFT JOIN graph g ON g.id = p.id
         WHERE p.indexable = 'Yes' ORDER BY u.depth > 0, g.link_score DESC, p.id LIMIT ?`,
      )
      .all(most)
      .map((row) => String(row["url"]));
  }

  /** Known facts from other services stay. False when the crawl does not know the URL. */
  put(url: string, facts: Partial<FieldFacts>): boolean {
    const id = this.#db.prepare("SELECT id FROM urls WHERE url = ?").get(url)?.["id"];
    if (id === undefined) return false;
    const names = Object.keys(facts) as (keyof FieldFacts)[];
    this.#db
      .prepare(
        `INSERT INTO field_data (id, ${names.join(", ")}) VALUES (?, ${names.map(() => "?").join(", ")})
         ON CONFLICT (id) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(", ")}`,
      )
      .run(id, ...names.map((name) => facts[name] ?? null));
    return true;
  }

  /** Forgets these facts of all pages, and stores what `ask` puts instead; when that fails, they stay as they were. */
  async replace(names: readonly (keyof FieldFacts)[], ask: () => Promise<void>): Promise<void> {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      this.#db.exec(`UPDATE field_data SET ${names.map((name) => `${name} = NULL`).join(", ")}`);
      await ask();
      this.#db.exec("COMMIT");
    } catch (error) {
      this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  close(): void {
    this.#db.close();
  }
}

function prepare(db: DatabaseSync): void {
  openForWriting(db);
  migrate(db, SITE_PART, SITE_MIGRATIONS);
  addFactColumns(db);
}
