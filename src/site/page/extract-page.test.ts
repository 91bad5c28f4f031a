import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { extractPage } from "./extract-page.ts";
import { type ContentHashOptions, DEFAULT_PAGE_OPTIONS, type PageOptions } from "./options.ts";
import { LINK_POSITIONS, LINK_TYPES, type PageLink, pageLinkObjects } from "./page-content.ts";

function links(html: string, options: Partial<PageOptions> = {}): PageLink[] {
  return pageLinkObjects(extractPage(html, options).links);
}

/** Links as "type href". */
function typed(html: string): string[] {
  return links(html).map(({ type, href }) => `${type} ${href}`);
}

test("reads the facts of a page", () => {
  const page = extractPage(`<!doctype html>
    <html lang=" en-GB "><head>
      <base href=" /base/ "><base href="/second/">
      <title> One &amp;
        two </title><title>Other</title>
      <meta name="Description" content=" About
        us "><meta name="description" content="second">
      <meta name="ROBOTS" content="NoIndex, Follow"><meta name="trawl" content="nofollow"><meta name="googlebot" content="all">
      <meta http-equiv="Refresh" content="5; URL='/elsewhere'">
      <link rel="canonical" href=" /canonical "><link rel="CANONICAL" href="/other">
      <link rel="alternate" hreflang="de" href="/de"><link rel="alternate" hreflang="x-default" href="/">
      <link rel="next" href="?page=3"><link rel="previous" href="?page=1">
    </head><body><h1>Heading <b>one</b></h1><h2>First</h2><h1>Again</h1><h2>Second</h2><p>Some words.</body></html>`);
  const { links: found, facts, textBytes, textRest, ...rest } = page;
  assert.equal(textRest, null);
  assert.equal(found.texts.toString("utf8", 0, textBytes).trim(), "Heading one First Again Second Some words.");
  assert.deepEqual(rest, {
    metaRobots: ["noindex, follow", "nofollow"],
    canonical: "/canonical",
    baseHref: "/base/",
    linksLeftOut: 0,
  });
  assert.partialDeepStrictEqual(facts, {
    title: "One & two",
    title_count: 2,
    description: "About us",
    robots_meta: "noindex, follow, nofollow",
    canonical_count: 2,
    language: "en-GB",
    h1: "Heading one",
    h1_count: 2,
    h2: "First",
    h2_count: 2,
    word_count: 7,
    text_length: "Heading one First Again Second Some words.".length,
    hreflang: '[["de","/de"],["x-default","/"]]',
    texts_cut: null,
  });
  const leading = new Set(["refresh", "next", "prev"]);
  assert.deepEqual(
    pageLinkObjects(found).flatMap(({ type, href }) => (leading.has(type) ? [[type, href]] : [])),
    [
      ["refresh", "/elsewhere"],
      ["next", "?page=3"],
      ["prev", "?page=1"],
    ],
  );
});

test("a canonical or alternate in the body is noted, and does not count", () => {
  const early = (first: string) =>
    extractPage(
      `<html><head>${first}<link rel=canonical href=/a><link rel=alternate hreflang=en href=/b></head><body>`,
    );
  const ended = early("<div></div>");
  assert.deepEqual([ended.canonical, ended.facts.canonical_count, ended.facts.hreflang], [null, 0, null]);
  assert.equal(ended.facts.document_problems, "invalid_in_head <div>\noutside_head canonical\noutside_head hreflang");
  // With scripting, what is in a noscript is text.
  const kept = early("<noscript><div></div></noscript>");
  assert.deepEqual([kept.canonical, kept.facts.canonical_count, kept.facts.document_problems], ["/a", 1, null]);
  const written = early("<noscript><link rel=canonical href=/c><link rel=alternate hreflang=de href=/d></noscript>");
  assert.deepEqual([written.canonical, written.facts.canonical_count], ["/a", 1]);
  assert.equal(written.facts.hreflang, '[["en","/b"]]');
});

test("ids are the same only if all of their letters are", () => {
  const problems = (ids: string[]) =>
    extractPage(`<html><head></head><body>${ids.map((id) => `<p id="${id}">`).join("")}`).facts.document_problems;
  // Their hashes are equal.
  assert.equal(problems(["Aa", "BB", ""]), null);
  assert.equal(problems(["Aa", "BB", "Aa", "BB", "", ""]), "duplicate_id Aa and 1 more");
  assert.equal(problems(Array.from({ length: 5_000 }, (_, at) => `n${at}`)), null);
});

