/// <reference lib="dom" />
/** Pages as Chromium sees them: titles, headings, links and directives of real pages, and the words of pages that hide some. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Browser, chromium, type Page } from "playwright-core";
import { findBrowser, isExecutable } from "../../src/render/find-browser.ts";
import { needsBrowser } from "../../src/render/testing/browser.ts";
import { extractPage } from "../../src/site/page/extract-page.ts";
import { pageLinkObjects } from "../../src/site/page/page-content.ts";
import { CORPUS } from "../../src/web/html/testing/corpus.ts";

const ARGUMENTS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync", "--no-first-run"],
];

let browser: Browser;
let page: Page;
let html = "";

before(async () => {
  if ("skip" in needsBrowser) return;
  const executablePath = findBrowser(null, process.env, isExecutable)?.executablePath ?? "no-browser-found";
  browser = await chromium.launch({ executablePath, args: ARGUMENTS, timeout: 0 });
  const context = await browser.newContext({ javaScriptEnabled: false });
  context.setDefaultTimeout(0);
  page = await context.newPage();
  // The page itself is served from memory, and nothing else is loaded.
  await page.route("**/*", (route) =>
    route.request().isNavigationRequest()
      ? route.fulfill({ body: html, contentType: "text/html; charset=utf-8" })
      : route.abort(),
  );
});

after(() => browser?.close());

async function open(source: string): Promise<void> {
  html = source;
  await page.goto("http://page.test/");
}

const collapsed = (text: string | null): string | null =>
  text?.replace(/[\t\n\f\r ]+/g, " ").replace(/^ | $/g, "") ?? null;

for (const { name, html: source } of CORPUS) {
  test(`reads ${name} as Chromium does`, needsBrowser, async () => {
    await open(String(source));
    const seen = await page.evaluate(() => ({
      title: document.querySelector("title")?.textContent ?? null,
      h1: document.querySelector("h1")?.textContent ?? null,
      h1Count: document.querySelectorAll("h1").length,
      h2Count: document.querySelectorAll("h2").length,
      lang: document.documentElement.getAttribute("lang"),
      canonical: document.querySelector("link[rel~=canonical i]")?.getAttribute("href") ?? null,
      anchors: [...document.querySelectorAll("a[href]")].map((anchor) => anchor.getAttribute("href")!.trim()),
      images: [...document.querySelectorAll("img[src]")].map((image) => image.getAttribute("src")!.trim()),
    }));
    const { facts, canonical, links } = extractPage(String(source), { linkText: 10_000 });
    const found = pageLinkObjects(links);
    const hrefs = (type: string) => found.filter((link) => link.type === type).map(({ href }) => href);
    assert.deepEqual(
      {
        title: facts.title,
        h1: facts.h1,
        h1Count: facts.h1_count,
        h2Count: facts.h2_count,
        lang: facts.language,
        canonical,
        anchors: hrefs("anchor"),
        images: hrefs("image"),
      },
      { ...seen, title: collapsed(seen.title), h1: collapsed(seen.h1) },
    );
  });
}

const HIDING = [
  "<p>one two<div hidden><p>three <b>four</b></div><p>five",
  '<p>one two<div style="display:none"><p>three</div><p>five',
  '<p>one two<div style="color:red; DISPLAY : none !important"><p>three</div><p>five',
  '<p>one two<div hidden style="display:block"><p>three</div><p>five',
  '<p>one two<div style="display:none;display:block"><p>three</div><p>five',
  "<p>one<dialog>two three</dialog> four",
  "<p>one<dialog open>two three</dialog> four",
  "<style>.gone,#menu{display:none}</style><p class='a gone'>one</p><ul id=menu><li>two</ul>three",
  "<style>.tab{display:none}.tab.on{display:block}</style><p class='tab on'>one</p>two",
  "<style>@media print{.note{display:none}}</style><p class=note>one</p>two",
  "<p>one<div popover>two three</div> four<aside popover=manual>five</aside>",
  "<style media=print>.note{display:none}</style><p class=note>one</p>two",
  "<style media=screen>.note{display:none}</style><p class=note>one</p>two",
  "<style>@media screen{.note{display:none}}@layer x{.more{display:none}}</style><p class=note>one<p class=more>two</p>three",
  "fo<span hidden>x y</span>o",
  "<ul><li hidden>one<li>two<li style=display:none>three</ul>four",
  "<table hidden><tr><td>one</table><p hidden>two<p>three",
  "<section hidden><article><p>one</article><h1>two</h1></section>three",
];

for (const source of HIDING) {
  test(`counts the words that Chromium shows of ${source}`, needsBrowser, async () => {
    const whole = `<!doctype html><title>t</title><body>${source}`;
    await open(whole);
    const shown = await page.evaluate(() => document.body.innerText);
    assert.equal(extractPage(whole).facts.word_count, shown.split(/\s+/).filter(Boolean).length, shown);
  });
}
