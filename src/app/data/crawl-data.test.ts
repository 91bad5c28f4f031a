import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { z } from "zod";
import type { App } from "../app.ts";
import { compare, crawls, links, sql, urls } from "../operations/index.ts";
import type { Operation } from "../operations/operation.ts";
import { smallSite } from "../testing/small-site.ts";
import { temporaryApp } from "../testing/temporary-app.ts";

/** As a transport does: defaults by the schema of the operation, and an answer of exactly its shape. */
async function ask<Input extends z.ZodObject, Output extends z.ZodType>(
  app: App,
  operation: Operation<Input, Output>,
  input: z.input<Input>,
): Promise<z.output<Output>> {
  // As JSON: rows of the database have no prototype.
  const answer = JSON.parse(JSON.stringify(await operation.run(app, operation.input.parse(input))));
  const parsed = operation.output.parse(answer);
  assert.deepEqual(answer, parsed, `${operation.name} answers with what its schema does not know`);
  return parsed;
}

async function crawled(t: TestContext, pages = 31) {
  const answers = { title: "Page 2" };
  const site = await smallSite(t, pages, (path, response) => {
    if (path !== "/page/2") return false;
    response.writeHead(200, { "content-type": "text/html", etag: `"${answers.title}"` });
    response.end(
      `<title>${answers.title}</title><h1>x</h1><a href="/page/4">4</a><a href="/old">old</a><a href="/page/5">5</a>`,
    );
    return true;
  });
  const temporary = temporaryApp(t);
  const id = await temporary.crawl(site.url, { exclude: ["*/page/7*"] });
  return { ...temporary, site, id, answers };
}

test("crawl data: URLs come a page at a time, by cursor or from any place, with the same total", async (t) => {
  const { app, id } = await crawled(t);
  const query = { id, fields: ["url", "depth"], filter: ["status=200"], sort: "-depth", limit: 10 };
  const all: unknown[] = [];
  let cursor: string | null = null;
  do {
    const page: { total: number; rows: unknown[]; next: string | null } = await ask(app, urls.listUrls, {
      ...query,
      cursor,
    });
    assert.equal(page.total, 24);
    all.push(...page.rows);
    cursor = page.next;
  } while (cursor !== null);
  assert.equal(all.length, 24);
  assert.equal(new Set(all.map((row) => JSON.stringify(row))).size, 24);
  const middle = await ask(app, urls.listUrls, { ...query, offset: 12 });
  assert.deepEqual(middle.rows, all.slice(12, 22));
  assert.deepEqual((await ask(app, urls.listUrls, { ...query, offset: 500 })).rows, []);
  for (const bad of [
    "x",
    "!!",
    Buffer.from('[0,"a"]').toString("base64url"),
    Buffer.from("[]").toString("base64url"),
  ]) {
    await assert.rejects(ask(app, urls.listUrls, { ...query, cursor: bad }), { code: "BAD_USAGE" });
  }
  await assert.rejects(ask(app, urls.listUrls, { id, fields: ["colour"] }), { code: "BAD_USAGE" });
  await assert.rejects(ask(app, urls.listUrls, { id: 9 }), { code: "CRAWL_NOT_FOUND" });
  assert.equal((await ask(app, urls.listFields, {})).total > 40, true);
});

test("crawl data: views are counted as they are listed, and a wrong filter is refused", async (t) => {
  const { app, id } = await crawled(t);
  const views = [{ filter: [] }, { filter: ["status=200"] }, { filter: ["status=200"], search: "page/1" }];
  const { totals } = await ask(app, urls.countUrls, { id, views });
  const listed = await Promise.all(views.map((view) => ask(app, urls.listUrls, { id, ...view })));
  assert.deepEqual(
    totals,
    listed.map(({ total }) => total),
  );
  await assert.rejects(async () => app.crawlData.counts({ id, views: [{ filter: ["colour=red"], search: null }] }), {
    code: "BAD_USAGE",
  });
});

test("crawl data: a page of the list goes on behind the same URL when the crawl has moved on", async (t) => {
  const { app, id } = await crawled(t);
  const first = await ask(app, urls.listUrls, { id, fields: ["url"], sort: "-url", limit: 3 });
  const { registry } = app.crawls;
  const all = await ask(app, urls.listUrls, { id, fields: ["url"], sort: "-url", limit: 100 });
  // A row that sorts before the place: without the id in the cursor, one would be given twice.
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(app.home.crawlDatabase(id));
  db.exec(`INSERT INTO urls (id, url, verdict, place, depth, parent, via, kind, hops)
           SELECT 9999, 'http://zzz.test/', 'record', 9999, 1, 1, 2, 0, 0`);
  db.close();
  registry.updateCrawl(id, { ...registry.crawl(id), discovered: 9999, progress: null });
  // It is computed again once the first has rested.
  let second = await ask(app, urls.listUrls, { id, fields: ["url"], sort: "-url", limit: 3, cursor: first.next });
  while (second.total === all.total) {
    second = await ask(app, urls.listUrls, { id, fields: ["url"], sort: "-url", limit: 3, cursor: first.next });
  }
  assert.deepEqual(second.rows, all.rows.slice(3, 6));
});

