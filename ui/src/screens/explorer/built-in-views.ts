/** The built-in views. */
import { DEFAULT_FIELDS, type UrlView } from "./url-view.ts";

export interface NamedView extends UrlView {
  name: string;
}

const view = (
  name: string,
  fields: readonly string[],
  filter: string[] = [],
  sort: string | null = null,
): NamedView => ({
  name,
  fields: [...fields],
  filter,
  search: null,
  sort,
});

const HTML = ["outcome=page"];

export const BUILT_IN_VIEWS: readonly NamedView[] = [
  view("All URLs", DEFAULT_FIELDS),
  view(
    "Pages",
    ["url", "status", "indexable", "indexability", "title", "titleLength", "wordCount", "depth", "outlinks"],
    HTML,
  ),
  view(
    "Titles and descriptions",
    [
      ...["url", "title", "titleLength", "titlePixels", "titleCount", "secondTitle"],
      ...["description", "descriptionLength", "descriptionPixels", "descriptionCount", "h1"],
    ],
    HTML,
  ),
  view("Broken", ["url", "status", "foundOn", "title", "depth"], ["outcome=broken"], "-status"),
  view("No answer", ["url", "error", "errorDetail", "attempts", "foundOn"], ["error!="]),
  view("Redirects", ["url", "status", "redirectTo", "foundOn", "depth"], ["status=3xx"]),
  view("Not crawled", ["url", "verdict", "reason", "rule", "kind", "foundOn", "depth"], ["verdict!=crawl"]),
  view(
    "Not indexable",
    ["url", "status", "indexability", "canonical", "robotsMeta", "robotsHeader"],
    ["outcome=page", "indexable=false"],
  ),
  view(
    "Slowest",
    [
      "url",
      "status",
      "timeTotal",
      "timeDns",
      "timeConnect",
      "timeTls",
      "timeFirstByte",
      "timeDownload",
      "timeRender",
      "size",
    ],
    ["timeTotal>0"],
    "-timeTotal",
  ),
  view("H1 and H2", ["url", "h1", "secondH1", "h1Count", "h2", "secondH2", "h2Count", "title", "issues"], HTML),
  view(
    "Images",
    ["url", "images", "imagesNoAlt", "imagesEmptyAlt", "imagesNoSize", "imagesLazy", "longestAlt"],
    ["images>0"],
    "-imagesNoAlt",
  ),
  view(
    "Canonicals",
    ["url", "canonical", "canonicalSource", "canonicalCount", "indexable", "indexability", "inlinks"],
    HTML,
  ),
  view(
    "Directives",
    ["url", "indexable", "indexability", "indexabilityEvidence", "robotsMeta", "googlebotMeta", "robotsHeader"],
    ["robotsMeta!= || googlebotMeta!= || robotsHeader!="],
  ),
  view("Series of pages", ["url", "next", "prev", "canonical", "indexable", "inlinks"], ["next!= || prev!="]),
  view(
    "Hreflang",
    ["url", "language", "hreflang", "hreflangHeader", "hreflangSitemap", "canonical", "indexable"],
    ["hreflang!= || hreflangHeader!= || hreflangSitemap!="],
  ),
  view(
    "Structured data",
    ["url", "structuredData", "structuredDataProblems", "title", "indexable"],
    ["structuredData!= || structuredDataProblems!="],
  ),
  view(
    "Content",
    ["url", "wordCount", "textRatio", "readability", "language", "charset", "charsetDeclared", "duplicate", "size"],
    HTML,
  ),
  view(
    "Sitemaps",
    ["url", "status", "sitemapKind", "outlinks", "sitemapProblems", "size", "foundOn"],
    ["role=sitemap", "verdict=crawl"],
  ),
  view(
    "In sitemaps",
    ["url", "status", "indexable", "inSitemaps", "sitemapLastmod", "sitemapPriority", "inlinks", "orphan"],
    ["inSitemaps>0"],
  ),
  view(
    "Links of pages",
    [
      ...["url", "inlinks", "uniqueInlinks", "uniqueInlinksFollowed", "outlinksInternal", "uniqueOutlinks"],
      ...["outlinksExternal", "brokenLinks", "linksOther", "linksLeftOut", "linkScore", "depth"],
    ],
    HTML,
    "-inlinks",
  ),
  view("Other links", ["url", "linksOther", "linksOtherList", "title"], ["linksOther>0"], "-linksOther"),
  view("Social cards", ["url", "ogTitle", "ogImage", "ogType", "twitterCard"], HTML),
  view(
    "Security headers",
    ["url", "hsts", "csp", "contentTypeOptions", "frameOptions", "referrerPolicy", "cookies"],
    HTML,
  ),
  view(
    "Redirect chains",
    ["url", "status", "redirectHops", "redirectChain", "redirectFinal", "redirectStatus", "redirectLoop", "inlinks"],
    ["redirectHops>0"],
    "-redirectHops",
  ),
  view("Orphans", ["url", "status", "title", "inSitemaps", "via", "indexable"], ["orphan=true"]),
  view("Most issues", ["url", "issues", "status", "indexable", "title", "inlinks"], ["issues>0"], "-issues"),
  view("Same content", ["url", "contentHash", "title", "canonical", "indexable"], ["duplicate=true"], "contentHash"),
];
