/** Every fact that is found by name, from a page on a server to the list, the export, and the 304 of the next crawl. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { exportFields, exportRows, urlPieces } from "../../src/site/export/export-rows.ts";
import type { Fact } from "../../src/site/facts/fact.ts";
import { FACTS } from "../../src/site/facts/fact-table.ts";
import { fieldName } from "../../src/site/facts/field-names.ts";
import { parseConfig } from "../../src/site/site-config.ts";
import { SiteCrawl } from "../../src/site/site-crawl.ts";
import { seedSources } from "../../src/site/site-seeds.ts";
import { SiteReader } from "../../src/site/store/reader.ts";
import { sqliteSiteStore } from "../../src/site/store/site-store.ts";
import { listUrls } from "../../src/site/testing/list-urls.ts";
import { temporaryFolder } from "./crawling.ts";
import { type Answer, tableSite } from "./table-site.ts";

const NAMED = Object.entries<Fact>(FACTS).flatMap(([name, { read }]) => {
  const value = `the ${name.replaceAll("_", " ")}`;
  if (read.from === "meta") {
    return [{ name, value, html: `<meta ${read.property ? "property" : "name"}="${read.name}" content="${value}">` }];
  }
  return read.from === "link" ? [{ name, value, html: `<link rel="${read.rel}" href="${value}">` }] : [];
});

async function crawl(t: TestContext, url: string, database: string, baseline: string | null) {
  async function* batches() {
    yield [url];
  }
  const started = await SiteCrawl.start({
    store: () => sqliteSiteStore(database),
    ...{ baseline, config: parseConfig({ discovery: ["spider"], checkResources: false }), startUrls: [url] },
    sources: seedSources({ via: "initial", batches: batches() }),
  });
  assert.equal((await started.ended).state, "completed");
  const reader = new SiteReader(database);
  t.after(() => reader.close());
  return reader;
}

test("facts get from the page to lists and exports, and are still valid after a 304", async (t) => {
  const html = `<html lang="en"><title>x</title>${NAMED.map((fact) => fact.html).join("")}
    <link rel="next" href="/2"><link rel="alternate" hreflang="de" href="/de">`;
  const page: Answer = (request, response) => {
    if (request.headers["if-none-match"] === '"1"') response.writeHead(304).end();
    else response.writeHead(200, { "content-type": "text/html", etag: '"1"' }).end(html);
  };
  const site = await tableSite(t, { "/": page });
  const [before, after] = [join(temporaryFolder(t), "before.db"), join(temporaryFolder(t), "after.db")];
  const first = await crawl(t, site.url, before, null);
  const second = await crawl(t, site.url, after, before);
  const names = [...NAMED.map(({ name }) => name), "language", "next", "hreflang", "canonical_count"];
  const expected = [...NAMED.map(({ value }) => value), "en", `${site.origin}/2`, '[["de","/de"]]', 0];
  for (const [reader, notModified] of [
    [first, false],
    [second, true],
  ] as const) {
    const query = { filters: [`url=${site.url}`], search: null, sort: null };
    const rows = listUrls(reader, { ...query, fields: ["status", "notModified", ...names] });
    assert.deepEqual(
      ["status", "notModified", ...names].map((name) => rows[0]![name]),
      [200, notModified, ...expected],
    );
    const fields = exportFields("urls", null);
    const rowsOut = exportRows(reader, { ...query, what: "urls", fields });
    const line = [...urlPieces(rowsOut, { format: "jsonl", fields, raw: false })]
      .map(({ bytes }) => bytes.toString())
      .join("");
    assert.partialDeepStrictEqual(
      JSON.parse(line),
      Object.fromEntries(NAMED.map(({ name, value }) => [fieldName(name), value])),
    );
  }
});