test("crawl data: results in the seed's words", async (t) => {
  const { app, id, site } = await crawled(t);
  const { crawlInfo, results, total, next } = await ask(app, crawls.getCrawl, { id, limit: 2 });
  const { state, pagesCrawled, urlsCrawled } = crawlInfo;
  assert.deepEqual([state, pagesCrawled, urlsCrawled, total], ["completed", 24, 25, 25], "one of them is not there");
  const { contentHash, ...first } = results[0]!;
  assert.deepEqual(first, {
    url: site.url,
    visited: true,
    status: 200,
    title: "Page 1",
    metaDescription: null,
    indexable: "Yes",
    contentType: "text/html",
    error: null,
  });
  assert.match(contentHash!, /^[0-9a-f]{16,}$/);
  assert.ok(Math.abs(crawlInfo.crawlDateTime - Date.now() / 1000) < 3_600, "seconds");
  assert.equal((await ask(app, crawls.getCrawl, { id, limit: 2, cursor: next })).results[0]!.title, "Page 3");
});

test("crawl data: results hold what was only recorded, and `next` leads to all of them", async (t) => {
  const site = await smallSite(t, 1, (path, response) => {
    if (path !== "/") return false;
    response.setHeader("content-type", "text/html");
    response.end(
      '<meta name=description content="All of it"><a href="/i.png">i</a><a href="https://other.test/">o</a><a href="/_next/data/x.json">n</a>',
    );
    return true;
  });
  const { app, crawl } = temporaryApp(t, { favicons: false });
  const id = await crawl(site.url);
  const rows = [];
  let cursor: string | null = null;
  do {
    const page: { results: Record<string, unknown>[]; next: string | null } = await ask(app, crawls.getCrawl, {
      id,
      limit: 1,
      cursor,
    });
    rows.push(...page.results);
    cursor = page.next;
  } while (cursor !== null);
  assert.deepEqual(
    rows.map(({ url, visited, status, metaDescription, indexable }) => [
      url,
      visited,
      status,
      metaDescription,
      indexable,
    ]),
    [
      [site.url, true, 200, "All of it", "Yes"],
      [`${site.url}i.png`, true, 404, null, "No"],
      ["https://other.test/", false, null, null, "-"],
      [`${site.url}_next/data/x.json`, false, null, null, "-"],
    ],
  );
  const { outlinks } = await ask(app, links.getPageLinks, { id, url: "/" });
  assert.deepEqual(
    outlinks.map(({ contentType }) => contentType),
    ["text/plain", null, null],
  );
});

test("crawl data: overview, decisions and why", async (t) => {
  const { app, id, site } = await crawled(t);
  const overview = await ask(app, crawls.getOverview, { id });
  assert.deepEqual([overview.crawled, overview.previousId, overview.brokenTotal], [25, null, 1]);
  const { filter: _, ...first } = overview.depths[0]!;
  assert.deepEqual(first, {
    ...{ depth: 0, total: 1, ok: 1, redirect: 0, clientError: 0, serverError: 0, noAnswer: 0 },
    ...{ client: 0, server: 0, failed: 0 },
  });
  assert.deepEqual(overview.responseTimes[0]!.fromMs, 0);
  assert.equal(overview.responseTimes.at(-1)!.toMs, null);
  const decided = await ask(app, urls.listDecisions, { id });
  assert.deepEqual(decided.rows, [
    { reason: "excluded", rule: "*/page/7*", verdict: "skip", count: 1, examples: [`${site.url}page/7`] },
  ]);
  assert.equal(decided.reasons[0]!.setting, "exclude");
  assert.equal((await ask(app, urls.listDecisions, { id, reason: "external" })).total, 0);
  const why = await ask(app, urls.whyUrl, { id, url: "/page/7" });
  assert.deepEqual([why.verdict, why.reason, why.setting!.name], ["skip", "excluded", "exclude"]);
  assert.deepEqual(
    why.path.map(({ url }) => new URL(url).pathname),
    ["/", "/page/3", "/page/7"],
  );
  assert.deepEqual(why.way, why.path, "the name of 0.1 keeps working");
  await assert.rejects(ask(app, urls.whyUrl, { id, url: "/nowhere" }), { code: "URL_NOT_IN_CRAWL" });
});

