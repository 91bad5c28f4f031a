/** What pages, robots.txt, sitemaps and style sheets are read with. */

import { TrawlError } from "../../../src/errors.ts";
import { readPage } from "../../../src/site/page/extract-page.ts";
import { htmlToMarkdown } from "../../../src/site/page/markdown/markdown.ts";
import { parseRefresh } from "../../../src/site/page/refresh.ts";
import { decodeHtml } from "../../../src/web/charset.ts";
import { cssUrls } from "../../../src/web/css.ts";
import { compileFilter } from "../../../src/web/filter.ts";
import { urlPattern } from "../../../src/web/pattern.ts";
import { parseRobots } from "../../../src/web/robots/robots.ts";
import { parseRobotsHeader } from "../../../src/web/robots-directives.ts";
import { readSitemap } from "../../../src/web/sitemap/sitemap.ts";
import { srcsetUrls } from "../../../src/web/srcset.ts";
import { defaultUrlAction, TRACKING_PARAMETERS } from "../../../src/web/tracking.ts";
import { detectTrap } from "../../../src/web/trap.ts";
import { createCanonicalizer, prepareBase } from "../../../src/web/url.ts";
import type { Target } from "../target.ts";

const PAGE = `<!doctype html><html lang=en><head><meta charset=utf-8><title>A &amp; B</title><base href="/x/">
<meta name=description content="d"><meta name=robots content="noindex, nofollow"><link rel=canonical href="/c">
<link rel=alternate hreflang=de href=/de><meta http-equiv=refresh content="0; url=/next">
<script type="application/ld+json">{"@type":"Article","name":"x"}</script><style>a{background:url(i.png)}</style></head>
<body><nav><a href="/a?b=1&c=2#d" rel="nofollow ugc">one</a></nav><h1>Head</h1><p hidden>no<table><tr><td>cell</table>
<img src=i.png srcset="a.png 1x, b.png 2x" alt="i"><svg><title>s</title><a href=z></a></svg><form action=/f><input></form>
<!-- c --><![CDATA[x]]><template><a href=t></a></template><pre>code</pre><ul><li>1<li>2</ul></body></html>`;
const TAGS = [
  "<",
  "</",
  "<!--",
  "-->",
  "<script>",
  "</script>",
  "<style>",
  "<svg>",
  "<math>",
  "<template>",
  "<table>",
  "<title>",
  "<p>",
];
const HTML_WORDS = [
  ...TAGS,
  "<![CDATA[",
  "<a href='",
  "&#x0;",
  "&notin;",
  "<base href=//",
  "style=display:none",
  "<plaintext>",
  "<select>",
];

const ROBOTS =
  "User-agent: *\nDisallow: /private*$\nAllow: /private/ok\nCrawl-delay: 2\nSitemap: https://example.com/s.xml\n";
const SITEMAP = `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url>
<loc>https://example.com/a?b=1&amp;c=2</loc><lastmod>2026-01-01</lastmod></url></urlset>`;
const INDEX = "<sitemapindex><sitemap><loc>https://example.com/1.xml</loc></sitemap></sitemapindex>";
const RSS = "<rss><channel><item><link>https://example.com/x</link></item></channel></rss>";
const URLS = [
  ...[
    "https://example.com/a/b/../c?x=1&utm_source=y#z",
    "//EXAMPLE.com:443/%7Ea",
    "mailto:x@y",
    "?q=ä&p=%FF",
    "../../x\\y",
  ],
  ...[
    "http://user:pass@[::ffff:127.0.0.1]:8080/;a=b",
    "https://例え.jp/ü?ß",
    "/a/b/a/b/a/b",
    "javascript:void 0",
    "http://1.1",
  ],
];
const URL_WORDS = ["//", "..", "%2e", "%00", "@", ":", "?", "#", "\\", "[::1]", "xn--", "\u200d", "&", "=", ";", "%"];

const base = prepareBase("https://example.com/folder/page?x=1");
const canonical = createCanonicalizer({
  stripParams: TRACKING_PARAMETERS,
  sortQuery: true,
  stripAllQuery: false,
  keepFragments: "routes",
  maxLength: 2_083,
});
const text = (input: Buffer): string => input.toString("utf8");

