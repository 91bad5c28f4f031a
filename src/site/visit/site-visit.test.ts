import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TrawlError } from "../../errors.ts";
import { outsideCrawl } from "../../kernel/product.ts";
import type { Task } from "../../kernel/task.ts";
import { FakeClient, type Scripted } from "../../net/testing/fake-client.ts";
import { RenderError, type RenderResult } from "../../render/contract.ts";
import { type Kind, type SiteMeta, siteMeta } from "../links/link-kinds.ts";
import { LinkTargets } from "../links/link-targets.ts";
import { type FoundLinks, linkObjects } from "../links/site-links.ts";
import { LINK_RENDERED } from "../page/link-types.ts";
import { parseConfig, type SiteOptions } from "../site-config.ts";
import type { Baseline } from "../store/baseline.ts";
import { siteCanonicalizer } from "../url-rules.ts";
import { heldBy, shed } from "./held-bodies.ts";
import type { Render } from "./page-rendering.ts";
import { Visitor } from "./site-visit.ts";

const PAGE = "https://example.com/page";
const HTML = { "content-type": "text/html; charset=utf-8" };

const task = (kind: Kind = "anchor", key = PAGE): Task<SiteMeta> => ({
  ...{ id: 1, place: 1, key, lane: "example.com", depth: 1, parent: 0, attempt: 0, notBefore: 0, hops: 0 },
  meta: siteMeta("spider", kind),
});

interface Visiting {
  kind?: Kind;
  read?: boolean;
  options?: SiteOptions;
  render?: Render;
  baseline?: Partial<Baseline>;
}

async function visiting(answers: Record<string, Scripted>, more: Visiting = {}) {
  const config = parseConfig(more.options ?? {});
  const client = new FakeClient(answers);
  const canonicalize = siteCanonicalizer(config);
  const visitor = new Visitor({
    walls: null,
    keepsBodies: false,
    config,
    client,
    canonicalize,
    targets: new LinkTargets({ canonicalize, isInternal: () => true }),
    render: more.render ?? null,
    baseline: (more.baseline as Baseline | undefined) ?? null,
  });
  // Noted among the requests: a second one waits for the host's clock.
  const context = outsideCrawl({ pace: async () => void client.asked.push("pace") });
  const visit = await visitor.visit(task(more.kind), more.read ?? true, context);
  return { visit, asked: client.asked.map((line) => line.replace(` ${PAGE}`, "")), client };
}

const linksOf = (visit: { links: FoundLinks }) =>
  linkObjects(visit.links).map(({ kind, target }) => `${kind} ${target.url.replace("https://example.com", "")}`);

