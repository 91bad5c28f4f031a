import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Found, Task } from "../../kernel/task.ts";
import { STORED_LINK_STRIDE } from "../../web/html/link-rows.ts";
import { prepareBase } from "../../web/url.ts";
import { extractPage } from "../page/extract-page.ts";
import { LINK_INTERNAL, LINK_NOFOLLOW, LINK_RENDERED, LINK_SPONSORED, LINK_UGC } from "../page/link-types.ts";
import { LINK_POSITIONS } from "../page/page-content.ts";
import { parseConfig } from "../site-config.ts";
import { eachText, TextDictionary } from "../text-dictionary.ts";
import { siteCanonicalizer } from "../url-rules.ts";
import { kindNumber, NOFOLLOW, type SiteMeta, siteMeta, viaOfKind } from "./link-kinds.ts";
import { LinkTargets } from "./link-targets.ts";
import {
  foundLinks,
  type LinkObject,
  type LinkSource,
  linkObjects,
  offerLinks,
  offerRedirect,
  plainLink,
  renderedOnly,
  resolveLinks,
} from "./site-links.ts";

const PAGE = "https://example.com/docs/page";
const canonicalize = siteCanonicalizer(parseConfig({}));

const isInternal = (url: string) => url.startsWith("https://example.com/");
const targets = new LinkTargets({ canonicalize, isInternal });

const resolve = (html: string, base = prepareBase(PAGE)) =>
  linkObjects(resolveLinks(extractPage(html).links, base, targets, false));

const anchors = (...hrefs: string[]): string => hrefs.map((href) => `<a href="${href}"></a>`).join("");

const task: Task<SiteMeta> = {
  ...{ id: 7, place: 7, key: PAGE, lane: "example.com", depth: 2, parent: 1, attempt: 0, notBefore: 0, hops: 0 },
  meta: siteMeta("spider", "anchor"),
};

function offerAll(links: LinkObject[], over: Partial<LinkSource> = {}) {
  const offered: Found<SiteMeta>[] = [];
  const texts = new TextDictionary(1);
  const source = { task, nofollow: false, noindex: false, ...over };
  const packed = offerLinks(foundLinks(links), source, (found) => offered.push({ ...found }) + 100, texts);
  const rows = Array.from({ length: links.length }, (_, row) => [
    ...packed.subarray(row * STORED_LINK_STRIDE, (row + 1) * STORED_LINK_STRIDE),
  ]);
  const stored: string[] = [];
  eachText(texts.takeFresh(), (_, text) => stored.push(text));
  return { offered, rows, texts: stored };
}

describe("links", () => {
  it("are resolved against the page, or its base, to their canonical form", () => {
    const hrefs = ["../a", "?q=1", "#top", "//other.test/x", "HTTPS://Example.com:443/%7eb?utm_source=x"];
    assert.deepEqual(
      resolve(anchors(...hrefs)).map(({ target }) => target.url),
      [
        "https://example.com/a",
        "https://example.com/docs/page?q=1",
        PAGE,
        "https://other.test/x",
        "https://example.com/~b",
      ],
    );
    const based = (baseHref: string) => resolve(anchors("a"), prepareBase(PAGE, baseHref))[0]!.target.url;
    assert.equal(based("https://cdn.test/x/"), "https://cdn.test/x/a");
    assert.equal(based("data:text/html,x"), "https://example.com/docs/a");
  });

  it("that lead to no web address are left out", () => {
    const hrefs = ["mailto:a@b.test", "javascript:void(0)", "tel:1", "data:,x", "ftp://x.test/"];
    assert.deepEqual(resolve(anchors(...hrefs)), []);
  });

  it("that cannot be parsed are kept as they were written", () => {
    const targets = resolve(anchors("http://", "http://a b/")).map(({ target }) => target);
    assert.deepEqual(
      targets.map(({ url, internal }) => [url, internal]),
      [
        ["http://", false],
        ["http://a b/", false],
      ],
    );
  });

  it("say by their type how they were found", () => {
    const found = (html: string) => resolve(html).map(({ kind }) => `${kind} by ${viaOfKind(kind)}`);
    assert.deepEqual(found("<link rel=canonical href=/x><link rel=preload href=/x><link rel=help href=/x>"), [
      "canonical by spider",
      "preload by spider",
      "other by spider",
    ]);
    assert.deepEqual(found("<iframe src=/x></iframe><form action=/x></form>"), ["iframe by spider", "form by spider"]);
    assert.deepEqual(found("<link rel=stylesheet href=/x><link rel=icon href=/x><script src=/x></script>"), [
      "stylesheet by resource",
      "icon by resource",
      "script by resource",
    ]);
    assert.deepEqual(found("<img src=/x><video src=/x></video><embed src=/x>"), [
      "image by resource",
      "media by resource",
      "object by resource",
    ]);
  });

  it("of a rendered page count only where the page as sent has none such", () => {
    const raw = resolve(anchors("/a", "/b"));
    const rendered = resolve(`${anchors("/a")}<img src="/b">${anchors("/c", "/c")}`);
    assert.deepEqual(
      renderedOnly(raw, rendered).map(({ kind, target }) => [kind, new URL(target.url).pathname]),
      [
        ["image", "/b"],
        ["anchor", "/c"],
        ["anchor", "/c"],
      ],
    );
  });
});

