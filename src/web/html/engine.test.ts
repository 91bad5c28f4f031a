import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeHTML } from "entities/decode";
import { ATTRIBUTE_NAMES } from "./attributes.ts";
import { LINK_POSITIONS, TAGS } from "./elements.ts";
import { DEFAULT_HTML_LIMITS } from "./html-limits.ts";
import { HtmlSource } from "./html-source.ts";
import { IN_CONTENT, IN_HEAD } from "./link-rows.ts";
import * as ids from "./name-ids.ts";
import { type PageReader, readHtml } from "./read-html.ts";
import { type HtmlVisitor, scanHtml } from "./scan-html.ts";

function visitor(open: HtmlVisitor["open"]): HtmlVisitor {
  return { open, close() {}, text() {} };
}

function names(html: string): string[] {
  const opened: string[] = [];
  scanHtml(
    html,
    visitor(({ name }) => opened.push(name)),
  );
  return opened;
}

const NOTHING: PageReader = {
  element() {},
  noted() {},
  emptyButton() {},
  style() {},
  silentText() {},
  anchorHref: () => null,
  linkFlags: () => 0,
  visibleText() {},
  other: null,
};

function read(html: string) {
  const limits = { ...DEFAULT_HTML_LIMITS, depth: 256, links: 10_000, text: 1e9 };
  return readHtml(new HtmlSource(html), { linkText: 200, linkContext: 160, limits }, () => NOTHING);
}

test("the numbers that both sides know are those of the tables", () => {
  const { UNKNOWN, ...known } = ids;
  assert.equal(UNKNOWN, 0);
  for (const [constant, id] of Object.entries(known)) {
    const name = constant
      .replace(/_ATTRIBUTE$/, "")
      .toLowerCase()
      .replaceAll("_", "");
    assert.equal(
      constant.endsWith("_ATTRIBUTE") ? ATTRIBUTE_NAMES[id]!.replaceAll("-", "") : TAGS[id]!.name,
      name,
      constant,
    );
  }
  assert.deepEqual([LINK_POSITIONS[IN_CONTENT], LINK_POSITIONS[IN_HEAD]], ["content", "head"]);
});

test("a visitor may have another page scanned while it visits one", () => {
  const opened: string[] = [];
  scanHtml(
    "<a href=one><b><i>",
    visitor((tag, attributes) => {
      opened.push(tag.name, ...names("<p href=two><q>"), attributes.get("href") ?? "-");
    }),
  );
  assert.deepEqual(opened, ["a", "p", "q", "one", "b", "p", "q", "-", "i", "p", "q", "-"]);
});

test("a visitor that throws leaves nothing behind for the next page", () => {
  const fails = visitor(() => {
    throw new Error("mine");
  });
  assert.throws(() => scanHtml("<svg><title><a>", fails), { message: "mine" });
  assert.deepEqual(names("<title><b></title><i>"), ["title", "i"]);
});

test("a page leaves nothing behind for the next one either", () => {
  read("<title>x</title><nav><h1>one <a href=1>two</a></h1><h2>three</h2><x-y><a href=2>four</a><!--");
  const { h1, h2, words, links } = read("five <a href=3>six</a>");
  const none = { text: null, second: null, count: 0 };
  assert.deepEqual([h1, h2, words], [none, none, 2]);
  assert.deepEqual(links.paths, ["html/body/a"]);
  assert.equal(links.texts.toString(), "five six");
});

test("the first two headings of each level keep their text", () => {
  const { h1, h2 } = read("<h1>A <b>b</b></h1><h2>one</h2><div><h1>C</h1></div><h2></h2><h2>three</h2><h1>D");
  assert.deepEqual(h1, { text: "A b", second: "C", count: 3 });
  assert.deepEqual(h2, { text: "one", second: "", count: 3 });
  assert.deepEqual(read("<h1>open <h1>next").h1, { text: "open", second: "next", count: 2 });
});

test("pages larger than what is kept are read like others, and so are those after them", () => {
  const item = "<li><a href='/page'>text</a> ";
  const many = 400_000;
  const { words, links } = read(`<ul>${item.repeat(many)}</ul>`);
  assert.deepEqual([words, links.length, links.leftOut], [many, 10_000, many - 10_000]);
  assert.equal(read(item).links.length, 1);
});

test("text that is longer decoded than written has room", () => {
  // Five bytes that stand for six: two characters of three.
  const { textLength, textBytes } = read("&nGt;".repeat(200_000));
  assert.deepEqual([textLength, textBytes], [400_000, 1_200_000]);
});

test("a long text is decoded in pieces, and no reference is cut", () => {
  for (const unit of ["&notin;", "&eacute; ", "é&#x2209;&ampx", "x&NotGreaterFullEqual;y", "&#0000000000000000233;"]) {
    const raw = unit.repeat(40_000);
    const { links, textBytes } = read(raw);
    assert.equal(links.texts.toString("utf8", 0, textBytes), decodeHTML(raw).trim(), unit);
  }
});

test("references are decoded as the standard says, whoever decodes them", () => {
  const { links } = read(
    "a&lt;b&gt;c&amp;d&quot;e&#39;f&#65;g&nbsp;h &lt &ampx; &quotx; &#9;&#00;i&#x4a;&copy;&#0;&bogus;&",
  );
  assert.equal(links.texts.toString(), 'a<b>c&d"e\'fAg\u00a0h < &x; "x; \ufffdiJ©\ufffd&bogus;&');
});
