/** Every figure about a crawl equals the list it opens, on every surface, and no two of them disagree. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as crawls from "../../src/app/operations/crawls.ts";
import * as projects from "../../src/app/operations/crawls.ts";
import { ask } from "../../src/app/operations/operation.ts";
import * as urls from "../../src/app/operations/urls.ts";
import { temporaryApp } from "../../src/app/testing/temporary-app.ts";
import { startDemoSite } from "../../src/demo/index.ts";
import { BUILT_IN_VIEWS } from "../../ui/src/screens/explorer/built-in-views.ts";
import { linking, redirect, tableSite, text } from "./table-site.ts";

interface Figure {
  path: string;
  count: number;
  filter: string[];
}

/** Whatever in an answer has filters, with the count next to them. */
function figuresIn(answer: unknown, path = ""): Figure[] {
  if (typeof answer !== "object" || answer === null) return [];
  const row = answer as Record<string, unknown>;
  const inner = Object.entries(row).flatMap(([name, value]) => figuresIn(value, `${path}/${name}`));
  if (!Array.isArray(row["filter"])) return inner;
  const count = row["count"] ?? row["total"] ?? row["urls"] ?? row["pages"];
  assert.equal(typeof count, "number", `${path} has filters, but no count`);
  return [{ path, count: count as number, filter: row["filter"] as string[] }, ...inner];
}

test("the demo site: every figure of every answer equals the list it opens", async (t) => {
  const site = await startDemoSite();
  t.after(() => site.close());
  const { app } = temporaryApp(t);
  const settings = { maxUrlsPerPattern: 20, maxUrls: 400, retries: 0 };
  const { crawlId: id } = await app.activeCrawls.start({ url: site.url, settings, since: null });
  const active = app.activeCrawls.running(id);
  await active.ended;
  const listed = async (filter: string[]) => (await ask(app, urls.listUrls, { id, filter, limit: 1 })).total;

  const overview = await ask(app, crawls.getOverview, { id });
  const described = await ask(app, crawls.describeCrawl, { id });
  const figures = [...figuresIn(overview, "overview"), ...figuresIn(described, "crawl")];
  assert.ok(figures.length > 60, `only ${figures.length} figures`);
  for (const { path, count, filter } of figures) {
    assert.equal(await listed(filter), count, `${path}: ${filter.join(", ")}`);
  }
  for (const { host, crawled, broken, errors, filter } of overview.hosts) {
    const parts = [
      await listed([...filter, ...overview.numbers.crawled.filter]),
      await listed([...filter, "outcome=broken"]),
      await listed([...filter, "error!="]),
    ];
    assert.deepEqual(parts, [crawled, broken, errors], host);
  }

  // The parts add up to the whole.
  const { numbers } = overview;
  const n = (name: keyof typeof numbers) => numbers[name].count;
  assert.equal(n("found"), n("crawled") + n("queued") + n("notCrawled"));
  assert.equal(n("crawled"), n("pages") + n("files") + n("redirects") + n("broken"));
  assert.equal(n("pages"), n("indexable") + n("notIndexable"));
  assert.ok(n("pages") > 0 && n("broken") > 0 && n("redirects") > 0 && n("external") > 0);

  // Every surface says the same.
  const info = (await ask(app, projects.listProjectCrawls, { id: overview.crawlInfo.projectId })).rows[0]!;
  const [project] = (await ask(app, projects.listProjects, {})).rows;
  const { progress } = app.activeCrawls.live(id);
  const record = (await ask(app, crawls.listCrawls, {})).rows[0]!;
  const pages = [
    info.pagesCrawled,
    project!.pagesCrawled,
    progress.pagesCrawled,
    record.pages,
    described.summary.pages,
  ];
  assert.deepEqual(pages, Array(5).fill(n("pages")));
  const crawled = [info.urlsCrawled, progress.urlsCrawled, record.crawled, described.summary.crawled, overview.crawled];
  assert.deepEqual(crawled, Array(5).fill(n("crawled")));
  const found = [info.urlsDiscovered, progress.totalDiscovered, record.discovered, overview.discovered];
  assert.deepEqual(found, Array(4).fill(n("found")));
  assert.deepEqual([progress.broken, overview.brokenTotal], [n("broken"), n("broken")]);
  assert.deepEqual([progress.errors, overview.failed], [n("errors"), n("errors")]);
  const live = active.counts();
  assert.deepEqual(
    [live.pages, live.crawled, live.broken],
    [n("pages"), n("crawled"), n("broken")],
    "as it was counted",
  );
  assert.equal(progress.recorded + progress.skipped, n("notCrawled"));
  assert.equal(record.ending?.left, await listed(["reason=max_urls"]));

  // So do the views of the web app.
  const view = async (name: string) => listed(BUILT_IN_VIEWS.find((one) => one.name === name)!.filter);
  assert.equal(await view("Pages"), n("pages"));
  assert.equal(await view("Broken"), n("broken"));
  assert.equal(await view("Not crawled"), n("notCrawled"));
  assert.equal(await view("Not indexable"), n("notIndexable"));
  assert.equal(await view("Same content"), overview.duplicates.pages);
});

test("a guessed sitemap that is not there, and icons, are nobody's broken page and nobody's depth 0", async (t) => {
  const site = await tableSite(t, {
    "/": "<link rel=icon href=/favicon.ico><link rel=stylesheet href=/style.css><a href=/a>a",
    "/style.css": { type: "text/css", body: "a{}" },
    "/favicon.ico": { type: "image/png", body: "png" },
    "/a": "<p>words",
  });
  const { app, crawl } = temporaryApp(t);
  const id = await crawl(site.url, { discovery: ["spider", "sitemap"], checkResources: true });
  const { numbers, depths, statuses, reasons } = await app.crawlData.overview(id);
  assert.deepEqual([numbers.broken.count, numbers.pages.count, numbers.crawled.count], [0, 2, 4]);
  assert.deepEqual(
    depths.map(({ depth, total }) => [depth, total]),
    [
      [0, 1],
      [1, 1],
    ],
  );
  assert.deepEqual(
    statuses.map(({ value, count }) => [value, count]),
    [[200, 4]],
  );
  assert.deepEqual(
    reasons.map(({ value }) => value),
    ["no_sitemap"],
  );
});

test("a sitemap that somebody names or links to and that is not there is broken", async (t) => {
  const named = await tableSite(t, { "/": "<p>x", "/robots.txt": text("Sitemap: /sitemap.xml") });
  const linked = await tableSite(t, { "/": linking("/sitemap.xml") });
  const soft = await tableSite(t, { "/": "<p>x", "/sitemap.xml": "<title>Not found</title>" });
  const moved = await tableSite(t, { "/": "<p>x", "/sitemap.xml": redirect("/nowhere.xml") });
  const { app, crawl } = temporaryApp(t);
  const counts = [];
  for (const { url } of [named, linked, soft, moved]) {
    const { numbers } = await app.crawlData.overview(await crawl(url, { discovery: ["spider", "sitemap"] }));
    counts.push([numbers.broken.count, numbers.pages.count, numbers.files.count, numbers.redirects.count]);
  }
  assert.deepEqual(counts, [
    [1, 1, 0, 0],
    [1, 1, 0, 0],
    [0, 1, 0, 0],
    [0, 1, 0, 1],
  ]);
});