test("tells absent from empty", () => {
  const none = extractPage("");
  const { title, h1, description, language, hreflang } = none.facts;
  assert.deepEqual([title, h1, description, none.canonical, language, hreflang], [null, null, null, null, null, null]);
  const empty = extractPage('<title></title><meta name=description content=""><link rel=canonical href=""><h1></h1>');
  assert.deepEqual([empty.facts.title, empty.facts.h1, empty.facts.description, empty.canonical], ["", "", "", ""]);
});

test("does not take the title of an SVG, or anything in a template, for the page's", () => {
  const page = extractPage(
    "<body><svg><title>icon</title></svg><template><title>t</title><h1>t</h1><a href=t></a>t</template><title>page</title>",
  );
  assert.deepEqual(
    [page.facts.title, page.facts.title_count, page.facts.h1_count, page.links.length],
    ["page", 1, 0, 0],
  );
  assert.deepEqual(typed("<div><template shadowrootmode=open><a href=x>y</a></template></div>"), ["anchor x"]);
});

const TYPES: [html: string, expected: string[]][] = [
  ["<a href=' x?a=1&amp;b=2 '></a><a name=x></a><a href></a>", ["anchor x?a=1&b=2", "anchor "]],
  ["<map><area href=x></map>", ["area x"]],
  ["<img src=a srcset='a 1x, b 2x' data-src=c data-srcset='c 1x, d 2x'>", ["image a", "image c", "image b", "image d"]],
  ["<img src='data:image/gif;base64,x' data-src=a>", ["image a"]],
  ["<img src=''><img>", []],
  ["<picture><source srcset='a, b 2x'><img src=c></picture>", ["image a", "image b", "image c"]],
  ["<video src=a poster=b><source src=c><track src=d></video>", ["media a", "image b", "media c", "media d"]],
  ["<audio src=a></audio>", ["media a"]],
  ["<object data=a></object><embed src=b>", ["object a", "object b"]],
  ["<iframe src=a></iframe>", ["iframe a"]],
  ["<script src=a></script><script>'<a href=b>'</script>", ["script a"]],
  [
    "<form action=a><button formaction=b></button><input type=image src=c><input src=d></form>",
    ["form a", "form b", "image c"],
  ],
  [
    "<svg><use href=#a /><use xlink:href='s.svg#b' /><image href=c /><a xlink:href=d>e</a></svg>",
    ["image s.svg#b", "image c", "anchor d"],
  ],
  ["<link rel='alternate stylesheet' href=a><link rel=stylesheet href=b>", ["stylesheet a", "stylesheet b"]],
  ["<link rel='shortcut icon' href=a><link rel=apple-touch-icon href=b>", ["icon a", "icon b"]],
  [
    "<link rel=icon href='data:,'><link rel=manifest href=a><link rel=preload as=font href=b>",
    ["manifest a", "font b"],
  ],
  ["<link rel=preload as=image imagesrcset='a 1x, b 2x'>", ["image a", "image b"]],
  [
    "<link rel=preload as=STYLE href=a><link rel=modulepreload href=b><link rel=prefetch as=video href=c>",
    ["stylesheet a", "script b", "media c"],
  ],
  ["<link rel=preload as=fetch href=a><link rel=prefetch href=b>", ["preload a", "preload b"]],
  [
    "<link rel=pingback href=a><link rel=EditURI href=b><link rel=search href=c><link rel='https://api.w.org/' href=d><link rel=prerender href=e>",
    ["service a", "service b", "service c", "service d", "service e"],
  ],
  ["<link rel=preconnect href=//a><link rel=dns-prefetch href=//b>", []],
  ["<link rel=license href=a><link href=b>", ["other a", "other b"]],
  ["<link rel=next href=a><link rel=prev href=b>", ["next a", "prev b"]],
  ["<meta http-equiv=refresh content='0;url=a'><meta http-equiv=refresh content=5>", ["refresh a"]],
  [
    "<style>@import 'a'; @font-face { src: url(b) } p { background: url(c) }</style>",
    ["stylesheet a", "font b", "image c"],
  ],
  ["<body style='background:url(a)'><p style='background: url(&quot;b&quot;)'>", ["image a", "image b"]],
  ["<noscript><img src=a></noscript>", ["image a"]],
];

for (const [html, expected] of TYPES) {
  test(`links of ${html}`, () => assert.deepEqual(typed(html), expected));
}

