import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Found, Task } from "../kernel/task.ts";
import { prepareBase } from "../web/url.ts";
import { kindNumber, kindOf, NOFOLLOW, ON_NOINDEX, viaNumber, viaOf } from "./finds.ts";
import {
  baseOf,
  type LinkSource,
  offerRedirect,
  type ResolvedLink,
  renderedOnly,
  resolveLinks,
  settleLinks,
} from "./links.ts";
import { LINK_POSITIONS, type LinkType, type PageLink } from "./page/page-content.ts";
import { parseConfig } from "./parse-config.ts";
import { LINK_INTERNAL, LINK_NOFOLLOW, LINK_RENDERED, LINK_SPONSORED, LINK_STRIDE, LINK_UGC } from "./record.ts";
import { TextDictionary } from "./text-dictionary.ts";
import { siteCanonicalizer } from "./url-rules.ts";

const PAGE = "https://example.com/docs/page";
const canonicalize = siteCanonicalizer(parseConfig({}));

const link = (href: string, over: Partial<PageLink> = {}): PageLink => ({
  href,
  type: "anchor",
  text: "",
  context: "",
  position: "content",
  domPath: "",
  nofollow: false,
  sponsored: false,
  ugc: false,
  ...over,
});

const resolve = (links: PageLink[], base = prepareBase(PAGE)) => resolveLinks(links, base, canonicalize, false);

const task: Task = {
  ...{ id: 7, place: 7, key: PAGE, lane: "example.com", depth: 2, parent: 1, attempt: 0, notBefore: 0, hops: 0 },
  via: viaNumber("spider"),
  kind: kindNumber("anchor"),
};

function settle(links: ResolvedLink[], over: Partial<LinkSource> = {}) {
  const offered: Found[] = [];
  const texts = new TextDictionary(1);
  const isInternal = (url: string) => url.startsWith("https://example.com/");
  const source = { task, nofollow: false, noindex: false, isInternal, ...over };
  const packed = settleLinks(links, source, (found) => offered.push(found) + 100, texts);
  const rows = Array.from({ length: links.length }, (_, row) => [
    ...packed.subarray(row * LINK_STRIDE, (row + 1) * LINK_STRIDE),
  ]);
  return { offered, rows, texts: texts.takeFresh().texts };
}

describe("links", () => {
  it("are resolved against the page, or its base, to their canonical form", () => {
    const hrefs = ["../a", "?q=1", "#top", "//other.test/x", "HTTPS://Example.com:443/%7eb?utm_source=x"];
    assert.deepEqual(
      resolve(hrefs.map((href) => link(href))).map((found) => found.url),
      [
        "https://example.com/a",
        "https://example.com/docs/page?q=1",
        PAGE,
        "https://other.test/x",
        "https://example.com/~b",
      ],
    );
    const based = resolve([link("a")], baseOf(PAGE, "https://cdn.test/x/"));
    assert.equal(based[0]!.url, "https://cdn.test/x/a");
    assert.equal(resolve([link("a")], baseOf(PAGE, "data:text/html,x"))[0]!.url, "https://example.com/docs/a");
  });

  it("that lead to no web address are left out", () => {
    const hrefs = ["mailto:a@b.test", "javascript:void(0)", "tel:1", "data:,x", "ftp://x.test/", "http://"];
    assert.deepEqual(resolve(hrefs.map((href) => link(href))), []);
  });

  it("say by their type how they were found", () => {
    const vias = (["anchor", "iframe", "canonical", "preload", "other", "form"] as LinkType[]).map(
      (type) => resolve([link("/x", { type })])[0]!.via,
    );
    assert.deepEqual(new Set(vias), new Set(["spider"]));
    const parts = (["image", "script", "stylesheet", "font", "media", "icon", "object"] as LinkType[]).map(
      (type) => resolve([link("/x", { type })])[0]!.via,
    );
    assert.deepEqual(new Set(parts), new Set(["resource"]));
  });

  it("of a rendered page count only where the page as sent has none such", () => {
    const raw = resolve([link("/a"), link("/b")]);
    const rendered = resolve([link("/a"), link("/b", { type: "image" }), link("/c"), link("/c")]);
    assert.deepEqual(
      renderedOnly(raw, rendered).map(({ kind, url }) => [kind, new URL(url).pathname]),
      [
        ["image", "/b"],
        ["anchor", "/c"],
        ["anchor", "/c"],
      ],
    );
  });
});

describe("settling links", () => {
  it("offers each in order, one step further, with what it says of itself", () => {
    const { offered } = settle(
      resolve([link("/a"), link("/b", { nofollow: true }), link("/c.png", { type: "image" })]),
    );
    assert.deepEqual(
      offered.map((found) => [found.key, found.depth, found.parent, viaOf(found.via), kindOf(found.kind), found.hops]),
      [
        ["https://example.com/a", 3, 7, "spider", "anchor", 0],
        ["https://example.com/b", 3, 7, "spider", "anchor", 0],
        ["https://example.com/c.png", 3, 7, "resource", "image", 0],
      ],
    );
    assert.deepEqual(
      offered.map((found) => found.via & NOFOLLOW),
      [0, NOFOLLOW, 0],
    );
  });

  it("on a page marked nofollow and noindex, marks them all", () => {
    const { offered, rows } = settle(resolve([link("/a")]), { nofollow: true, noindex: true });
    assert.equal(offered[0]!.via & (NOFOLLOW | ON_NOINDEX), NOFOLLOW | ON_NOINDEX);
    assert.equal(rows[0]![3]! & LINK_NOFOLLOW, LINK_NOFOLLOW);
  });

  it("packs target, type, position, flags and texts", () => {
    const over = { text: "Shop", context: "to the Shop", domPath: "html/body/a", sponsored: true, ugc: true } as const;
    const links = resolve([link("/a", { ...over, position: "navigation" }), link("//other.test/", { text: "Shop" })]);
    links[1]!.rendered = true;
    const { rows, texts } = settle(links);
    const flags = LINK_SPONSORED | LINK_UGC | LINK_INTERNAL;
    assert.deepEqual(rows, [
      [101, kindNumber("anchor"), LINK_POSITIONS.indexOf("navigation"), flags, 1, 2, 3],
      [102, kindNumber("anchor"), LINK_POSITIONS.indexOf("content"), LINK_RENDERED, 1, 0, 0],
    ]);
    assert.deepEqual(texts, ["Shop", "to the Shop", "html/body/a"]);
  });

  it("lets a sitemap in a sitemap stay at its depth, one hop further, so that indexes of indexes end", () => {
    const entry = (kind: "sitemap" | "sitemap-entry"): ResolvedLink => ({
      ...{ url: "https://example.com/x", kind, via: "sitemap", link: null, rendered: false },
    });
    const { offered } = settle([entry("sitemap"), entry("sitemap-entry")], { task: { ...task, depth: 0, hops: 4 } });
    assert.deepEqual(
      offered.map(({ depth, hops }) => [depth, hops]),
      [
        [0, 5],
        [1, 0],
      ],
    );
  });
});

it("a redirect leads to the same depth and kind, one hop further, and forgets nofollow", () => {
  const image = { ...task, kind: kindNumber("image"), via: viaNumber("resource", NOFOLLOW), hops: 2 };
  let found: Found | undefined;
  const id = offerRedirect("https://example.com/new", image, (offered) => {
    found = offered;
    return 9;
  });
  assert.equal(id, 9);
  assert.deepEqual(found, {
    ...{ key: "https://example.com/new", depth: 2, parent: 7, hops: 3 },
    via: viaNumber("redirect"),
    kind: kindNumber("image"),
  });
});
