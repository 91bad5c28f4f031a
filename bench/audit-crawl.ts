/** The database of a crawl of many pages and links, written without crawling: for measurements of the analysis that ends a crawl. */
import { DatabaseSync } from "node:sqlite";
import { LEDGER_MIGRATIONS, migrate, openForWriting } from "../src/kernel/sqlite/schema.ts";
import { viaNumber } from "../src/site/links/link-kinds.ts";
import recordStore from "../src/site/store/record-store.ts";
import { addFactColumns, SITE_INDEXES } from "../src/site/store/site-schema.ts";

export interface CrawlSize {
  pages: number;
  links: number;
}

const START = "https://big.example/";
const TEXTS = 40_000;
const SPIDER = viaNumber("spider");

const numbers = (count: number): string =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;

/** Letters as good as random, from the number of a page. */
const letters = (page: string, part: number): string =>
  `printf('%08x', (${page} * ${2 * part + 7_919}) % 1000003 * 2654435761 % 4294967296)`;
/** As `page/text-sketch.ts` writes them: a quarter is the template's, and the last eight letters differ between pages that are alike. */
const SKETCH = `'0123456789ABCDEFGHIJKLMNOPQRSTUV' || ${Array.from({ length: 11 }, (_, part) =>
  letters("iif(i % 40 = 1, i % 4000, i)", part),
).join(" || ")} || ${letters("i", 11)}`;

/**
 * A realistic site: a tenth of its pages are redirects or errors, a few share a title or a text, and most lack
 * something. A third of the links are the menu, the rest lead anywhere.
 */
export function writeCrawl(path: string, { pages, links }: CrawlSize): void {
  const db = new DatabaseSync(path);
  openForWriting(db);
  migrate(db, "ledger", LEDGER_MIGRATIONS);
  migrate(db, recordStore.part, recordStore.migrations);
  addFactColumns(db);
  const perPage = Math.round(links / pages);
  db.exec(`BEGIN;
    INSERT INTO urls (id, url, verdict, state, lane, place, depth, parent, via, kind, hops)
      ${numbers(pages)} SELECT i, '${START}' || iif(i = 1, '', 'section-' || (i % 50) || '/article-' || i || '.html'),
        'crawl', 'done', 'lane', i, min(i, i % 7), i / 10, iif(i = 1, 0, ${SPIDER}), 0, 0 FROM n;
    INSERT INTO pages (id, fetched_at, status, content_type, charset, from_cache, indexable, title, title_count, title_pixels, description,
        description_count, description_pixels, h1, h1_count, h2, h2_count, language, viewport, canonical, canonical_count, canonical_written,
        redirect_to, word_count, text_length, size, content_hash, link_count, first_link, time_total, time_first_byte, time_download,
        attempts, images, images_no_alt, images_no_size, dom_elements, dom_depth, hsts, content_type_options, content_encoding, cookies,
        structured_data, og_title, og_image, twitter_card, readability, text_print,
        text_sketch, own_text)
      ${numbers(pages)} SELECT i, 1763400000000 + i, CASE WHEN i % 20 = 9 THEN 404 WHEN i % 20 = 19 THEN 301 ELSE 200 END, 'text/html',
        'utf-8', 0, iif(i % 10 = 9, '-', iif(i % 50 = 0, 'No', 'Yes')), iif(i % 10 = 9, NULL, 'Article ' || iif(i % 30 = 1, i % 3000, i)
        || ', a title of usual length'), iif(i % 10 = 9, NULL, 1), 300, iif(i % 3 = 0, NULL, 'What article ' || i ||
        ' is about, in a sentence that is as long as sentences are.'), 1, 500, 'Article ' || i, 1, iif(i % 4 = 0, NULL, 'Part ' || i),
        iif(i % 4 = 0, 0, 3), 'en', 'width=device-width', iif(i % 2 = 0, NULL, i), i % 2, iif(i % 2 = 0, NULL, '${START}' || i),
        iif(i % 20 = 19, i / 20 * 20 + 1, NULL), 150 + i % 900, 4000, 30000, hex(iif(i % 40 = 1, i % 4000, i) * 7919), ${perPage},
        (i - 1) * ${perPage} + 1, i % 900, i % 900, 3, 1, 5, iif(i % 5 = 0, 2, 0), iif(i % 6 = 0, 3, 0), 800, 14,
        'max-age=31536000', 'nosniff', 'gzip', iif(i % 10 = 0, 'session; HttpOnly', NULL), iif(i % 2, 'Article', NULL), 'T',
        'https://big.example/card.png', 'summary', 50, NULL,
        iif(i % 10 = 9, NULL, ${SKETCH}), 80 FROM n;
    INSERT INTO texts (id, value)
      ${numbers(TEXTS)} SELECT i, CASE WHEN i % 3 = 0 THEN 'Read more about "' || i || '"' WHEN i % 3 = 1 THEN 'Article ' || i
        ELSE 'nav > ul > li:nth-child(' || (i % 90) || '), a' END FROM n;
    INSERT INTO links (id, source, target, type, position, flags, text, context, path)
      ${numbers(pages * perPage)} SELECT i, (i - 1) / ${perPage} + 1,
        iif(i % 3 = 0, (i / 3) % ${Math.ceil(perPage / 3)} + 1, (i * 7919) % ${pages} + 1), 0, i % 5, 8 + (i % 100 = 0),
        iif(i % 200 = 0, 0, (i * 31) % ${TEXTS} + 1), (i * 17) % ${TEXTS}, i % 300 FROM n;
    COMMIT;`);
  db.exec(SITE_INDEXES);
  db.close();
}
