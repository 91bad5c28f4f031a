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
    ["url", "status", "indexable", "indexability", "title", "title_length", "word_count", "depth", "links_out"],
    HTML,
  ),
  view(
    "Titles and descriptions",
    ["url", "title", "title_length", "title_count", "description", "description_length", "h1", "h1_count"],
    HTML,
  ),
  view("Broken", ["url", "status", "found_on", "title", "depth"], ["outcome=broken"], "-status"),
  view("No answer", ["url", "error", "error_detail", "attempts", "found_on"], ["error!="]),
  view("Redirects", ["url", "status", "redirect_to", "found_on", "depth"], ["status=3xx"]),
  view("Not crawled", ["url", "verdict", "reason", "rule", "kind", "found_on", "depth"], ["verdict!=crawl"]),
  view(
    "Not indexable",
    ["url", "status", "indexability", "canonical", "robots_meta", "robots_header"],
    ["outcome=page", "indexable=No"],
  ),
  view(
    "Slowest",
    [
      "url",
      "status",
      "time_total",
      "time_dns",
      "time_connect",
      "time_tls",
      "time_first_byte",
      "time_download",
      "time_render",
      "size",
    ],
    ["time_total>0"],
    "-time_total",
  ),
  view("H1 and H2", ["url", "h1", "h1_count", "h2", "h2_count", "title", "issues"], HTML),
  view(
    "Images",
    ["url", "images", "images_no_alt", "images_empty_alt", "images_no_size", "images_lazy", "longest_alt"],
    ["images>0"],
    "-images_no_alt",
  ),
  view("Canonicals", ["url", "canonical", "canonical_count", "indexable", "indexability", "inlinks"], HTML),
  view("Hreflang", ["url", "language", "hreflang", "canonical", "indexable"], ["hreflang!="]),
  view("Social cards", ["url", "og_title", "og_image", "og_type", "twitter_card"], HTML),
  view(
    "Security headers",
    ["url", "hsts", "csp", "content_type_options", "frame_options", "referrer_policy", "cookies"],
    HTML,
  ),
  view(
    "Redirect chains",
    ["url", "status", "redirect_hops", "redirect_to", "redirect_final", "redirect_status", "redirect_loop", "inlinks"],
    ["redirect_hops>0"],
    "-redirect_hops",
  ),
  view("Orphans", ["url", "status", "title", "in_sitemaps", "via", "indexable"], ["orphan=Yes"]),
  view("Most issues", ["url", "issues", "status", "indexable", "title", "inlinks"], ["issues>0"], "-issues"),
  view("Same content", ["url", "content_hash", "title", "canonical", "indexable"], ["duplicate=Yes"], "content_hash"),
];
