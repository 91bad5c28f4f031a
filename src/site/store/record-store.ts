/** Writes a site's records inside the ledger's transactions. Loaded by the store thread. */
import type { DatabaseSync } from "node:sqlite";
import type { RecordStore, RecordWriter } from "../../kernel/sqlite/record-writer.ts";
import { LINK_STRIDE, PAGE_COLUMNS, RENDERED_COLUMNS, type SiteRecord } from "../record.ts";
import { eachText } from "../text-dictionary.ts";
import { SITE_INDEXES, SITE_MIGRATIONS, SITE_PART } from "./schema.ts";

/** Links inserted by one statement: binding many rows at once halves the cost of a row. */
const LINKS_AT_ONCE = 16;

const insertInto = (table: string, columns: readonly string[]): string =>
  `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;

const insertLinks = (rows: number): string =>
  `INSERT INTO links (source, target, type, position, flags, text, context, path) VALUES ${Array.from(
    { length: rows },
    () => "(?, ?, ?, ?, ?, ?, ?, ?)",
  ).join(", ")}`;

function open(db: DatabaseSync): RecordWriter<SiteRecord> {
  const page = db.prepare(insertInto("pages", ["id", ...PAGE_COLUMNS, "first_link"]));
  const rendered = db.prepare(insertInto("rendered", ["id", ...RENDERED_COLUMNS]));
  const body = db.prepare("INSERT INTO bodies (id, html) VALUES (?, ?)");
  const text = db.prepare("INSERT INTO texts (id, value) VALUES (?, ?)");
  const oneLink = db.prepare(insertLinks(1));
  const manyLinks = db.prepare(insertLinks(LINKS_AT_ONCE));
  const lastLink = db.prepare("SELECT max(id) AS id FROM links").get();
  let nextLink = Number(lastLink?.["id"] ?? 0) + 1;

  const writeLinks = (source: number, links: Int32Array): void => {
    const count = links.length / LINK_STRIDE;
    const values: number[] = [];
    let at = 0;
    for (let row = 0; row < count; row++) {
      values.push(source);
      for (let column = 0; column < LINK_STRIDE; column++) values.push(links[at++]!);
      if (values.length === LINKS_AT_ONCE * (LINK_STRIDE + 1)) {
        manyLinks.run(...values);
        values.length = 0;
      }
    }
    for (let rest = 0; rest < values.length; rest += LINK_STRIDE + 1) {
      oneLink.run(...values.slice(rest, rest + LINK_STRIDE + 1));
    }
    nextLink += count;
  };

  return {
    write(id, record) {
      eachText(record.texts, (textId, value) => text.run(textId, value));
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

export default { part: SITE_PART, migrations: SITE_MIGRATIONS, open } satisfies RecordStore<SiteRecord>;