describe("offering links", () => {
  it("offers each in order, one step further, with what it says of itself", () => {
    const { offered } = offerAll(resolve('<a href="/a"></a><a href="/b" rel=nofollow></a><img src="/c.png">'));
    assert.deepEqual(
      offered.map(({ key, depth, parent, meta, hops }) => [key, depth, parent, meta.via, meta.kind, hops]),
      [
        ["https://example.com/a", 3, 7, "spider", "anchor", 0],
        ["https://example.com/b", 3, 7, "spider", "anchor", 0],
        ["https://example.com/c.png", 3, 7, "resource", "image", 0],
      ],
    );
    assert.deepEqual(
      offered.map(({ meta }) => meta.isNofollow),
      [false, true, false],
    );
  });

  it("on a page marked nofollow and noindex, marks them all", () => {
    const { offered, rows } = offerAll(resolve(anchors("/a")), { nofollow: true, noindex: true });
    assert.deepEqual([offered[0]!.meta.isNofollow, offered[0]!.meta.isOnNoindex], [true, true]);
    assert.equal(rows[0]![3]! & LINK_NOFOLLOW, LINK_NOFOLLOW);
  });

  it("packs target, type, position, flags and texts", () => {
    const links = resolve(
      `<nav>to the <a href="/a" rel="sponsored ugc">Shop</a></nav><a href="//other.test/"> Shop</a>`,
    );
    links[1]!.flags |= LINK_RENDERED;
    const { rows, texts } = offerAll(links);
    const flags = LINK_SPONSORED | LINK_UGC | LINK_INTERNAL;
    assert.deepEqual(rows, [
      [101, kindNumber("anchor"), LINK_POSITIONS.indexOf("navigation"), flags, 1, 2, 3],
      [102, kindNumber("anchor"), LINK_POSITIONS.indexOf("content"), LINK_RENDERED, 1, 0, 4],
    ]);
    assert.deepEqual(texts, ["Shop", "to the Shop", "html/body/nav/a", "html/body/a"]);
  });

  it("lets a sitemap in a sitemap stay at its depth, one hop further, so that indexes of indexes end", () => {
    const entry = (kind: "sitemap" | "sitemap-entry") => plainLink(targets.ofCanonical("https://example.com/x"), kind);
    const { offered } = offerAll([entry("sitemap"), entry("sitemap-entry")], { task: { ...task, depth: 0, hops: 4 } });
    assert.deepEqual(
      offered.map(({ depth, hops }) => [depth, hops]),
      [
        [0, 5],
        [1, 0],
      ],
    );
  });
});

it("a style sheet in a style sheet is one hop further, and nothing else is", () => {
  const entry = (kind: "stylesheet" | "image") => plainLink(targets.ofCanonical("https://example.com/x"), kind);
  const hopsIn = (kind: "stylesheet" | "start") => {
    const meta = siteMeta("spider", kind);
    return offerAll([entry("stylesheet"), entry("image")], { task: { ...task, meta, hops: 4 } }).offered.map(
      ({ hops }) => hops,
    );
  };
  assert.deepEqual(
    [hopsIn("stylesheet"), hopsIn("start")],
    [
      [5, 0],
      [0, 0],
    ],
  );
});

it("a redirect leads to the same depth and kind, one hop further, and forgets nofollow", () => {
  const image = { ...task, meta: siteMeta("resource", "image", NOFOLLOW), hops: 2 };
  let found: Found<SiteMeta> | undefined;
  const id = offerRedirect("https://example.com/new", true, image, (offered) => {
    found = offered;
    return 9;
  });
  assert.equal(id, 9);
  assert.deepEqual(found, {
    ...{ key: "https://example.com/new", depth: 2, parent: 7, hops: 3 },
    meta: siteMeta("redirect", "image"),
  });
});