describe("visit: which requests are made", () => {
  const cases: [name: string, more: Visiting, head: number, type: string, asked: string[]][] = [
    ["a page of the site", {}, 200, "text/html", ["GET"]],
    ["a PAGE of another host: its headers are enough", { read: false }, 200, "text/html", ["HEAD"]],
    ["another host that has moved it", { read: false }, 301, "", ["HEAD"]],
    ["another host that may not know HEAD", { read: false }, 405, "", ["HEAD", "pace", "GET"]],
    ["another host that says not found", { read: false }, 404, "", ["HEAD", "pace", "GET"]],
    ["another host that says later", { read: false }, 429, "", ["HEAD"]],
    ["another host that is overloaded", { read: false }, 503, "", ["HEAD"]],
    ["checkHead: HTML", { options: { checkHead: true } }, 200, "text/html", ["HEAD", "pace", "GET"]],
    ["checkHead: CSS", { options: { checkHead: true } }, 200, "text/css", ["HEAD", "pace", "GET"]],
    ["checkHead: a sitemap", { options: { checkHead: true } }, 200, "application/xml", ["HEAD", "pace", "GET"]],
    ["checkHead: a packed sitemap", { kind: "sitemap", options: { checkHead: true } }, 200, "octets/any", ["GET"]],
    ["checkHead: nobody knows what", { options: { checkHead: true } }, 200, "", ["HEAD", "pace", "GET"]],
    ["checkHead: a film", { options: { checkHead: true } }, 200, "video/mp4", ["HEAD"]],
    ["checkHead: not found, it says", { options: { checkHead: true } }, 404, "text/html", ["HEAD", "pace", "GET"]],
    ["checkHead: later", { options: { checkHead: true } }, 503, "text/html", ["HEAD"]],
    ["checkHead: moved", { options: { checkHead: true } }, 302, "text/html", ["HEAD"]],
    ["checkHead: not modified", { options: { checkHead: true } }, 304, "", ["HEAD"]],
    ["checkHead: HEAD is not known", { options: { checkHead: true } }, 405, "", ["HEAD", "pace", "GET"]],
    ["checkHead: HEAD is not implemented", { options: { checkHead: true } }, 501, "", ["HEAD", "pace", "GET"]],
  ];
  for (const [name, more, status, type, expected] of cases) {
    it(name, async () => {
      const headers: Record<string, string> = type === "" ? {} : { "content-type": type };
      const answers = { [`HEAD ${PAGE}`]: { status, headers }, [`GET ${PAGE}`]: { body: "<p>x", headers: HTML } };
      const { visit, asked } = await visiting(answers, more);
      assert.deepEqual(asked, expected);
      assert.equal(visit.response.status, expected.includes("GET") ? 200 : status);
    });
  }
});

