import assert from "node:assert/strict";
import { test } from "node:test";
import { createQueryCleaner } from "./query.ts";
import { defaultUrlAction, TRACKING_PARAMETERS } from "./tracking.ts";

test("tracking parameters go, parameters of content stay", () => {
  const clean = createQueryCleaner({ stripParams: TRACKING_PARAMETERS, sortQuery: false, stripAllQuery: false });
  assert.equal(clean("id=1&utm_medium=a&gclid=b&fbclid=c&mc_cid=d&_ga=e&msclkid=f&PHPSESSID=g&page=2"), "id=1&page=2");
  assert.equal(clean("ref=x&source=y&q=utm_source"), "ref=x&source=y&q=utm_source");
});

test("names are in lower case and named once", () => {
  assert.equal(new Set(TRACKING_PARAMETERS).size, TRACKING_PARAMETERS.length);
  for (const name of TRACKING_PARAMETERS) assert.equal(name, name.toLowerCase());
});

test("each address gets its action, with the rule that decided", () => {
  const cases: [string, string, string | null][] = [
    ["https://e.example/", "crawl", null],
    ["https://e.example/gtag/js?id=G-1", "skip", "tracking path /gtag/js"],
    ["https://www.google-analytics.com/analytics.js", "skip", "tracking host google-analytics.com"],
    ["https://www.googletagmanager.com/gtm.js?id=1", "skip", "tracking host googletagmanager.com"],
    ["https://stats.g.doubleclick.net/x", "skip", "tracking host doubleclick.net"],
    ["https://www.facebook.com/tr?id=1&ev=PageView", "skip", "tracking path //www.facebook.com/tr"],
    ["https://www.facebook.com/tr/?id=1", "skip", "tracking path //www.facebook.com/tr/"],
    ["https://e.example/g/collections", "crawl", null],
    ["https://www.facebook.com/trawl", "crawl", null],
    ["https://www.clarity.ms/tag/x", "skip", "tracking host clarity.ms"],
    ["https://notclarity.ms/", "crawl", null],
    ["https://segment.com/docs/", "crawl", null],
    ["https://e.example/cdn-cgi/l/email-protection", "skip", "tracking path /cdn-cgi/l/email-protection"],
    ["https://e.example/?next=/gtag/js", "crawl", null],
    ["https://e.example/_next/data/build/page.json", "record", "framework data /_next/data/"],
    ["https://e.example/_next/static/x.js", "crawl", null],
    ["https://e.example/blog/_payload.json?x", "record", "framework data /_payload.json"],
    ["https://e.example/_nuxt/entry.js", "crawl", null],
    ["https://e.example/_nuxt/builds/meta/1.json", "record", "framework data /_nuxt/builds/"],
    ["https://e.example/page-data/about/page-data.json", "record", "framework data /page-data/"],
    ["https://e.example/page-data/about", "crawl", null],
    ["https://e.example/a/__data.json?x-sveltekit-invalidated=01", "record", "framework data /__data.json"],
    ["https://e.example/page.rsc", "record", "framework data .rsc"],
    ["https://e.example/page.rsc.html", "crawl", null],
    ["https://e.example/page?_rsc=1a2b", "record", "framework data ?_rsc="],
    ["https://e.example/page?a=1&_rsc=1a2b", "record", "framework data &_rsc="],
    ["https://e.example/page-data/x?y=1&_rsc=1", "record", "framework data &_rsc="],
  ];
  for (const [url, action, rule] of cases) assert.deepEqual(defaultUrlAction(url), { action, rule }, url);
});
