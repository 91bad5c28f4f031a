/** The columns that a group of audit rules is about, for the Explorer. */

const COLUMNS: Record<string, readonly string[]> = {
  "Responses and redirects": ["status", "error", "redirectTo", "redirectHops", "redirectChain", "inlinks"],
  URLs: ["status", "indexable", "canonical", "inlinks", "depth"],
  Indexability: [
    "status",
    "indexable",
    "indexability",
    "indexabilityEvidence",
    "robotsMeta",
    "robotsHeader",
    "canonical",
  ],
  Canonicals: ["status", "indexable", "canonical", "canonicalSource", "canonicalCount", "indexability", "inlinks"],
  "Titles and descriptions": [
    ...["title", "titleLength", "titlePixels", "titleCount"],
    ...["description", "descriptionLength", "descriptionPixels"],
  ],
  "Headings and content": ["h1", "h1Count", "h2", "wordCount", "textRatio", "duplicate"],
  Links: ["inlinks", "uniqueInlinks", "outlinksInternal", "outlinksExternal", "brokenLinks", "linkScore", "depth"],
  Images: ["images", "imagesNoAlt", "imagesEmptyAlt", "imagesNoSize", "longestAlt", "size"],
  "Languages, series and AMP": [
    "language",
    "hreflang",
    "hreflangHeader",
    "hreflangSitemap",
    "canonical",
    "next",
    "prev",
    "amphtml",
  ],
  JavaScript: ["differs", "rawTitle", "title", "rawWordCount", "wordCount", "renderProblem", "consoleErrors"],
  Security: ["hsts", "csp", "contentTypeOptions", "frameOptions", "referrerPolicy", "cookies"],
  "Sitemaps and robots.txt": [
    "status",
    "indexable",
    "sitemapProblems",
    "inSitemaps",
    "sitemapLastmod",
    "orphan",
    "inlinks",
  ],
  Social: ["ogTitle", "ogImage", "ogType", "twitterCard"],
  "HTML and mobile": ["viewport", "charset", "language", "size", "textRatio"],
};

/** For a group that is not known here: what helps with any page. */
const USUAL: readonly string[] = ["status", "indexable", "title", "inlinks", "depth"];

/** With the URL first and the number of issues last. */
export const groupColumns = (group: string): string[] => ["url", ...(COLUMNS[group] ?? USUAL), "issues"];

export const GROUPS_WITH_COLUMNS: readonly string[] = Object.keys(COLUMNS);
