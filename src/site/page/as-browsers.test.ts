/** Pages that browsers read otherwise than they look, each compared with parse5's tree where parse5 has an opinion. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { extractPage } from "./extract-page.ts";
import { pageLinkObjects } from "./page-content.ts";
import { treeFacts } from "./testing/tree-facts.ts";

const DOCTYPE = "<!doctype html>";

function facts(html: string, xml = false) {
  const page = extractPage(html, { linkText: 10_000, xml });
  const links = pageLinkObjects(page.links);
  const anchors = links.filter(({ type }) => type === "anchor").map(({ href, text }) => ({ href, text }));
  return { ...page.facts, baseHref: page.baseHref, links, anchors };
}

/** Title, first h1, length of the text, and the anchors, as in the tree. */
function agrees(html: string): void {
  const { title, h1, text_length, anchors } = facts(DOCTYPE + html);
  const tree = treeFacts(DOCTYPE + html);
  assert.deepEqual(
    { title, h1, textLength: text_length, anchors },
    {
      title: tree.title,
      h1: tree.h1,
      textLength: tree.text.length,
      anchors: tree.anchors.map(({ href, text }) => ({ href, text })),
    },
    html,
  );
}

test("<wbr> is not a space", () => {
  agrees("<h1>Super<wbr>cali</h1><a href=/a>fragi<wbr>listic</a>");
  assert.equal(facts("<h1>Super<wbr>cali</h1>").word_count, 1);
});

test("a NUL is dropped in text, and a replacement character in a title", () => {
  agrees("<h1>one\0two</h1><p>a\0b <a href=/x>li\0nk</a>");
  agrees("<title>a\0b</title><p>\0");
  assert.equal(facts("<p>one\0two").word_count, 1);
});

test("a heading ends the one that is still open", () => {
  agrees("<h1>One<h2>Two</h2><p>text");
  agrees("<h1>One<h1>Two</h1>");
  agrees("<h1>One<b>bold<h2>Two</h2></b>");
  agrees("<div><h1>One</div><p>after");
  agrees("<h1>One</h3><p>after");
  agrees("<p>before<h1>One <b>never closed");
  assert.deepEqual([facts("<h1>One<h2>Two</h2>").h1, facts("<h1>One<h2>Two</h2>").h2], ["One", "Two"]);
});

test("a title in SVG is neither the page's nor the text of a link", () => {
  agrees(
    "<title>Page</title><a href=/a><svg><title>Icon</title><path/></svg></a><a href=/b><svg><title>I</title></svg>B</a>",
  );
  agrees("<body><svg><title>Icon</title></svg><p>text");
});

test("a base or link in SVG is not the page's; a script there is loaded, and what breaks out counts", () => {
  const {
    baseHref,
    links,
    canonical_count: canonicals,
  } = facts(
    "<body><svg><base href=/wrong/><link rel=canonical href=/no><script href=/s.js></script></svg><base href=/right/>",
  );
  assert.equal(baseHref, "/right/");
  assert.equal(canonicals, 0);
  assert.deepEqual(
    links.map(({ href }) => href),
    ["/s.js"],
  );
  assert.equal(facts("<body><svg><meta name=description content=out>").description, "out");
});

test("background is an image wherever browsers load it", () => {
  const { links } = facts(
    "<body background=/b.png><table background=/t.png><tr background=/r.png><td background=/c.png><p background=/no.png>",
  );
  assert.deepEqual(
    links.map(({ href, type }) => [href, type]),
    [
      ["/b.png", "image"],
      ["/t.png", "image"],
      ["/r.png", "image"],
      ["/c.png", "image"],
    ],
  );
});

test("XHTML sent as XML: a self-closed element is empty, CDATA is text, and the next page is HTML again", () => {
  const page = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><script src="/s.js"/><title>T</title>
    <style/></head><body><h1>One</h1><div/><p><![CDATA[a < b]]></p><a href="/a">A</a><br/></body></html>`;
  const { title, h1, anchors, word_count: words } = facts(page, true);
  assert.deepEqual([title, h1, anchors, words], ["T", "One", [{ href: "/a", text: "A" }], 4]);
  assert.equal(facts(page).title, null, "as HTML, the script never ends");
});

test("what the page itself hides is not counted, but its links and headings are found", () => {
  const words = (html: string) => facts(`${DOCTYPE}${html}`).word_count;
  for (const hiding of [
    "hidden",
    "hidden=until-found",
    'style="display:none"',
    'style="color:red; DISPLAY : none !important"',
  ]) {
    assert.equal(words(`<p>one two<div ${hiding}><p>three <b>four</b></div><p>five`), 3, hiding);
  }
  for (const showing of [
    'style="display:block"',
    'style="display:none;display:block"',
    'style="--display:none"',
    'style="x:display:none"',
  ]) {
    assert.equal(words(`<p>one two<div ${showing}><p>three <b>four</b></div><p>five`), 5, showing);
  }
  assert.equal(words("<p>one<dialog>two three</dialog> four"), 2);
  assert.equal(words("<p>one<dialog open>two three</dialog> four"), 4);
  assert.equal(
    words("<style>.gone,#menu{display:none}</style><p class='a gone'>one</p><ul id=menu><li>two</ul>three"),
    1,
  );
  assert.equal(words("<style>.tab{display:none}.tab.on{display:block}</style><p class=tab>one</p>two"), 2);
  assert.equal(words("fo<span hidden>x y</span>o"), 1);

  const page = facts(`${DOCTYPE}<p>Grüße <div hidden><h1>Ünder 😀</h1><a href=/a>menu</a></div>end`);
  assert.deepEqual([page.h1, page.anchors, page.word_count], ["Ünder 😀", [{ href: "/a", text: "menu" }], 2]);
  assert.equal(page.text_length, "Grüße".length + " end".length);
});