test("knows rel on anchors", () => {
  const flags = links(
    "<a href=1 rel='NoFollow ugc'></a><a href=2 rel=sponsored></a><a href=3 rel=nofollow></a><a href=4></a>",
  ).map(({ nofollow, sponsored, ugc }) => [nofollow, sponsored, ugc]);
  assert.deepEqual(flags, [
    [true, false, true],
    [false, true, false],
    [true, false, false],
    [false, false, false],
  ]);
});

test("takes an anchor's text, or the alt of its image", () => {
  const html =
    "<a href=1> Read\n <b>more</b> </a><a href=2><img src=i alt=' The  logo '></a><a href=3><img src=i alt=x>text</a><a href=4><script>no</script></a>";
  assert.deepEqual(
    links(html)
      .filter(({ type }) => type === "anchor")
      .map(({ text }) => text),
    ["Read more", "The logo", "text", ""],
  );
});

test("cuts long texts, never half a character", () => {
  const [link] = links(`<a href=x>${"a".repeat(9)}😀</a>`, { linkText: 10, linkContext: 5 });
  assert.equal(link!.text, "a".repeat(9));
});

test("gives the line around a link as its context", () => {
  const contexts = (html: string, options?: Partial<PageOptions>) => links(html, options).map(({ context }) => context);
  assert.deepEqual(contexts("<p>Before <a href=1>one</a> and <a href=2>two</a>.</p><p>Not this"), [
    "Before one and two.",
    "Before one and two.",
  ]);
  assert.deepEqual(contexts("<ul><li><a href=1>Home</a><li>The <a href=2>shop</a><ul><li>deeper</ul></ul>"), [
    "",
    "The shop",
  ]);
  assert.deepEqual(contexts("<div>a <a href=1>b<p>c</p>d</a> e<p>f</div>"), ["a b c d e"]);
  assert.deepEqual(contexts("<p>a <img src=i alt=alt> b"), ["a b"]);
  const words = Array.from({ length: 60 }, (_, index) => `w${index}`).join(" ");
  const [context] = contexts(`<p>${words} <a href=1>here</a> ${words}`, { linkContext: 40 });
  assert.match(context!, /^w\d+ w\d+ here w0 w1( w\d+)*$/);
  assert.ok(context!.length <= 40);
});

test("knows the part of the page", () => {
  const html = `<head><link rel=icon href=head></head><body><header><a href=header></a><nav><a href=navigation></a></nav></header>
    <main><article><header><a href=content></a></header><aside><a href=aside></a></aside></article></main>
    <div role="Navigation"><a href=navigation></a></div><div role=banner><a href=header></a></div>
    <div role="presentation contentinfo"><a href=footer></a></div><div role=complementary><a href=aside></a><div role=main><a href=content></a></div></div>
    <footer><a href=footer></a></footer><a href=content></a>`;
  for (const { href, position } of links(html)) assert.equal(position, href);
});

test("knows the path to a link, with the last eight names", () => {
  const paths = (html: string) => links(html).map(({ domPath }) => domPath);
  assert.deepEqual(paths("<nav><ul><li><a href=1>x<li><a href=2>y</ul></nav><img src=i>"), [
    "html/body/nav/ul/li/a",
    "html/body/nav/ul/li/a",
    "html/body/img",
  ]);
  assert.deepEqual(paths("<link rel=icon href=i><title>t</title>text<a href=1>"), ["html/head/link", "html/body/a"]);
  assert.deepEqual(paths(`${"<div>".repeat(20)}<p><a href=1>`), ["div/div/div/div/div/div/p/a"]);
  assert.deepEqual(paths("<table><tr><td><a href=1></table><table><td><a href=2>"), [
    "html/body/table/tbody/tr/td/a",
    "html/body/table/tbody/tr/td/a",
  ]);
});

test("counts words as people do", () => {
  const count = (html: string) => extractPage(html).facts.word_count;
  assert.equal(count("one two<b>three</b> four-five <p>six</p><p>seven</p>"), 5);
  assert.equal(count("– & ¶ … 😀"), 0);
  assert.equal(count("a&nbsp;b c&#32;d"), 4);
  assert.equal(count("漢字カナ and Ελληνικά 한국어"), 7);
  assert.equal(
    count("<script>a b</script><style>c</style><noscript>d</noscript><template>e</template><textarea>f</textarea>"),
    0,
  );
});