test("crawl data: a URL, its links both ways, the graph and the tree", async (t) => {
  const { app, id, site } = await crawled(t);
  const url = await ask(app, urls.getUrl, { id, url: "/page/3?utm_source=x" });
  assert.deepEqual(
    [url.url, url.facts["title"], url.linksIn, url.linksOut, url.hasHtml],
    [`${site.url}page/3`, "Page 3", 1, 2, false],
  );
  assert.ok(url.headers.some(([name]) => name === "etag"));
  const out = await ask(app, links.listLinks, { id, url: "/page/2", direction: "out", limit: 2 });
  const rest = await ask(app, links.listLinks, { id, url: "/page/2", direction: "out", limit: 2, cursor: out.next });
  assert.deepEqual(
    [...out.rows, ...rest.rows].map(({ text }) => text),
    ["4", "old", "5"],
  );
  assert.deepEqual([out.total, rest.next], [3, null]);
  await assert.rejects(ask(app, links.listLinks, { id, url: "/", direction: "in", cursor: "a" }), {
    code: "BAD_USAGE",
  });
  const both = await ask(app, links.getPageLinks, { id, url: `${site.url}page/2` });
  assert.deepEqual([both.inlinksTotal, both.outlinksTotal, both.inlinks[0]!.url], [1, 3, site.url]);
  const graph = await ask(app, links.getGraph, { id, nodes: 5 });
  assert.deepEqual([graph.nodes.length, graph.totalNodes], [5, 25]);
  const roots = await ask(app, links.getTree, { id });
  assert.deepEqual([roots.total, roots.rows[0]!.url, roots.rows[0]!.children], [1, site.url, 2]);
  const children = await ask(app, links.getTree, { id, url: site.url, limit: 1 });
  assert.equal(children.rows[0]!.url, `${site.url}page/2`);
  assert.equal((await ask(app, links.getTree, { id, url: site.url, limit: 1, cursor: children.next })).rows.length, 1);
});

test("crawl data: two crawls compared, and a URL's history through all of them", async (t) => {
  const { app, id: first, site, answers, crawl } = await crawled(t);
  answers.title = "Another title";
  const second = await crawl(site.url, { maxUrls: 20 });
  const changes = await ask(app, compare.compareCrawls, { id: second, other: first });
  assert.equal(changes.counts.changed, 1);
  assert.equal(changes.counts.notCrawled > 0, true);
  assert.deepEqual(
    changes.fields.map(({ field }) => field),
    ["title"],
  );
  const { rows } = await ask(app, compare.compareCrawls, { id: second, other: first, change: "changed" });
  assert.deepEqual(rows[0]!.fields, [{ field: "title", before: "Page 2", after: "Another title" }]);
  await assert.rejects(ask(app, compare.compareCrawls, { id: second, other: first, field: "colour" }), {
    code: "BAD_USAGE",
  });
  await assert.rejects(ask(app, compare.compareCrawls, { id: second, other: 99 }), { code: "CRAWL_NOT_FOUND" });
  assert.equal((await ask(app, crawls.getOverview, { id: second })).previousId, first);

  const { rows: history } = await ask(app, urls.getUrlHistory, { id: second, url: "/page/2" });
  assert.deepEqual(
    history.map(({ crawlId, title, status, wasMet, hasChanged }) => [crawlId, title, status, wasMet, hasChanged]),
    [
      [second, "Another title", 200, true, false],
      [first, "Page 2", 200, true, false],
    ],
  );
  const { rows: gone } = await ask(app, urls.getUrlHistory, { id: second, url: "/page/23" });
  assert.deepEqual(
    gone.map(({ wasMet, verdict, hasChanged }) => [wasMet, verdict, hasChanged]),
    [
      [true, "skip", false],
      [true, "crawl", false],
    ],
  );
  answers.title = "A third title";
  const third = await crawl(site.url, {});
  const { rows: across } = await ask(app, urls.getUrlHistory, { id: third, url: "/page/23" });
  assert.deepEqual(
    across.map(({ wasFetched, hasChanged }) => [wasFetched, hasChanged]),
    [
      [true, false],
      [false, false],
      [true, false],
    ],
    "a crawl that did not fetch it says nothing about changes",
  );
});

test("crawl data: SQL can query only the crawl's own tables", async (t) => {
  const { app, id } = await crawled(t);
  const answer = await ask(app, sql.querySql, { id, sql: "SELECT status, count(*) AS n FROM pages GROUP BY 1" });
  assert.deepEqual(
    [answer.columns, answer.rows, answer.truncated],
    [
      ["status", "n"],
      [
        [200, 24],
        [404, 1],
      ],
      false,
    ],
  );
  assert.equal((await ask(app, sql.querySql, { id, sql: "SELECT id FROM urls", limit: 3 })).truncated, true);
  await assert.rejects(ask(app, sql.querySql, { id, sql: "DELETE FROM urls" }), { code: "BAD_SQL" });
  await assert.rejects(ask(app, sql.querySql, { id: 9, sql: "SELECT 1" }), { code: "CRAWL_NOT_FOUND" });
  assert.ok((await ask(app, sql.listTables, {})).total > 3);
});

test("crawl data: a deleted crawl and its files are removed", async (t) => {
  const { app, id, site, crawl } = await crawled(t);
  const second = await crawl(site.url);
  await ask(app, urls.listUrls, { id });
  await ask(app, compare.compareCrawls, { id: second, other: id });
  assert.deepEqual(await ask(app, crawls.deleteCrawl, { id }), { done: true });
  await assert.rejects(ask(app, urls.listUrls, { id }), { code: "CRAWL_NOT_FOUND" });
  await assert.rejects(ask(app, compare.compareCrawls, { id: second, other: id }), { code: "CRAWL_NOT_FOUND" });
  assert.equal((await ask(app, urls.getUrlHistory, { id: second, url: "/" })).total, 1);
});