export const WEB: readonly Target[] = [
  {
    name: "html",
    seeds: [PAGE],
    words: HTML_WORDS,
    run: (input) => {
      const { content, charset } = readPage(input, "text/html", {});
      const { links, ...rest } = content;
      return { charset, ...rest, rows: links.rows.length };
    },
  },
  {
    name: "markdown",
    seeds: [PAGE],
    words: HTML_WORDS,
    run: (input) => htmlToMarkdown(text(input), { url: "https://example.com/" }),
  },
  {
    name: "charset",
    seeds: [PAGE, Buffer.from(`\ufeff${PAGE}`, "utf16le"), Buffer.from(PAGE.replace("utf-8", "shift_jis"), "latin1")],
    words: ["charset=", "utf-16", "iso-2022-jp", "gb18030", "x-user-defined", "\ufeff", "replacement"],
    run: (input) => {
      const half = input.length >> 1;
      const { charset } = decodeHtml(input.subarray(half), `text/html; charset=${input.toString("latin1", 0, half)}`);
      return [charset, decodeHtml(input, null)];
    },
  },
  {
    name: "css",
    seeds: [
      '@import "a.css" screen; @font-face{src:url(f.woff)} a{background:url( "i.png" )} /* c */ b{c:image-set("x.png" 1x)}',
    ],
    words: ["url(", "@import", "/*", "*/", "\\", "'", '"', "{", "}", "image-set(", "\\a ", "url(data:"],
    run: (input) => cssUrls(text(input)),
  },
  {
    name: "srcset",
    seeds: ["a.png 1x, b.png 2x", "a,b 100w, (c d) 2x,"],
    words: [",", " ", "(", ")", "1x"],
    run: (input) => srcsetUrls(text(input)),
  },
  {
    name: "robots",
    seeds: [ROBOTS, `\ufeff${ROBOTS.replaceAll("\n", "\r")}`],
    words: ["User-agent: *\n", "Disallow: /", "Allow: ", "*", "$", "%2A", "#", "\r", "Crawl-delay: 1e9"],
    run: (input) => {
      const robots = parseRobots(input);
      const verdicts = ["/", "/private/ok", "/private/x?y=z", "/%7Ea"].map((path) =>
        robots.test(`https://example.com${path}`, "trawl"),
      );
      return { verdicts, delay: robots.crawlDelay("trawl"), sitemaps: robots.sitemaps };
    },
  },
  {
    name: "robots-header",
    seeds: ["noindex, nofollow", "trawl: noindex, unavailable_after: 25 Jun 2026 15:00:00 GMT, max-snippet:-1"],
    words: ["noindex", "trawl:", ",", "unavailable_after:", "none", "max-snippet:"],
    run: (input) => parseRobotsHeader(text(input), "trawl"),
  },
  {
    name: "sitemap",
    seeds: [SITEMAP, INDEX, RSS, "https://example.com/a\nhttps://example.com/b\n"],
    words: [
      "<loc>",
      "</loc>",
      "<url>",
      "<!DOCTYPE x [",
      "<!ENTITY a 'b'>",
      "&a;",
      "<![CDATA[",
      "]]>",
      "<?xml ",
      "xmlns:a='b'",
      "&#0;",
    ],
    run: (input) => readSitemap(input),
  },
  {
    name: "refresh",
    seeds: ["0; url=/next", "5;URL='https://example.com/'"],
    words: [";", "url", "=", "'", " "],
    run: (input) => parseRefresh(text(input)),
  },
  { name: "url", seeds: URLS, words: URL_WORDS, run: (input) => canonical(text(input), base) },
  {
    name: "url-rules",
    seeds: URLS,
    words: URL_WORDS,
    run: (input) => {
      const url = canonical(text(input), base);
      if (typeof url !== "string") return url;
      return {
        again: canonical(url, base) === url,
        trap: detectTrap(url),
        pattern: urlPattern(url),
        action: defaultUrlAction(url),
      };
    },
  },
  {
    name: "filter",
    seeds: ["/(a+)+$/i", "https://example.com/*/x?y=*", "/blog/*", "/^(?:a|b|ab)*c$/"],
    words: ["(", ")", "*", "+", "[", "]", "{1,1000}", "\\", "(?=", "(?P<a>", "|", "/i"],
    refuses: (error) => error instanceof TrawlError,
    run: (input) => {
      const filter = compileFilter(text(input));
      return [`https://example.com/${"a".repeat(200)}!`, "https://example.com/blog/x"].map((url) =>
        filter.matches(url),
      );
    },
  },
];