test("hashes the visible text by default", () => {
  const { facts } = extractPage("<title>t</title><p>One&nbsp;2</p>\n<!-- c --><script>s</script><p>three</p>");
  assert.equal(facts.content_hash, hash("sha1", "One\u00A02 three"));
});

test("hashes what the options ask for", () => {
  const hashed = (
    html: string,
    strip: ContentHashOptions["strip"],
    algorithm: ContentHashOptions["algorithm"] = "sha1",
  ) => extractPage(html, { hash: { algorithm, strip } }).facts.content_hash;
  const html = "<nav>menu</nav><p>at 2024-01-31T10:00:00Z or 10:15</p> <!--c--><script>s()</script><style>p{}</style>";
  const all = ["scripts", "styles", "comments", "whitespace"] as const;
  assert.equal(hashed(html, all, "md5"), hash("md5", "menu at 2024-01-31T10:00:00Z or 10:15"));
  assert.equal(hashed(html, all, "sha256"), hash("sha256", "menu at 2024-01-31T10:00:00Z or 10:15"));
  assert.equal(hashed(html, [...all, "navigation"]), hash("sha1", "at 2024-01-31T10:00:00Z or 10:15"));
  assert.equal(hashed(html, [...all, "timestamps"]), hash("sha1", "menu at  or "));
  assert.equal(
    hashed(html, ["styles", "comments", "whitespace"]),
    hash("sha1", "menu at 2024-01-31T10:00:00Z or 10:15 s()"),
  );
  assert.equal(hashed("<p>a  b</p>\n<!--c--><i>d</i>", []), hash("sha1", "a  b\ncd"));
});

test("the two ways of collecting hashed text agree", () => {
  const piece = fc.constantFrom(
    "<p>",
    "</p>",
    "<br>",
    "a",
    "é",
    "&amp;",
    " ",
    "\n",
    "<b>",
    "</b>",
    "漢",
    "<li>",
    "<!--x-->",
    "😀",
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const html = `<body>${pieces.join("")}`;
      const strip = ["scripts", "styles", "comments", "whitespace"] as const;
      const stripped = extractPage(html, { hash: { algorithm: "sha1", strip: [...strip, "navigation"] } });
      assert.equal(stripped.facts.content_hash, extractPage(html).facts.content_hash);
    }),
  );
});

test("keeps at most as many links as the limit, and says so", () => {
  const limits = { ...DEFAULT_PAGE_OPTIONS.limits, attributeLength: 100, depth: 50, links: 3 };
  const page = extractPage("<a href=1>x</a>".repeat(4), { limits });
  assert.deepEqual([page.links.length, page.linksLeftOut], [3, 1]);
  assert.equal(extractPage("<a href=1>x</a>".repeat(3), { limits }).linksLeftOut, 0);
});

test("addresses beyond the limit of links are not kept, even if they had to be decoded", () => {
  const limits = { ...DEFAULT_PAGE_OPTIONS.limits, links: 3 };
  const page = extractPage("<a href='?a&amp;b'>x</a>".repeat(1_000), { limits });
  assert.deepEqual([page.links.hrefs.length, page.links.length, page.linksLeftOut], [3, 3, 997]);
});

test("of a long text only the beginning is kept, and all that links say", () => {
  const line = (at: number) =>
    `<p>Grün ${at} <a href=/${at}>ein Ziel ${at}</a> <a href=/i${at}><img alt="Bild ${at}"></a></p>`;
  const html = Array.from({ length: 500 }, (_, at) => line(at)).join("");
  const whole = extractPage(html);
  for (const text of [0, 1, 17, 1_003, whole.textBytes - 1, whole.textBytes]) {
    const short = extractPage(html, { limits: { ...DEFAULT_PAGE_OPTIONS.limits, text } });
    assert.deepEqual(short.facts, whole.facts);
    assert.deepEqual(pageLinkObjects(short.links), pageLinkObjects(whole.links));
    assert.ok(short.textBytes <= text && short.textBytes >= text - 1);
    assert.ok(whole.links.texts.subarray(0, short.textBytes).equals(short.links.texts.subarray(0, short.textBytes)));
    assert.equal(short.textRest === null, text === whole.textBytes);
  }
  const other = extractPage(`${html}.`, { limits: { ...DEFAULT_PAGE_OPTIONS.limits, text: 100 } });
  assert.notEqual(
    other.textRest,
    extractPage(html, { limits: { ...DEFAULT_PAGE_OPTIONS.limits, text: 100 } }).textRest,
  );
});

