/** The pages of a crawl in the order in which they were applied, for a resumed crawl to count again. */
import { DatabaseSync } from "node:sqlite";
import { STORED_LINK_STRIDE, TARGET, TYPE } from "../../web/html/link-rows.ts";
import type { StoredPage, StoredPages } from "../traps/trap-watch.ts";

/** As `isPage` in `numbers.ts`. */
const IS_PAGE = "title_count IS NOT NULL AND error IS NULL AND (status BETWEEN 200 AND 299 OR status = 304)";

export function storedPages(database: string): StoredPages {
  function* rows<Row>(sql: string, ...values: number[]): Generator<Row> {
    const db = new DatabaseSync(database, { readOnly: true });
    try {
      yield* db.prepare(sql).iterate(...values) as unknown as Iterable<Row>;
    } finally {
      db.close();
    }
  }
  return {
    pages: () =>
      rows<StoredPage>(
        `SELECT u.id, u.url, u.parent, u.via, u.kind, p.text_print, p.trap_signs FROM pages p JOIN urls u USING (id)
         WHERE p.trap_signs IS NOT NULL ORDER BY u.place`,
      ),
    refused: () =>
      [...rows<{ id: number }>("SELECT id FROM pages WHERE error = 'private_address'")].map(({ id }) => id),
    pageCount: () => [...rows<{ n: number }>(`SELECT count(*) AS n FROM pages WHERE ${IS_PAGE}`)][0]?.n ?? 0,
    links: () => rows("SELECT source, target FROM links"),
    linksOf(id) {
      const links = [
        ...rows<{ target: number; type: number }>(
          `SELECT l.target, l.type FROM pages p JOIN links l ON l.id >= p.first_link AND l.id < p.first_link + p.link_count
           WHERE p.id = ?`,
          id,
        ),
      ];
      const packed = new Int32Array(links.length * STORED_LINK_STRIDE);
      links.forEach(({ target, type }, index) => {
        packed[index * STORED_LINK_STRIDE + TARGET] = target;
        packed[index * STORED_LINK_STRIDE + TYPE] = type;
      });
      return packed;
    },
  };
}
