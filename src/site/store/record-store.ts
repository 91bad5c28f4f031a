/** Writes a site's records inside the ledger's transactions. Loaded by the store thread. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { RecordStore, RecordWriter } from "../../kernel/sqlite/store.ts";
import { CONTEXT, FLAGS, PATH, POSITION, STORED_LINK_STRIDE, TARGET, TEXT, TYPE } from "../../web/html/link-rows.ts";
import { PAGE_COLUMNS, RENDERED_COLUMNS } from "../facts/fact-rows.ts";
import type { SiteRecord } from "../site-record.ts";
import { eachText } from "../text-dictionary.ts";
import { addFactColumns, SITE_INDEXES, SITE_MIGRATIONS, SITE_PART } from "./site-schema.ts";

/** Columns of a stored link by their place in its row: see `web/html/link-rows.ts`. */
const STORED: Record<string, number> = {
  target: TARGET,
  type: TYPE,
  position: POSITION,
  flags: FLAGS,
  text: TEXT,
  context: CONTEXT,
  path: PATH,
};
const LINK_COLUMNS = ["source", ...Object.keys(STORED).sort((a, b) => STORED[a]! - STORED[b]!)];

function open(db: DatabaseSync): RecordWriter<SiteRecord> {
  addFactColumns(db);
  const page = db.prepare(insertInto("pages", ["id", ...PAGE_COLUMNS, "first_link"]));
  const rendered = db.prepare(insertInto("rendered", ["id", ...RENDERED_COLUMNS]));
  const body = db.prepare(insertInto("bodies", ["id", "html"]));
  const texts = new RowBatch(db, "texts", ["id", "value"]);
  const links = new RowBatch(db, "links", LINK_COLUMNS);
  const lastLink = db.prepare("SELECT max(id) AS id FROM links").get();
  let nextLink = Number(lastLink?.["id"] ?? 0) + 1;

  const writeLinks = (source: number, packed: Int32Array): void => {
    for (let at = 0; at < packed.length; ) {
      links.push(source);
      for (let column = 0; column < STORED_LINK_STRIDE; column++) links.push(packed[at++]!);
    }
    links.flush();
    nextLink += packed.length / STORED_LINK_STRIDE;
  };

  return {
    write(id, record) {
      eachText(record.texts, (textId, value) => {
        texts.push(textId);
        texts.push(value);
      });
      texts.flush();
      const firstLink = record.links.length > 0 ? nextLink : null;
      page.run(id, ...PAGE_COLUMNS.map((column) => record.page[column]), firstLink);
      if (record.rendered !== null) {
        const row = record.rendered;
        rendered.run(id, ...RENDERED_COLUMNS.map((column) => row[column]));
      }
      if (record.html !== null) body.run(id, record.html);
      writeLinks(id, record.links);
    },
    close() {
      db.exec(SITE_INDEXES);
    },
  };
}

/** Rows per statement, largest first: the remaining rows of a page use the smaller ones. */
const SIZES = [32, 8, 1] as const;

const insertInto = (table: string, columns: readonly string[], rows = 1): string => {
  const row = `(${columns.map(() => "?").join(", ")})`;
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${new Array(rows).fill(row).join(", ")}`;
};

/** Inserts many small rows of one table with few statements: binding many at once halves the cost per row. */
export class RowBatch {
  readonly #statements: readonly { values: number; statement: StatementSync }[];
  readonly #most: number;
  readonly #values: SQLInputValue[] = [];

  constructor(db: DatabaseSync, table: string, columns: readonly string[]) {
    this.#statements = SIZES.map((rows) => ({
      values: rows * columns.length,
      statement: db.prepare(insertInto(table, columns, rows)),
    }));
    this.#most = SIZES[0] * columns.length;
  }

  /** Adds the next value of the current row. */
  push(value: SQLInputValue): void {
    if (this.#values.push(value) === this.#most) this.flush();
  }

  /** Inserts all rows that wait. */
  flush(): void {
    let from = 0;
    for (const { values, statement } of this.#statements) {
      for (; from + values <= this.#values.length; from += values) {
        statement.run(...this.#values.slice(from, from + values));
      }
    }
    this.#values.length = 0;
  }
}

export default { part: SITE_PART, migrations: SITE_MIGRATIONS, open } satisfies RecordStore<SiteRecord>;
