import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { HtmlSource } from "../../../web/html/index.ts";
import { extractPage } from "../extract-page.ts";
import { markupItems } from "./markup-items.ts";

const items = (html: string) => markupItems(new HtmlSource(html));

test("Microdata: things with their properties, one inside the other", () => {
  const html = `<body itemscope itemtype="https://schema.org/WebPage"><div itemprop="mainEntity" itemscope itemtype="https://schema.org/Product">
    <h1 itemprop="name">A <b>red</b>
      rod</h1><img itemprop="image" src="/a.png"><img itemprop="image" src="/b.png">
    <p itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price" content="12.50">12,50</span>
      <link itemprop="availability" href="https://schema.org/InStock"><time itemprop="priceValidUntil" datetime="2026-12-01">soon</time></p></div>
    <ul><li itemscope itemtype="https://schema.org/Person"><span itemprop="name">Ada</span></ul>`;
  const offer = {
    "@type": ["https://schema.org/Offer"],
    ...{ price: "12.50", availability: "https://schema.org/InStock", priceValidUntil: "2026-12-01" },
  };
  const product = {
    "@type": ["https://schema.org/Product"],
    ...{ name: "A red rod", image: ["/a.png", "/b.png"], offers: offer },
  };
  assert.deepEqual(items(html), [
    { "@type": ["https://schema.org/WebPage"], mainEntity: product },
    { "@type": ["https://schema.org/Person"], name: "Ada" },
  ]);
});

test("RDFa Lite: the same, and neither Open Graph nor other vocabularies", () => {
  const html = `<head><meta property="og:title" content="x"></head><div vocab="https://schema.org/" typeof="Event" resource="#e">
    <span property="name">Fair</span> <a property="url" href="/fair">more</a>
    <div property="location" typeof="Place"><span property="schema:name">Pier</span></div></div>
    <p typeof="foaf:Person"><span property="foaf:name">Ada</span></p>`;
  const place = { "@type": ["Place"], name: "Pier" };
  assert.deepEqual(items(html), [{ "@type": ["Event"], "@id": "#e", name: "Fair", url: "/fair", location: place }]);
});

test("properties named as those that every object has are properties", () => {
  const html = `<div itemscope itemtype="https://schema.org/Thing"><i itemprop="constructor">a</i><i itemprop="toString">b</i><i itemprop="__proto__">c</i></div>`;
  assert.deepEqual(items(html), [{ "@type": ["https://schema.org/Thing"], constructor: "a", toString: "b" }]);
});

test("they are judged as JSON-LD is", () => {
  const { facts } = extractPage(
    '<div itemscope itemtype="http://schema.org/Product"><i itemprop="name">Rod</i><i itemprop="nmae">x</i></div>',
  );
  assert.equal(facts.structured_data, "Product");
  assert.match(facts.structured_data_problems!, /^required Product: review or aggregateRating or offers$/m);
  assert.match(facts.structured_data_problems!, /^unknown property Product\.nmae$/m);
});

test("a page without markup has no items, and no page is too broken", () => {
  assert.deepEqual(items("<p>typeof itemprop</p>"), []);
  const piece = fc.constantFrom(
    "<p itemscope>",
    "<b itemprop=a>",
    "</b>",
    "</p>",
    "<table>",
    "<li itemprop='__proto__ b'>",
    "x",
    "<a typeof=X>",
  );
  fc.assert(fc.property(fc.array(piece), (parts) => Array.isArray(items(parts.join("")))));
});