describe("visit: how each kind of content is read", () => {
  const styles = "@import 'more.css'; a { background: url(a.png) }";
  const page = "<title>T</title><a href=/b>b</a>";
  const cases: [name: string, kind: Kind, type: string | null, status: number, body: string, links: string[]][] = [
    ["a page", "anchor", "text/html", 200, page, ["anchor /b"]],
    ["XHTML", "anchor", "Application/XHTML+XML; charset=utf-8", 200, page, ["anchor /b"]],
    ["an error page", "anchor", "text/html", 404, page, ["anchor /b"]],
    ["without a type, what looks like HTML", "anchor", null, 200, `\n ${page}`, ["anchor /b"]],
    ["without a type, what does not", "anchor", null, 200, "plain <a href=/b>", []],
    ["text is not a page", "anchor", "text/plain", 200, page, []],
    ["a prefetched page", "preload", "text/html", 200, page, ["anchor /b"]],
    ["a page met as an image", "image", "text/html", 200, page, ["anchor /b"]],
    ["an error page instead of an image", "image", "text/html", 404, page, []],
    ["an SVG image without a type", "image", null, 200, "<svg><a href=/b /></svg>", []],
    ["styles", "stylesheet", "text/css", 200, styles, ["stylesheet /more.css", "image /a.png"]],
    ["styles met as a link", "anchor", "text/css", 200, styles, ["stylesheet /more.css", "image /a.png"]],
    ["styles without a type", "stylesheet", null, 200, styles, ["stylesheet /more.css", "image /a.png"]],
    ["an error page instead of styles", "stylesheet", "text/html", 404, "<p style='color:url(a.png)'>", []],
  ];
  for (const [name, kind, type, status, body, links] of cases) {
    it(name, async () => {
      const headers: Record<string, string> = type === null ? {} : { "content-type": type };
      const { visit } = await visiting({ [PAGE]: { status, headers, body } }, { kind });
      assert.deepEqual(linksOf(visit), links);
    });
  }

  it("an empty page is a page without words; an empty error says nothing of the kind", async () => {
    const empty = await visiting({ [PAGE]: { headers: HTML } });
    assert.deepEqual([empty.visit.content?.facts.word_count, empty.visit.content?.facts.title_count], [0, 0]);
    const missing = await visiting({ [PAGE]: { status: 404, headers: HTML } });
    assert.equal(missing.visit.content, null);
  });

  it("a page in another encoding has that in the queries of its links, not in their paths", async () => {
    const body = Buffer.from("<link rel=canonical href='?\xe9'><a href='/\xe9?q=\xe9#\xe9'>x</a>", "latin1");
    const { visit } = await visiting({ [PAGE]: { headers: { "content-type": "text/html; charset=latin1" }, body } });
    assert.deepEqual(linksOf(visit), ["canonical /page?%E9", "anchor /%C3%A9?q=%E9"]);
    assert.equal(visit.canonical, `${PAGE}?%E9`);
  });

  it("of another host nothing is read", async () => {
    const answers = { [`HEAD ${PAGE}`]: { status: 404 }, [`GET ${PAGE}`]: { headers: HTML, body: page } };
    const { visit } = await visiting(answers, { read: false });
    assert.deepEqual([visit.content, linksOf(visit)], [null, []]);
  });

  it("a redirect has a target and no content, even with a body", async () => {
    const headers = { ...HTML, location: "/new?utm_source=x#there" };
    const { visit } = await visiting({ [PAGE]: { status: 301, headers, body: page } });
    assert.equal(visit.redirect, "https://example.com/new");
    assert.deepEqual([visit.content, linksOf(visit)], [null, []]);
  });

  it("a redirect to anything but a web address has no target", async () => {
    const { visit } = await visiting({ [PAGE]: { status: 302, headers: { location: "file:///etc/passwd" } } });
    assert.equal(visit.redirect, null);
  });

  it("a sitemap: entries, then the sitemaps of an index; not from an error", async () => {
    const index = "<sitemapindex><sitemap><loc>/more.xml</loc></sitemap></sitemapindex>";
    const read = await visiting({ [PAGE]: { body: index } }, { kind: "sitemap" });
    assert.deepEqual(linksOf(read.visit), ["sitemap /more.xml"]);
    const failed = await visiting({ [PAGE]: { status: 404, body: index } }, { kind: "sitemap" });
    assert.deepEqual(linksOf(failed.visit), []);
    const text = await visiting({ [PAGE]: { body: "https://example.com/a\n" } }, { kind: "sitemap" });
    assert.deepEqual([linksOf(text.visit), text.visit.linksTruncated], [["sitemap-entry /a"], false]);
    const long = await visiting({ [PAGE]: { body: "https://example.com/a\n".repeat(50_001) } }, { kind: "sitemap" });
    assert.equal(long.visit.linksTruncated, true, "the rest is not silently left out");
  });

  it("canonical, base and robots directives of page and header", async () => {
    const headers = { ...HTML, "x-robots-tag": "nofollow" };
    const body = `<base href="/x/"><link rel=canonical href="other"><meta name=robots content=noindex><a href=y>`;
    const { visit } = await visiting({ [PAGE]: { headers, body } });
    assert.equal(visit.canonical, "https://example.com/x/other");
    assert.deepEqual(linksOf(visit), ["canonical /x/other", "anchor /x/y"]);
    assert.deepEqual([visit.directives.noindex, visit.headerDirectives.nofollow], [true, true]);
  });
});

