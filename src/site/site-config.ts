/**
 * Every setting of a site crawl: its type, its default, and the reason for that default.
 *
 * This schema is the only source: the config file, the flags, the library's options and the reference all follow it.
 */
import { z } from "zod";
import { PROXY_SCHEME } from "../net/route.ts";
import { parseSettings, type SettingProblem, settingProblems } from "../settings/problems.ts";
import { RESOURCE_TYPES } from "./link-kinds.ts";
import { DEFAULT_PAGE_OPTIONS, HASH_ALGORITHMS, HASH_STRIPS } from "./page/options.ts";

/** What the reference and the flags need to know of a setting beside its type. */
export interface SettingInfo {
  group: (typeof SETTING_GROUPS)[number];
  /** A few words for a form. */
  label: string;
  description: string;
  /** What 0 stands for, when it is not just a number. */
  zero?: string;
  /** Choices of earlier versions: accepted, dropped, and no longer offered. */
  older?: readonly string[];
}

export const SETTING_GROUPS = ["discovery", "scope", "limits", "politeness", "fetch", "content", "rendering"] as const;

const setting = <T extends z.ZodType>(group: SettingInfo["group"], label: string, schema: T, description: string): T =>
  schema.meta({ group, label, description }) as T;

const flag = (value: boolean) => z.boolean().default(value);
/** A limit that 0 lifts. */
const unlessZero = <T extends z.ZodType>(schema: T): T => schema.meta({ zero: "No limit" }) as T;
const limit = (value: number) => unlessZero(z.int().min(0).default(value));
const texts = (...values: string[]) => z.array(z.string().min(1)).default(values);

/** Resources were one of these before they got settings of their own. */
const RESOURCES = "resources";
const DISCOVERY_MECHANISMS = ["spider", "sitemap", "network", RESOURCES] as const;
export const ROBOTS_MODES = ["respect", "ignore", "ignore-report"] as const;

