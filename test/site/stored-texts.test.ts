/** Whatever a server puts into a text, no column of the crawl's database holds more of it than its limit. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { MOST_TEXT } from "../../src/site/facts/fact-reading.ts";
import { parseConfig } from "../../src/site/site-config.ts";
import { SiteCrawl } from "../../src/site/site-crawl.ts";
import { seedSources } from "../../src/site/site-seeds.ts";
import { sqliteSiteStore } from "../../src/site/store/site-store.ts";
import { temporaryFolder } from "./crawling.ts";
import { type Answer, tableSite } from "./table-site.ts";

const LONG = "x".repeat(30_000);
const HUGE = "y".repeat(300_000);

/** Columns that hold more than one text, each with the limit of what it is made from. */
const LARGER: Readonly<Record<string, number>> = {
  // All headers of an answer.
  "pages.headers": 128 * 1024,
  // A list of alternates, cut between two of them.
  "pages.hreflang": 2 * MOST_TEXT,
  "rendered.hreflang": 2 * MOST_TEXT,
  "rendered.console_errors": 64 * 1024,
  // A robots.txt.
  "notes.value": 600_000,
};

const hostile: Answer = (_request, response) => {
  const names = ["x-robots-tag", "etag", "content-language"];
  const headers = Object.fromEntries(names.map((name) => [name, name === "etag" ? `"${LONG}"` : LONG]));
  response.writeHead(200, { "content-type": `text/html; charset=utf-8; x=${LONG}`, ...headers });
  const metas = ["description", "robots", "keywords", "author", "generator", "viewport", "twitter:title"];
  response.end(
    `<html lang="${HUGE}"><title>${HUGE}</title>${metas.map((name) => `<meta name="${name}" content="${HUGE}">`).join("")}
     <meta property="og:title" content="${HUGE}"><link rel=canonical href="/${LONG}"><link rel=next href="/${HUGE}">
     <link rel=alternate hreflang="${LONG}" href="/${LONG}"><link rel=amphtml href="/${LONG}">
     <h1>${HUGE}</h1><h2>${HUGE}</h2><${HUGE}><a href="/a" title="${HUGE}">${HUGE}</a></${HUGE}>
     <a href="/${LONG}">long</a><a href="/private/1">p</a><a href="/moved">m</a><a href="/odd">o</a><img src=/i alt="${HUGE}">`,
  );
};

test("no text in the database is longer than its limit, whatever the server sends", async (t) => {
  const site = await tableSite(t, {
    "/": hostile,
    "/robots.txt": { type: "text/plain", body: `User-agent: *\nDisallow: /private/*${"*".repeat(200_000)}1\n` },
    "/moved": { status: 302, headers: { location: `/${"z".repeat(20_000)}` }, body: "" },
    "/odd": { headers: { "content-type": `text/${"t".repeat(40_000)}` }, body: "?" },
    "/a": { headers: { "set-cookie": `${LONG}=1` }, body: `<title>a</title>` },
  });
  const database = join(temporaryFolder(t), "crawl.db");
  async function* batches() {
    yield [site.url];
  }
  const crawl = await SiteCrawl.start({
    store: () => sqliteSiteStore(database),
    ...{ baseline: null, events: {}, config: parseConfig({ storeHeaders: true }), startUrls: [site.url] },
    sources: seedSources({ via: "initial", batches: batches() }),
  });
  assert.equal((await crawl.ended).state, "completed");
  const db = new DatabaseSync(database, { readOnly: true });
  t.after(() => db.close());
  const columns = db
    .prepare(
      `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t, pragma_table_info(t.name) c
       WHERE t.type = 'table' AND c.type = 'TEXT'`,
    )
    .all() as { table: string; column: string }[];
  assert.ok(columns.length > 40);
  const tooLong = columns.flatMap(({ table, column }) => {
    const { most } = db.prepare(`SELECT max(length("${column}")) AS most FROM "${table}"`).get() as { most: number };
    const name = `${table}.${column}`;
    return most > (LARGER[name] ?? MOST_TEXT) ? [`${name}: ${most}`] : [];
  });
  assert.deepEqual(tooLong, []);
  const disallowed = db.prepare("SELECT length(rule) AS n FROM urls WHERE reason = 'robots_disallow'").get();
  assert.ok(Number(disallowed?.["n"]) <= 501, JSON.stringify(disallowed));
});
