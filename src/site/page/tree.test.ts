import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { CORPUS } from "../../web/html/testing/corpus.ts";
import { extractPage } from "./extract-page.ts";
import { pageLinkObjects } from "./page-content.ts";
import { treeFacts } from "./testing/tree-facts.ts";

/** The extractor's facts in the shape of the reference. */
function extractedFacts(html: string, linkText = 1_000_000) {
  const page = extractPage(html, { linkText });
  const links = pageLinkObjects(page.links).map(({ href, type, text, domPath }) => ({ href, type, text, domPath }));
  return {
    title: page.facts.title,
    h1: page.facts.h1,
    textLength: page.facts.text_length,
    contentHash: page.facts.content_hash,
    anchors: links.filter(({ type }) => type === "anchor").map(({ href, text, domPath }) => ({ href, text, domPath })),
    images: links.filter(({ type }) => type === "image").map(({ href, domPath }) => ({ href, domPath })),
  };
}

function compare(html: string): void {
  const { text, ...facts } = treeFacts(html);
  assert.deepEqual(extractedFacts(html), {
    ...facts,
    textLength: text.length,
    contentHash: hash("sha1", text),
  });
}

for (const { name, html } of CORPUS) {
  // An image's alt stands for an anchor without text; the tree knows nothing of that.
  test(`reads ${name} as parse5's tree`, () => compare(html.replaceAll(/ alt="[^"]*"/g, "")));
}

// In quirks mode a table does not end a paragraph; so every page has a doctype. Generated pages keep to what tree construction leaves in place: nothing but rows in tables, no formatting across blocks.
const text = fc.constantFrom("word", " ", "two words", "&amp;", "a&lt;b ", "é", "漢字", "\n", "x", "😀");
const anchor = fc
  .tuple(
    fc.webPath(),
    fc.array(fc.oneof(text, fc.constantFrom("<b>b</b>", "<br>", "<img src=i.png>", "<span>s</span>")), {
      maxLength: 3,
    }),
  )
  .map(([href, parts]) => `<a href="${href.replaceAll("&", "&amp;")}">${parts.join("")}</a>`);
const phrase = fc
  .array(
    fc.oneof(
      text,
      anchor,
      fc.constantFrom("<img src='x.png'>", "<em>e</em>", "<script>a<b</script>", "<br>", "<code>c</code>"),
    ),
    {
      maxLength: 5,
    },
  )
  .map((parts) => parts.join(""));

const { flow } = fc.letrec<{ flow: string; block: string }>((tie) => {
  const flows = fc.array(tie("block"), { maxLength: 4 }).map((parts) => parts.join(""));
  return {
    flow: flows,
    block: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      phrase,
      phrase.map((inner) => `<p>${inner}`),
      phrase.map((inner) => `<p>${inner}</p>`),
      phrase.map((inner) => `<h1>${inner}</h1>`),
      fc
        .array(phrase, { maxLength: 3 })
        .map((items) => `<dl>${items.map((item) => `<dt>${item}<dd>${item}`).join("")}</dl>`),
      fc
        .array(tie("block"), { maxLength: 3 })
        .map((items) => `<ul>${items.map((item) => `<li>${item}`).join("")}</ul>`),
      fc
        .array(fc.array(tie("block"), { maxLength: 2 }), { maxLength: 2 })
        .map(
          (rows) => `<table>${rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}`).join("")}`).join("")}</table>`,
        ),
      phrase.map((inner) => `<table><caption>${inner}<colgroup><col><tr><td>${inner}<tbody><td>${inner}</table>`),
      fc
        .tuple(fc.constantFrom("div", "section", "nav", "article", "blockquote", "main"), flows)
        .map(([name, inner]) => {
          return `<${name}>${inner}</${name}>`;
        }),
      fc.constantFrom(
        "<svg><title>icon</title><path d=x /></svg>",
        "<select><option>a<option>b</select>",
        "<textarea>t<p></textarea>",
      ),
      fc.constantFrom(
        "<template><a href=t>t</a></template>",
        "</i>",
        "</section>",
        "</li>",
        "<x-y>z</x-y>",
        "<!-- c -->",
      ),
    ),
  };
});
const head = fc.constantFrom(
  "",
  "<title>a &amp; b</title>",
  "<html lang=en><head><meta charset=utf-8><title>\nT\n</title></head><body>",
);

test("reads generated pages as parse5's tree", () => {
  fc.assert(
    fc.property(head, flow, (start, body) => compare(`<!doctype html>${start}${body}`)),
    { numRuns: 1_500 },
  );
});