export const siteConfigSchema = z.strictObject({
  discovery: setting(
    "discovery",
    "URL sources",
    z
      .array(z.enum(DISCOVERY_MECHANISMS))
      .overwrite((ways) => ways.filter((way) => way !== RESOURCES))
      .default(["spider", "sitemap"])
      .meta({ older: [RESOURCES] }),
    "Where URLs come from: links of pages, sitemaps, and requests that pages make while they are rendered. Rendering always includes the last.",
  ),
  sitemapUrls: setting(
    "discovery",
    "Additional sitemaps",
    z.array(z.url({ protocol: /^https?$/ })).default([]),
    "Sitemaps to read beside those that robots.txt names and /sitemap.xml.",
  ),
  checkResources: setting(
    "discovery",
    "Check resources",
    flag(true),
    "Fetch the resources of pages (images, scripts, styles, fonts, media) to find broken ones, whatever discovery says.",
  ),
  resourceTypes: setting(
    "discovery",
    "Resource types",
    z.array(z.enum(RESOURCE_TYPES)).default([...RESOURCE_TYPES]),
    "Types of resources to check; other stands for manifests and embedded objects. Without style, images and fonts that only style sheets name are not found.",
  ),
  checkExternalResources: setting(
    "discovery",
    "Check external resources",
    flag(true),
    "Check resources on other hosts too.",
  ),
  checkExternalLinks: setting(
    "discovery",
    "Check external links",
    flag(false),
    "Ask other hosts whether the pages linked there exist. Their links are not followed.",
  ),
  singlePage: setting("discovery", "One page only", flag(false), "Crawl the start URL and its resources only."),

  includeSubdomains: setting(
    "scope",
    "Include subdomains",
    flag(true),
    "Treat subdomains of the start URL's domain as part of the site.",
  ),
  allowedDomains: setting(
    "scope",
    "Further hosts",
    texts(),
    "Further hosts that belong to the site, such as docs.example.net. With includeSubdomains, so do their subdomains.",
  ),
  startFolder: setting("scope", "Stay in the start folder", flag(false), "Stay below the folder of the start URL."),
  include: setting(
    "scope",
    "Include only",
    texts(),
    "Crawl only URLs that match one of these: globs such as https://example.com/blog/*, or /regular expressions/.",
  ),
  exclude: setting("scope", "Exclude", texts(), "Never crawl URLs that match one of these. Same forms as include."),
  followInternalNofollow: setting(
    "scope",
    "Follow internal nofollow links",
    flag(false),
    "Follow links of the site that are marked nofollow.",
  ),
  followExternalNofollow: setting(
    "scope",
    "Check external nofollow links",
    flag(false),
    "Check links to other hosts that are marked nofollow.",
  ),
  respectNoindex: setting(
    "scope",
    "Respect noindex",
    flag(false),
    "Do not follow the links of pages marked noindex, in meta tags or in the X-Robots-Tag header.",
  ),
  respectNoindexMeta: setting(
    "scope",
    "Respect noindex in meta tags",
    flag(false),
    "Do not follow the links of pages that a meta tag marks noindex.",
  ),
  respectNoindexHeader: setting(
    "scope",
    "Respect noindex in headers",
    flag(false),
    "Do not follow the links of pages that the X-Robots-Tag header marks noindex.",
  ),
  skipTrackers: setting(
    "scope",
    "Skip trackers",
    flag(true),
    "Skip analytics and tracking URLs, and record data URLs of web frameworks (such as /_next/data/) without fetching them.",
  ),

  maxUrls: setting("limits", "URL limit", limit(0), "URLs to fetch at most; 0 for no limit."),
  maxUrlsPerHost: setting(
    "limits",
    "URL limit per host",
    limit(0),
    "URLs to fetch from one host at most; 0 for no limit.",
  ),
  maxUrlsPerPattern: setting(
    "limits",
    "Limit per URL pattern",
    limit(10_000),
    "URLs of one shape (numbers, dates and ids set aside) to fetch at most; 0 for no limit. High enough for large catalogues, and the end of an endless calendar.",
  ),
  maxQueryVariants: setting(
    "limits",
    "Query variant limit",
    limit(1_000),
    "URLs that differ only in their query to fetch at most; 0 for no limit. Filters of a shop multiply without end.",
  ),
  maxDepth: setting(
    "limits",
    "Depth limit",
    limit(0),
    "Links to follow away from the start at most; 0 for no limit. A sitemap counts as a page linked from the start.",
  ),
  maxRedirects: setting(
    "limits",
    "Redirect limit",
    z.int().min(0).max(50).default(10),
    "Redirects in a row to follow; browsers give up at 20.",
  ),
  maxUrlLength: setting(
    "limits",
    "URL length limit",
    z.int().min(100).max(65_536).default(2_083),
    "Longer URLs are skipped; 2,083 is what the strictest browsers took.",
  ),
  maxRepeatedSegments: setting(
    "limits",
    "Path repeat limit",
    z.int().min(1).default(3),
    "Times that a path segment may occur before the URL counts as a loop of relative links.",
  ),
  maxLinksPerPage: setting(
    "limits",
    "Links per page limit",
    z.int().min(1).default(20_000),
    "Links of one page that are read; the rest are reported as cut.",
  ),

  parallelism: setting(
    "politeness",
    "Requests at once",
    z.int().min(1).max(1_000).default(5),
    "Requests under way at once.",
  ),
  rate: setting(
    "politeness",
    "Requests/s per host",
    unlessZero(z.number().min(0).default(0)),
    "Requests a second to one host at most; 0 for no limit. A longer crawl-delay in robots.txt wins, while robots.txt is respected.",
  ),
  maxCrawlDelay: setting(
    "politeness",
    "Longest crawl-delay (s)",
    z.number().min(0).default(30),
    "Seconds of crawl-delay to respect at most: some hosts ask for hours.",
  ),
  robots: setting(
    "politeness",
    "robots.txt",
    z.enum(ROBOTS_MODES).default("respect"),
    "robots.txt: respect it, ignore it, or ignore it and report what it would have kept out.",
  ),
  userAgent: setting("politeness", "User agent", z.string().min(1).default("trawl/0.1"), "The User-Agent header."),
  robotsAgent: setting(
    "politeness",
    "Name in robots.txt",
    z.string().min(1).default("trawl"),
    "The name that robots.txt rules and robots directives are looked up by.",
  ),
  retries: setting(
    "politeness",
    "Retries",
    z.int().min(0).max(20).default(2),
    "Further tries after a failure that may pass.",
  ),

  headers: setting(
    "fetch",
    "Request headers",
    z.record(z.string(), z.string()).default({}),
    "Further request headers. Those that hold no secret, such as Accept-Language, go to every host of the site; all others to the start URLs' origins only.",
  ),
  cookies: setting(
    "fetch",
    "Keep cookies",
    flag(true),
    "Keep the cookies that the site's own hosts set, for the length of the crawl, and send them back. No other host gets them.",
  ),
  auth: setting(
    "fetch",
    "User and password",
    z
      .string()
      .regex(/^[^:]+:.*$/, "expected user:password")
      .nullable()
      .default(null),
    "Basic authentication for the start URL's origin, as user:password.",
  ),
  credentialOrigins: setting(
    "fetch",
    "Origins that get credentials",
    z.array(z.url({ protocol: /^https?$/ })).default([]),
    "Send the password and secret headers to these origins instead of the start URLs': https://example.com is one, http://example.com and https://www.example.com are others.",
  ),
  proxy: setting(
    "fetch",
    "Proxy",
    z.url({ protocol: PROXY_SCHEME }).nullable().default(null),
    "HTTP or SOCKS5 proxy, such as http://user:password@127.0.0.1:3128 or socks5://127.0.0.1:1080.",
  ),
  connectTo: setting(
    "fetch",
    "Connect to",
    texts(),
    "Connect to another address than the URL says, as HOST:PORT:ADDRESS:PORT (as curl does).",
  ),
  ca: setting(
    "fetch",
    "Certificate file",
    z.string().nullable().default(null),
    "File with certificates to trust beside the usual ones (PEM).",
  ),
  insecure: setting("fetch", "Accept any certificate", flag(false), "Accept certificates that cannot be verified."),
  http2: setting("fetch", "HTTP/2", flag(false), "Use HTTP/2 where the host offers it."),
  allowPrivate: setting(
    "fetch",
    "Allow private addresses",
    flag(false),
    "Let the crawl reach private addresses that the start URLs do not name. Without it a page cannot make Trawl ask your own network.",
  ),
  timeout: setting("fetch", "Timeout (s)", z.number().positive().default(30), "Seconds for one request in all."),
  maxBytes: setting(
    "fetch",
    "Largest response (bytes)",
    z.int().min(1_024).default(50_000_000),
    "Bytes of a response to read, before and after decompression.",
  ),
  minBytesPerSecond: setting(
    "fetch",
    "Slowest response (bytes/s)",
    limit(100),
    "A response slower than this after ten seconds is given up; 0 for no limit.",
  ),
  checkHead: setting(
    "fetch",
    "Ask for headers first",
    flag(false),
    "Ask for the headers first, and fetch only what is HTML, CSS or a sitemap.",
  ),
  cacheDir: setting(
    "fetch",
    "Cache folder",
    z.string().nullable().default(null),
    "Folder for a cache of responses, shared between crawls.",
  ),
  cacheMaxAge: setting(
    "fetch",
    "Cache lifetime (s)",
    z.number().min(0).default(3_600),
    "Seconds that a response in the cache is used.",
  ),

  stripParams: setting(
    "content",
    "Parameters to leave out",
    z.array(z.string().min(1)).nullable().default(null),
    "Query parameters to leave out of URLs; a trailing * matches any ending. null for the built-in list of tracking parameters.",
  ),
  sortQuery: setting(
    "content",
    "Ignore parameter order",
    flag(false),
    "Treat URLs that differ in the order of their query parameters as the same.",
  ),
  hashContent: setting(
    "content",
    "Hash content",
    flag(true),
    "Compute a hash of each page's content, which finds pages with the same content.",
  ),
  contentHash: setting(
    "content",
    "Hash algorithm",
    z.enum(HASH_ALGORITHMS).default(DEFAULT_PAGE_OPTIONS.hash.algorithm),
    "The algorithm of the content hash.",
  ),
  contentHashStrip: setting(
    "content",
    "Left out of the hash",
    z.array(z.enum(HASH_STRIPS)).default([...DEFAULT_PAGE_OPTIONS.hash.strip]),
    "What of the page does not count in its hash.",
  ),
  readErrorPages: setting(
    "content",
    "Read error pages",
    flag(true),
    "Read the title, text and links of pages with an error status (4xx, 5xx).",
  ),
  storeHeaders: setting("content", "Store headers", flag(true), "Store response headers."),
  storeHtml: setting(
    "content",
    "Store HTML",
    flag(false),
    "Keep each page's HTML, compressed, for its text and source later.",
  ),

  render: setting(
    "rendering",
    "Run JavaScript",
    flag(false),
    "Run the page's JavaScript in a browser. Title, words, canonical, robots and links are then those of the page after its scripts; the raw ones are kept beside them.",
  ),
  renderTabs: setting(
    "rendering",
    "Pages rendered at once",
    z.int().min(1).max(64).default(4),
    "Pages rendered at once.",
  ),
  renderSettle: setting(
    "rendering",
    "First quiet time (s)",
    z.number().positive().default(0.5),
    "Seconds of the page's own time without requests or changes after which only its timers are waited for.",
  ),
  renderMax: setting(
    "rendering",
    "Longest rendering (s)",
    z.number().positive().default(10),
    "Seconds, of real time or of the page's own time, after which a page that never settles is taken as it is.",
  ),
  renderScroll: setting(
    "rendering",
    "Scroll pages",
    flag(false),
    "Scroll each page to its end, to load what is only loaded when it comes into view.",
  ),
  renderHashRoutes: setting(
    "rendering",
    "Crawl hash routes",
    flag(false),
    "Treat addresses such as #/about and #!about as pages of their own, each rendered; for sites that route by them.",
  ),
  renderBlock: setting(
    "rendering",
    "Requests to block",
    texts("image", "media", "font"),
    "Kinds of requests that the browser does not make.",
  ),
  browser: setting(
    "rendering",
    "Browser",
    z.string().nullable().default(null),
    "The browser to run; null looks for Chromium, Chrome or Edge.",
  ),
});

export type SiteConfig = z.infer<typeof siteConfigSchema>;
/** What a person writes: everything has a default. */
export type SiteOptions = z.input<typeof siteConfigSchema>;

export interface Setting extends SettingInfo {
  name: keyof SiteConfig;
  schema: z.ZodType;
  defaultValue: unknown;
}

/** Every setting with its group, description and default, in order. */
export const SETTINGS: readonly Setting[] = Object.entries(siteConfigSchema.shape).map(([name, schema]) => ({
  name: name as keyof SiteConfig,
  schema: schema as z.ZodType,
  ...(schema.meta() as unknown as SettingInfo),
  defaultValue: siteConfigSchema.parse({})[name as keyof SiteConfig],
}));

/** Throws a TrawlError that lists everything that is wrong. */
export const parseConfig = (options: unknown): SiteConfig => parseSettings(siteConfigSchema, options ?? {});

/** Everything that is wrong with the settings; empty when they are valid. */
export const configProblems = (options: unknown): SettingProblem[] => settingProblems(siteConfigSchema, options ?? {});
