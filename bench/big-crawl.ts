/** A crawl of many pages and links, written into a data folder without crawling: for measurements of the server. */
import { mkdirSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { App } from "../src/app/app.ts";
import { LEDGER_MIGRATIONS, migrate, openForWriting } from "../src/kernel/sqlite/schema.ts";
import recordStore from "../src/site/store/record-store.ts";
import { addFactColumns, SITE_INDEXES } from "../src/site/store/site-schema.ts";

export interface BigCrawl {
  pages: number;
  links: number;
}

const START = "https://big.example/";
/** Link texts and contexts repeat from page to page, as in menus; so do the places of links in the document. */
const TEXTS = 40_000;

/** Returns its id. */
export function addBigCrawl(app: App, { pages, links }: BigCrawl): number {
  const { registry, home } = app.crawls;
  const projectId = registry.project(START, "big.example");
  const id = registry.addCrawl({ projectId, mode: "site", startUrls: [START], settings: {}, baselineId: null });
  const counts = { pages, crawled: pages, discovered: pages };
  registry.updateCrawl(id, {
    state: "completed",
    durationMs: 1_000,
    message: null,
    ending: null,
    progress: null,
    ...counts,
  });
  mkdirSync(home.crawlFolder(id), { recursive: true });
  const db = new DatabaseSync(home.crawlDatabase(id));
  openForWriting(db);
  migrate(db, "ledger", LEDGER_MIGRATIONS);
  migrate(db, recordStore.part, recordStore.migrations);
  addFactColumns(db);
  const perPage = Math.round(links / pages);
  const numbers = (count: number) =>
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  db.exec(`BEGIN;
    INSERT INTO urls (id, url, verdict, state, lane, place, depth, parent, via, kind, hops)
      ${numbers(pages)} SELECT i, '${START}section-' || (i % 50) || '/article-' || i || '.html', 'crawl', 'done', 'lane', i,
        i % 7, i / 10, 1, 1, 0 FROM n;
    INSERT INTO pages (id, fetched_at, status, content_type, from_cache, indexable, title, title_count, description, h1,
        word_count, content_hash, link_count, first_link, time_total, attempts)
      ${numbers(pages)} SELECT i, 1763400000000 + i, iif(i % 10 = 9, 404, 200), 'text/html', 0, iif(i % 10 = 9, 'No', 'Yes'),
        'Article ' || i || ', a title of usual length', 1, 'What article ' || i || ' is about, in a sentence.', 'Article ' || i,
        300 + i % 900, hex(i * 7919), ${perPage}, (i - 1) * ${perPage} + 1, i % 900, 1 FROM n;
    INSERT INTO texts (id, value)
      ${numbers(TEXTS)} SELECT i, CASE WHEN i % 3 = 0 THEN 'Read more about "' || i || '"' WHEN i % 3 = 1 THEN 'Article ' || i
        ELSE 'nav > ul > li:nth-child(' || (i % 90) || '), a' END FROM n;
    INSERT INTO links (id, source, target, type, position, flags, text, context, path)
      ${numbers(pages * perPage)} SELECT i, (i - 1) / ${perPage} + 1, (i * 7919) % ${pages} + 1, i % 4, i % 5, 8 + i % 2,
        (i * 31) % ${TEXTS}, (i * 17) % ${TEXTS}, i % 300 FROM n;
    COMMIT;`);
  db.exec(SITE_INDEXES);
  db.close();
  return id;
}