describe("visit: rendering", () => {
  const result: RenderResult = {
    html: "<title>After</title><a href=/b>b</a><a href=/c>c</a>",
    truncated: false,
    finalUrl: PAGE,
    baseUrl: PAGE,
    addresses: [],
    requests: [
      { url: "https://example.com/api", method: "GET", type: "fetch", status: 200, failed: null, blocked: false },
      { url: "https://example.com/post", method: "POST", type: "fetch", status: 200, failed: null, blocked: false },
      { url: "https://example.com/b", method: "GET", type: "fetch", status: 200, failed: null, blocked: false },
    ],
    requestsOmitted: 0,
    consoleErrors: [],
    settled: true,
    problem: null,
    timings: { navigate: 1, settle: 1, total: 2 },
    redirectedTo: null,
    inspections: [],
  };
  const answers = { [PAGE]: { headers: HTML, body: "<title>Before</title><a href=/b>b</a>" } };

  it("keeps the facts apart, and adds the links and requests that only it found", async () => {
    const { visit } = await visiting(answers, { render: async () => result });
    assert.deepEqual([visit.content?.facts.title, visit.rendered?.content.facts.title], ["Before", "After"]);
    assert.deepEqual(linksOf(visit), ["anchor /b", "anchor /c", "request /api"]);
    assert.deepEqual(
      linkObjects(visit.links).map(({ flags }) => flags),
      [0, LINK_RENDERED, LINK_RENDERED],
    );
  });

  it("is what the rendered page says to search engines, with the raw answer next to it", async () => {
    const html = "<link rel=canonical href=/c><meta name=robots content=noindex>";
    const { visit } = await visiting(answers, { render: async () => ({ ...result, html }) });
    assert.deepEqual([visit.canonical, visit.directives.noindex], ["https://example.com/c", true]);
    const { canonical, directives } = visit.rendered!.raw;
    assert.deepEqual([canonical, directives.noindex], [null, false]);
  });

  it("resolves links against the address and base that the page ended with, those that were sent too", async () => {
    const sent = "<a href=./sent>a</a><a href=./gone>b</a><a href=/fixed>c</a>";
    const moved = {
      ...result,
      html: "<a href=./sent>a</a><a href=./made>b</a><a href=/fixed>c</a>",
      finalUrl: "https://example.com/t/app/",
      baseUrl: "https://example.com/t/app/",
      addresses: ["https://example.com/t/", "https://example.com/t/app/", PAGE],
      requests: [],
    };
    const { visit } = await visiting({ [PAGE]: { headers: HTML, body: sent } }, { render: async () => moved });
    assert.deepEqual(linksOf(visit), [
      "anchor /t/app/sent",
      "anchor /gone",
      "anchor /fixed",
      "anchor /t/app/made",
      "route /t/",
      "route /t/app/",
    ]);
    assert.deepEqual(
      linkObjects(visit.links).map(({ flags }) => flags === LINK_RENDERED),
      [false, false, false, true, true, true],
    );
  });

  it("hands over the page with the encoding it was read in: a browser might guess another", async () => {
    const types: string[][] = [];
    const render: Render = async ({ headers }) => {
      types.push(headers.filter(([name]) => name === "content-type").map(([, value]) => value));
      return result;
    };
    for (const type of ["text/html", "", "text/html; charset=unheard-of"]) {
      const headers: Record<string, string> = type === "" ? {} : { "content-type": type };
      await visiting({ [PAGE]: { headers, body: "<p>é" } }, { render });
    }
    assert.deepEqual(types, Array(3).fill(["text/html; charset=utf-8"]));
  });

  it("a page that sends its visitor elsewhere by script is a redirect", async () => {
    const { visit } = await visiting(answers, { render: async () => ({ ...result, redirectedTo: "/away" }) });
    assert.equal(visit.redirect, "https://example.com/away");
  });

  it("a page that reloads itself is not a redirect", async () => {
    const { visit } = await visiting(answers, { render: async () => ({ ...result, redirectedTo: `${PAGE}#again` }) });
    assert.equal(visit.redirect, null);
  });

  it("a page that cannot be rendered keeps its raw facts: it must not end the crawl", async () => {
    const { visit } = await visiting(answers, { render: () => Promise.reject(new RenderError("PAGE_CRASHED")) });
    assert.equal(visit.renderProblem, "tab_crashed");
    assert.deepEqual([visit.content?.facts.title, visit.rendered], ["Before", null]);
    assert.deepEqual(linksOf(visit), ["anchor /b"]);
  });

  it("a browser that cannot be helped does end it", async () => {
    const render = () => Promise.reject(new TrawlError("BROWSER_FAILED"));
    await assert.rejects(visiting(answers, { render }), { code: "BROWSER_FAILED" });
  });

  it("error pages are not rendered", async () => {
    let rendered = 0;
    const render = async () => {
      rendered++;
      return result;
    };
    await visiting({ [PAGE]: { status: 404, headers: HTML, body: "<p>no" } }, { render });
    assert.equal(rendered, 0);
  });
});

