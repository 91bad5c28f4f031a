/**
 * The translations of every page, wherever they are named: in the page, in its `Link` headers, or in a sitemap. Pairs are stored as written;
 * they are resolved here once, for all rules about them.
 */
import type { DatabaseSync } from "node:sqlite";
import { entriesOf } from "./rule.ts";

/** `pairs` is a JSON array of code and address, which is relative to `base`. */
const of = (id: string, url: string, { pairs, base, from }: { pairs: string; base: string; from: string }): string =>
  `SELECT ${id}, ${url}, lower(json_extract(e.value, '$[0]')), absolute(json_extract(e.value, '$[1]'), ${base})
   FROM ${from}, json_each(${pairs}) e WHERE ${pairs} IS NOT NULL`;

const ofPage = (fact: string): string =>
  of("j.id", "j.url", {
    pairs: `j.${fact}`,
    base: "j.url",
    from: "(SELECT id, url, hreflang, hreflang_header FROM judged WHERE as_page) j",
  });

const IN_SITEMAPS = `(SELECT t.id AS id, t.url AS url, s.url AS sitemap, c.value AS pairs
  FROM ${entriesOf("sitemap", "sitemap-entry")} JOIN texts c ON c.id = l.context
  JOIN urls s ON s.id = l.source JOIN judged t ON t.id = l.target AND t.as_page) j`;

/** Creates the table `audit_alternates` for this connection. */
export function showAlternates(db: DatabaseSync): void {
  const all = [
    ofPage("hreflang"),
    ofPage("hreflang_header"),
    of("j.id", "j.url", { pairs: "j.pairs", base: "j.sitemap", from: IN_SITEMAPS }),
  ];
  db.exec(`CREATE TEMP TABLE audit_alternates (id INTEGER, url TEXT, code TEXT, target TEXT);
    INSERT INTO audit_alternates SELECT DISTINCT * FROM (${all.join(" UNION ALL ")});
    CREATE INDEX temp.audit_alternates_id ON audit_alternates (id)`);
}
