/** The columns that a group of audit rules is about, for the Explorer. */

const COLUMNS: Record<string, readonly string[]> = {
  "Responses and redirects": ["status", "error", "redirect_to", "redirect_final", "redirect_hops", "inlinks"],
  URLs: ["status", "indexable", "canonical", "inlinks", "depth"],
  Indexability: ["status", "indexable", "indexability", "robots_meta", "robots_header", "canonical"],
  Canonicals: ["status", "indexable", "canonical", "canonical_count", "indexability", "inlinks"],
  "Titles and descriptions": [
    ...["title", "title_length", "title_pixels", "title_count"],
    ...["description", "description_length", "description_pixels"],
  ],
  "Headings and content": ["h1", "h1_count", "h2", "word_count", "text_ratio", "duplicate"],
  Links: ["inlinks", "unique_inlinks", "outlinks_internal", "outlinks_external", "broken_links", "link_score", "depth"],
  Images: ["images", "images_no_alt", "images_empty_alt", "images_no_size", "longest_alt", "size"],
  "Languages, series and AMP": ["language", "hreflang", "canonical", "next", "prev", "amphtml"],
  JavaScript: ["differs", "raw_title", "title", "raw_word_count", "word_count", "render_problem", "console_errors"],
  Security: ["hsts", "csp", "content_type_options", "frame_options", "referrer_policy", "cookies"],
  "Sitemaps and robots.txt": ["status", "indexable", "in_sitemaps", "orphan", "inlinks"],
  Social: ["og_title", "og_image", "og_type", "twitter_card"],
  "HTML and mobile": ["viewport", "charset", "language", "size", "text_ratio"],
};

/** For a group that is not known here: what helps with any page. */
const USUAL: readonly string[] = ["status", "indexable", "title", "inlinks", "depth"];

/** With the URL first and the number of issues last. */
export const groupColumns = (group: string): string[] => ["url", ...(COLUMNS[group] ?? USUAL), "issues"];

export const GROUPS_WITH_COLUMNS: readonly string[] = Object.keys(COLUMNS);
