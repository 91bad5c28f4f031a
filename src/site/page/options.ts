/** The options of page extraction, with their defaults and reasons. */

// Not imported from the index, because commands that scan no page read settings too.
import { DEFAULT_HTML_LIMITS } from "../../web/html/html-limits.ts";
import type { ReadingOptions } from "../../web/html/index.ts";

/** What can be left out of the content hash. */
export const HASH_STRIPS = ["scripts", "styles", "comments", "navigation", "whitespace", "timestamps"] as const;
export type HashStrip = (typeof HASH_STRIPS)[number];

export const HASH_ALGORITHMS = ["sha1", "md5", "sha256"] as const;
export type HashAlgorithm = (typeof HASH_ALGORITHMS)[number];

export interface ContentHashOptions {
  /**
   * Default sha1: 160 bits do not collide by chance, and it is the fastest of the three on processors with support for
   * it.
   */
  algorithm: HashAlgorithm;
  /**
   * What to leave out. The hash is over the visible text, plus script, style and comment text unless listed here.
   * "navigation" leaves out text in nav, header, footer and aside; "whitespace" makes any run of white space one space;
   * "timestamps" leaves out dates, times of day and Unix times. Other numbers always count.
   */
  strip: readonly HashStrip[];
}

export interface PageOptions extends ReadingOptions {
  /** A `<meta>` with this name is obeyed like "robots". */
  robotsToken: string;
  /** The page was sent as XML (`application/xhtml+xml`). */
  xml?: boolean;
  /** Null computes none. */
  hash: ContentHashOptions | null;
}

export const DEFAULT_PAGE_OPTIONS: PageOptions & { hash: ContentHashOptions } = {
  robotsToken: "trawl",
  linkText: 200,
  linkContext: 160,
  hash: { algorithm: "sha1", strip: ["scripts", "styles", "comments", "whitespace"] },
  limits: { ...DEFAULT_HTML_LIMITS, depth: 256, links: 10_000, text: Number.POSITIVE_INFINITY },
};
