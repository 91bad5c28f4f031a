import assert from "node:assert/strict";
import { test } from "node:test";
import { FETCH_ERRORS } from "../../../src/net/fetch-errors.ts";
import { KINDS, VIAS } from "../../../src/site/links/link-kinds.ts";
import { siteConfigSchema } from "../../../src/site/site-config.ts";
import { REASONS } from "../../../src/site/site-reasons.ts";
import {
  errorLabel,
  fieldWords,
  hostReasonLabel,
  hostStateWords,
  indexabilityLabel,
  indexabilitySentence,
  kindLabel,
  optionLabel,
  reasonLabel,
  ruleText,
  verdictWords,
  viaLabel,
} from "./words.ts";

test("no code of the server reaches the screen as a code", () => {
  const shown = [
    ...Object.keys(REASONS).map(reasonLabel),
    ...Object.keys(FETCH_ERRORS).map(errorLabel),
    ...VIAS.map(viaLabel),
    ...KINDS.map(kindLabel),
    ...["crawl", "record", "skip"].map((verdict) => verdictWords(verdict).label),
    ...siteConfigSchema.shape.robots.unwrap().options.map(optionLabel),
    ...siteConfigSchema.shape.discovery.unwrap().element.options.map(optionLabel),
  ];
  for (const words of shown) assert.match(words, /^(?:[A-Z]|robots\.txt|llms\.txt)[^_]*$/);
});

test("codes as words", () => {
  assert.equal(reasonLabel("max_urls_per_host"), "URL limit per host reached");
  assert.equal(reasonLabel("robots_disallow"), "Disallowed by robots.txt");
  assert.equal(errorLabel("dns_not_found"), "Host not found (DNS)");
  assert.equal(errorLabel("status 404"), "404 Not found");
  assert.equal(indexabilityLabel("client_error"), "Client error (4xx)");
  assert.match(indexabilitySentence("noindex_meta"), /noindex/);
  assert.equal(hostStateWords("throttled").label, "Throttled");
  assert.match(hostReasonLabel("crawl_delay"), /robots\.txt/);
  assert.equal(hostReasonLabel("something new"), "something new");
  assert.equal(hostReasonLabel(null), "");
  assert.equal(optionLabel("ignore-report"), "Ignore, but report");
});

test("a code that is not known here is spelt out", () => {
  assert.equal(reasonLabel("max_urls_per_galaxy"), "Max URLs per galaxy");
  assert.equal(errorLabel("tls_too_old"), "TLS too old");
  assert.equal(indexabilityLabel("robots_asleep"), "robots.txt asleep");
  assert.equal(reasonLabel("constructor"), "Constructor");
});

test("fields with codes show words; other fields stay as they are", () => {
  assert.equal(fieldWords("verdict", "record"), "Recorded");
  assert.equal(fieldWords("state", "open"), "Waiting");
  assert.equal(fieldWords("kind", "sitemap-entry"), "Sitemap entry");
  assert.equal(fieldWords("renderProblem", "still_requesting"), "Still requesting");
  assert.equal(fieldWords("title", "max_urls"), "max_urls");
  assert.equal(fieldWords("reason", ""), "");
});

test("a rule shows the label of its setting, not its name", () => {
  const settings = [{ name: "maxUrlsPerPattern", label: "Limit per URL pattern" }];
  assert.equal(
    ruleText("maxUrlsPerPattern 30: https://a.test/N", settings),
    "Limit per URL pattern 30: https://a.test/N",
  );
  assert.equal(ruleText("Disallow: /private", settings), "Disallow: /private");
});

test("what is wrong with a document, and what scripts changed, are words too", () => {
  const stored = "duplicate_id menu and 2 more\nfirst_heading The first heading is an h3\noutside_head canonical";
  const shown = "Duplicate id: menu and 2 more\nThe first heading is an h3\nOutside the head: canonical";
  assert.equal(fieldWords("documentProblems", stored), shown);
  assert.equal(fieldWords("differs", "title, wordCount"), "Title, Word count");
});
