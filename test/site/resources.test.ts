/** Resources: what a page is made of, found in markup and in style sheets, on the site's hosts and on others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CrawlOptions } from "../../src/index.ts";
import { crawlInto, facts } from "./crawling.ts";
import { type Answer, linking, tableSite } from "./table-site.ts";

const css = (body: string): Answer => ({ type: "text/css", body });
const file = (type: string): Answer => ({ type, body: "x" });

test("each with its kind, how it was found, and on what", async (t) => {
  const site = await tableSite(t, {
    "/": `<link rel=stylesheet href=/style.css><link rel=icon href=/icon.ico><link rel=manifest href=/app.json>
      <script src=/app.js></script><img src=/a.png srcset="/a2.png 2x, /a3.png 3x" loading=lazy data-src=/lazy.png>
      <picture><source srcset="/b.webp 480w"></picture><video src=/v.mp4 poster=/p.png><track src=/t.vtt></video>
      <object data=/o.pdf></object><iframe src=/frame></iframe><a href=/page>page</a>
      <div style="background: url('/inline.png')"></div><form action=/send></form>`,
    "/style.css": css(`@import "more.css"; @font-face { src: url(/f.woff2) format("woff2"), url(/f.woff) }
      a { background: url( 'img/bg.png' ) } b { background: url(data:image/png;base64,AAAA) }`),
    "/more.css": css("i { background: url(/deep.png) }"),
    "/frame": "<p>x",
    "/page": "<p>x",
    "/a.png": file("image/png"),
    "/f.woff2": file("font/woff2"),
  });
  const { database } = await crawlInto(t, site.url, { discovery: ["spider"] });
  const rows = facts(database, site.origin, "kind via foundOn verdict");
  const expected: Record<string, [kind: string, via: string, on?: string]> = {
    "/style.css": ["stylesheet", "resource"],
    "/icon.ico": ["icon", "resource"],
    "/app.json": ["manifest", "resource"],
    "/app.js": ["script", "resource"],
    "/a.png": ["image", "resource"],
    "/a2.png": ["image", "resource"],
    "/a3.png": ["image", "resource"],
    "/lazy.png": ["image", "resource"],
    "/b.webp": ["image", "resource"],
    "/v.mp4": ["media", "resource"],
    "/p.png": ["image", "resource"],
    "/t.vtt": ["media", "resource"],
    "/o.pdf": ["object", "resource"],
    "/frame": ["iframe", "spider"],
    "/page": ["anchor", "spider"],
    "/inline.png": ["image", "resource"],
    "/more.css": ["stylesheet", "resource", "/style.css"],
    "/f.woff2": ["font", "resource", "/style.css"],
    "/f.woff": ["font", "resource", "/style.css"],
    "/img/bg.png": ["image", "resource", "/style.css"],
    "/deep.png": ["image", "resource", "/more.css"],
  };
  for (const [path, [kind, via, on = "/"]] of Object.entries(expected)) {
    assert.deepEqual(rows[path], [kind, via, on, "crawl"], path);
  }
  assert.deepEqual(rows["/send"], ["form", "spider", "/", "record"]);
  assert.ok(!site.asked().includes("GET /send"), "forms are not submitted");
  const types = facts(database, site.origin, "contentType indexable");
  assert.deepEqual(
    [types["/a.png"], types["/f.woff2"]],
    [
      ["image/png", null],
      ["font/woff2", null],
    ],
  );
});

test("turned off: recorded and not fetched, unless there is also a link to it", async (t) => {
  const site = await tableSite(t, {
    "/": `<img src=/a.png><img src=/b.png>${linking("/a.png")}<link rel=stylesheet href=/style.css>`,
    "/a.png": file("image/png"),
    "/style.css": css("a { background: url(/c.png) }"),
  });
  const { database } = await crawlInto(t, site.url, { discovery: ["spider"], checkResources: false });
  assert.deepEqual(facts(database, site.origin, "verdict reason kind", ["depth=1"]), {
    "/a.png": ["crawl", null, "anchor"],
    "/b.png": ["record", "resources_off", "image"],
    "/style.css": ["record", "resources_off", "stylesheet"],
  });
});

test("resources are checked whatever discovery says, by type", async (t) => {
  const table = {
    "/": `<img src=/a.png><link rel=icon href=/i.ico><script src=/s.js></script><link rel=stylesheet href=/s.css>
      <video src=/v.mp4></video><link rel=manifest href=/m.json>`,
    "/s.css": css("@font-face { src: url(/f.woff2) }"),
  };
  const fetched = async (options: CrawlOptions) => {
    const site = await tableSite(t, table);
    await crawlInto(t, site.url, { retries: 0, ...options });
    return site
      .asked()
      .map((line) => line.slice(5))
      .sort();
  };
  const all = ["", "a.png", "f.woff2", "i.ico", "m.json", "s.css", "s.js", "v.mp4"];
  assert.deepEqual(await fetched({ discovery: ["spider"] }), all);
  assert.deepEqual(await fetched({ discovery: ["sitemap"] }), all);
  assert.deepEqual(await fetched({ discovery: ["spider", "resources"] }), all, "as in older settings");
  assert.deepEqual(await fetched({ checkResources: false }), [""]);
  assert.deepEqual(await fetched({ resourceTypes: [] }), [""]);
  assert.deepEqual(await fetched({ resourceTypes: ["image"] }), ["", "a.png", "i.ico"]);
  assert.deepEqual(await fetched({ resourceTypes: ["style", "font"] }), ["", "f.woff2", "s.css"]);
  assert.deepEqual(await fetched({ resourceTypes: ["script", "media", "other"] }), ["", "m.json", "s.js", "v.mp4"]);
});

test("on other hosts only headers are requested; a host that does not support HEAD gets another request, in its turn", async (t) => {
  const other = await tableSite(t, {
    "/good.png": file("image/png"),
    "/no-head.png": (request, response) => {
      response.writeHead(request.method === "HEAD" ? 405 : 200, { "content-type": "image/png" }).end();
    },
    "/later.png": { status: 429, headers: { "retry-after": "0" } },
    "/other.css": css("a { background: url(/never.png) }"),
  });
  const names = ["good.png", "no-head.png", "missing.png", "later.png"];
  const site = await tableSite(t, {
    "/": `${names.map((name) => `<img src=${other.url}${name}>`).join("")}<link rel=stylesheet href=${other.url}other.css>`,
  });
  const options = { discovery: ["spider" as const], allowPrivate: true, retries: 0 };
  const { database } = await crawlInto(t, site.url, options);
  assert.deepEqual(facts(database, other.origin, "status kind", ["kind!=start"]), {
    "/good.png": [200, "image"],
    "/no-head.png": [200, "image"],
    "/missing.png": [404, "image"],
    "/later.png": [429, "image"],
    "/other.css": [200, "stylesheet"],
  });
  assert.deepEqual(other.asked().sort(), [
    "GET /missing.png",
    "GET /no-head.png",
    "HEAD /good.png",
    "HEAD /later.png",
    "HEAD /missing.png",
    "HEAD /no-head.png",
    "HEAD /other.css",
  ]);
  other.requests.length = 0;
  const unchecked = await crawlInto(t, site.url, { ...options, checkExternalResources: false });
  const reasons = Object.values(facts(unchecked.database, other.origin, "reason", ["kind!=start"]));
  assert.deepEqual(new Set(reasons), new Set(["external_resource"]));
  assert.deepEqual(other.requests, []);
});

test("the page that stands in for a missing style sheet is not read as one", async (t) => {
  const site = await tableSite(t, {
    "/": "<link rel=stylesheet href=/gone.css><link rel=stylesheet href=/soft.css>",
    "/gone.css": { status: 404, type: "text/html", body: "<p style='background:url(/x.png)'>no" },
    "/soft.css": "<p style='background:url(/y.png)'>no</p>",
  });
  const { database } = await crawlInto(t, site.url, { discovery: ["spider"] });
  const rows = facts(database, site.origin, "status");
  assert.ok(!("/x.png" in rows));
  assert.equal(rows["/soft.css"], 200);
});

test("a single page: the page and its resources", async (t) => {
  const site = await tableSite(t, {
    "/": `${linking("/page")}<img src=/a.png><link rel=stylesheet href=/s.css><link rel=preload href=/f.js as=script>
      <script src=/f.js></script>`,
    "/s.css": css("a { background: url(/b.png) }"),
  });
  const { database } = await crawlInto(t, site.url, { singlePage: true });
  assert.deepEqual(facts(database, site.origin, "verdict reason"), {
    "/": ["crawl", null],
    "/page": ["record", "single_page"],
    "/a.png": ["crawl", null],
    "/s.css": ["crawl", null],
    "/f.js": ["crawl", null],
    "/b.png": ["crawl", null],
  });
});