describe("visit: not modified", () => {
  const row = { robots_meta: "nofollow", robots_header: "noindex" };
  const words = { position: "content", flags: 0, text: "", context: "", path: "" };
  const links = [{ url: "https://example.com/b", kind: "anchor", via: "spider", ...words }];
  const baseline = {
    validators: () => ({ etag: '"1"', lastModified: null }),
    page: () => ({ row, canonical: "https://example.com/c", links }),
  } as unknown as Partial<Baseline>;

  it("asks with what it knows, and takes facts and links from the earlier crawl", async () => {
    const { visit, client } = await visiting({ [PAGE]: { status: 304 } }, { baseline });
    assert.equal(client.requests[0]!.etag, '"1"');
    assert.deepEqual(linksOf(visit), ["anchor /b"]);
    assert.equal(visit.canonical, "https://example.com/c");
    assert.deepEqual([visit.directives.nofollow, visit.headerDirectives.noindex], [true, true]);
  });

  it("uses the newer header where the answer has one", async () => {
    const answer = { status: 304, headers: { "x-robots-tag": "noarchive" } };
    const { visit } = await visiting({ [PAGE]: answer }, { baseline });
    assert.equal(visit.headerDirectives.noindex, false);
  });

  it("reads the page again when it changed", async () => {
    const { visit } = await visiting({ [PAGE]: { headers: HTML, body: "<a href=/new>" } }, { baseline });
    assert.equal(visit.earlier, null);
    assert.deepEqual(linksOf(visit), ["anchor /new"]);
  });
});

describe("visit: memory of large pages", () => {
  const text = "<p>some words and <a href=/b>a link</a>, ";
  const large = text.repeat(40_000);

  it("once read, little of a large page is kept, and its facts are what they were", async () => {
    const { visit } = await visiting({ [PAGE]: { headers: HTML, body: large } });
    const before = { facts: visit.content!.facts, links: linksOf(visit), size: visit.response.decodedBytes };
    shed(visit);
    assert.equal(visit.response.body.length, 65_536);
    assert.deepEqual([visit.html, visit.content!.links.source.bytes.length], [null, 0]);
    assert.ok(heldBy(visit) < 4_000_000, String(heldBy(visit)));
    assert.deepEqual({ facts: visit.content!.facts, links: linksOf(visit), size: visit.response.decodedBytes }, before);
    assert.equal(linkObjects(visit.links).at(-1)!.text, "a link");
    const small = await visiting({ [PAGE]: { headers: HTML, body: text } });
    shed(small.visit);
    assert.equal(small.visit.html!.toString(), text);
  });

  it("headers count: an answer may have more of them than body", async () => {
    const { visit } = await visiting({ [PAGE]: { headers: { ...HTML, "x-long": "x".repeat(100_000) }, body: text } });
    assert.ok(heldBy(visit) > 100_000, String(heldBy(visit)));
  });

  it("a page that becomes too long as UTF-8 is cut, and says so", async () => {
    const headers = { "content-type": "text/html; charset=windows-1252" };
    const body = Buffer.alloc(2_000, 0x80);
    const { visit } = await visiting({ [PAGE]: { headers, body } }, { options: { maxBytes: 2_000 } });
    assert.deepEqual([visit.response.truncated, visit.html!.toString()], ["decoded", "€".repeat(833)]);
  });

  it("of a style sheet, as many links are read as of a page", async () => {
    const headers = { "content-type": "text/css" };
    const body = Array.from({ length: 10 }, (_, at) => `a { background: url(${at}.png) }`).join("\n");
    const { visit } = await visiting({ [PAGE]: { headers, body } }, { options: { maxLinksPerPage: 4 } });
    assert.deepEqual([visit.links.targets.length, visit.linksTruncated], [4, true]);
  });
});