test("timestamps are left out of a large text as they are of a small one", () => {
  const strip = [...DEFAULT_PAGE_OPTIONS.hash.strip, "timestamps" as const];
  const hashOf = (html: string) => extractPage(html, { hash: { algorithm: "sha1", strip } }).facts.content_hash;
  const page = (day: string) => `<p>${`on ${day} 12:30 something was said `.repeat(60_000)}`;
  assert.equal(hashOf(page("2026-11-18")), hashOf(page("1999-01-02")));
  assert.equal(hashOf(page("2026-11-18")), hash("sha1", "on  something was said ".repeat(60_000).trimEnd()));
});

test("follows no more elements than the depth limit, and still finds links", () => {
  const html = `${"<div>".repeat(300)}<a href=deep>x</a>${"</div>".repeat(300)}<p><a href=flat>y</a>`;
  assert.deepEqual(
    links(html).map(({ href, domPath }) => `${href} ${domPath}`),
    ["deep div/div/div/div/div/div/div/a", "flat html/body/p/a"],
  );
});

test("below the depth limit elements still begin and end", () => {
  const inside = `<script>one two</script><h1>A heading</h1><a href=deep>deep link</a>`;
  const html = `<nav>${"<div>".repeat(300)}${inside}${"</div>".repeat(300)}</nav><a href=flat>y</a>`;
  const { h1, word_count: words } = extractPage(html).facts;
  assert.deepEqual([h1, words], ["A heading", 5]);
  assert.deepEqual(
    links(html).map(({ href, text, position }) => `${href} ${text}, ${position}`),
    ["deep deep link, navigation", "flat y, content"],
  );
});

test("items without end tags do not keep the page below the depth limit", () => {
  const items = "<li>x".repeat(50);
  const html = `<nav>${"<div>".repeat(300)}<ul>${items}</ul>${"</div>".repeat(300)}</nav><a href=flat>y</a>`;
  assert.deepEqual(
    links(html).map(({ href, position }) => `${href} ${position}`),
    ["flat content"],
  );
});

test("the lists behind stored integers keep their order", () => {
  assert.equal(LINK_TYPES.length, 20);
  assert.deepEqual([LINK_TYPES[0], LINK_TYPES[2], LINK_TYPES[18]], ["anchor", "image", "other"]);
  assert.deepEqual(LINK_POSITIONS, ["navigation", "header", "footer", "aside", "content", "head"]);
});

const HOSTILE = [
  ...[
    "<",
    "<a href=x>",
    "<a href=x><p>",
    "<a href=x><p><img src=y>",
    "<div>",
    "<p>",
    "</p>",
    "<b><p></b>",
    "<b>",
    "</b>",
    "<b><i></b>",
  ],
  ...[
    "<table><tr><td>",
    "<li>",
    "<ul><li>",
    "<x-y>",
    "</x-y>",
    "<h1>",
    "<title>x</title>",
    "&amp;",
    "& ",
    "é&",
    "<svg><a>",
    "<template>",
  ],
  ...[
    "<style>url(</style>",
    "<p style='url('>",
    "<option>",
    "<a><div></a>",
    "<meta name=robots content=x>",
    "<link rel=canonical href=x>",
  ],
];
for (const piece of HOSTILE) {
  test(`stays linear on 1 MB of ${piece}`, () => {
    const html = `<body>${"<div><span>".repeat(100)}${piece.repeat(1_000_000 / piece.length)}`;
    const before = process.cpuUsage();
    const page = extractPage(html);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 3_000_000, `took ${(user + system) / 1000} ms`);
    assert.ok(page.links.length <= 10_000);
  });
}

test("never throws, whatever the characters", () => {
  const piece = fc.constantFrom(
    ...[
      "<a href=",
      "<b>",
      "</b>",
      "<p>",
      "</p>",
      "<td>",
      "<tr>",
      "<table>",
      "</table>",
      "<li>",
      "<svg>",
      "</svg>",
      "<template>",
      "</a>",
    ],
    ...[
      "<h1>",
      "</h2>",
      "<html>",
      "<body>",
      "<head>",
      "</head>",
      "<style>",
      "</style>",
      "x",
      " ",
      ">",
      "'",
      "&#",
      "\ud800",
      "<img src=x>",
    ],
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      extractPage(pieces.join(""));
    }),
    { numRuns: 1_000 },
  );
});
