/**
 * Every setting of a site crawl: its type, its default, and the reason for that default.
 *
 * This schema is the only source: the config file, the flags, the library's options and the reference all follow from
 * it.
 */
import { z } from "zod";
import { PROXY_SCHEME } from "../net/connection/route.ts";
import { parseSettings, type SettingProblem, settingProblems } from "../settings/problems.ts";
import { headersSetting, headerValue } from "./header-settings.ts";
import { RESOURCE_TYPES } from "./links/link-kinds.ts";
import { DEFAULT_PAGE_OPTIONS, HASH_ALGORITHMS, HASH_STRIPS } from "./page/options.ts";
import type { SiteOptions } from "./site-options.ts";

/** What the reference and the flags need to know about a setting in addition to its type. */
export interface SettingInfo {
  group: (typeof SETTING_GROUPS)[number];
  /** A few words for a form. */
  label: string;
  description: string;
  /** What 0 means, if it is special. */
  zero?: string;
  /** Choices of earlier versions: accepted, then dropped, and no longer offered. */
  older?: readonly string[];
  /**
   * Why only the owner of this machine may set it: on the command line, in a file or with the library. Everyone else (REST,
   * the web app, agents) can use what the owner saved, but not change it.
   */
  ownerOnly?: string;
}

export const SETTING_GROUPS = [
  "discovery",
  "scope",
  "limits",
  "politeness",
  "fetch",
  "content",
  "rendering",
  "audit",
] as const;

const setting = <T extends z.ZodType>(group: SettingInfo["group"], label: string, schema: T, description: string): T =>
  schema.meta({ group, label, description }) as T;

const flag = (value: boolean) => z.boolean().default(value);
/** A limit that 0 turns off. */
const unlessZero = <T extends z.ZodType>(schema: T): T => schema.meta({ zero: "No limit" }) as T;
const limit = (value: number) => unlessZero(z.int().min(0).default(value));
/**
 * Each pattern is compiled and tried on every URL. Compiling 2,000 regular expressions delays a crawl by half a second.
 */
const LONGEST_LIST = 2_000;
const LONGEST_TEXT = 4_000;
const texts = (...values: string[]) => z.array(z.string().min(1).max(LONGEST_TEXT)).max(LONGEST_LIST).default(values);
/**
 * For settings that name a program, a file or a route on this machine, or weaken a protection. `robots` is not one of
 * these, because it concerns the site.
 */
const ownerOnly = <T extends z.ZodType>(because: string, schema: T): T => schema.meta({ ownerOnly: because }) as T;

/** Resources were one of these before they had settings of their own. */
const RESOURCES = "resources";
const DISCOVERY_MECHANISMS = ["spider", "sitemap", "network", "llms", RESOURCES] as const;
export const ROBOTS_MODES = ["respect", "ignore", "ignore-report"] as const;

/** As large as a sitemap may be. A larger body would take more memory than all bodies together should. */
export const MOST_BODY_BYTES = 50_000_000;

/** Longer than any real site needs, and short enough for every timer. */
const seconds = () => z.number().max(86_400);

export const siteConfigSchema = z.strictObject({
  discovery: setting(
    "discovery",
    "URL sources",
    z
      .array(z.enum(DISCOVERY_MECHANISMS))
      .overwrite((ways) => ways.filter((way) => way !== RESOURCES))
      .default(["spider", "sitemap"])
      .meta({ older: [RESOURCES] }),
    "Where URLs come from: links of pages, sitemaps, requests that pages make while they are rendered (rendering always includes these), and /llms.txt of the hosts where the crawl begins.",
  ),
  sitemapUrls: setting(
    "discovery",
    "Additional sitemaps",
    z
      .array(z.url({ protocol: /^https?$/ }))
      .max(LONGEST_LIST)
      .default([]),
    "Sitemaps to read in addition to those in robots.txt, or /sitemap.xml.",
  ),
  checkResources: setting(
    "discovery",
    "Check resources",
    flag(true),
    "Fetch the resources of pages (images, scripts, styles, fonts, media) to find broken ones, regardless of discovery.",
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
    "Check whether linked pages on other hosts exist. Their links are not followed.",
  ),
  singlePage: setting("discovery", "One page only", flag(false), "Crawl only the start URL and its resources."),

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
    "Other hosts that belong to the site, such as docs.example.net. With includeSubdomains, their subdomains belong to it too.",
  ),
  startFolder: setting("scope", "Stay in the start folder", flag(false), "Crawl only the folder of the start URL."),
  include: setting(
    "scope",
    "Include only",
    texts(),
    "Crawl only URLs that match one of these: globs such as https://example.com/blog/*, or /regular expressions/.",
  ),
  exclude: setting("scope", "Exclude", texts(), "Never crawl URLs that match one of these. Same syntax as include."),
  followInternalNofollow: setting(
    "scope",
    "Follow internal nofollow links",
    flag(false),
    "Follow links within the site that are marked nofollow.",
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

  maxUrls: setting("limits", "URL limit", limit(0), "Maximum number of URLs to fetch; 0 for no limit."),
  maxPages: setting(
    "limits",
    "Page limit",
    limit(0),
    "Maximum number of pages: HTML documents that answered 2xx. Redirects, broken links, files and resources do not count; 0 for no limit.",
  ),
  maxUrlsPerHost: setting(
    "limits",
    "URL limit per host",
    limit(0),
    "Maximum number of URLs to fetch from one host; 0 for no limit.",
  ),
  stopTraps: setting(
    "limits",
    "Stop traps",
    flag(true),
    "Stop endless parts of the site, such as calendars, combinations of filters and mazes, once their pages bring nothing new: no new content, and no links to anything else. Large catalogues are not affected.",
  ),
  maxUrlsPerPattern: setting(
    "limits",
    "Limit per URL pattern",
    limit(0),
    "Maximum number of URLs to fetch per pattern (URLs that differ only in numbers, dates and ids); 0 for no limit.",
  ),
  maxQueryVariants: setting(
    "limits",
    "Query variant limit",
    limit(0),
    "Maximum number of URLs to fetch that differ only in their query; 0 for no limit.",
  ),
  maxDepth: setting(
    "limits",
    "Depth limit",
    limit(0),
    "Maximum number of links from the start; 0 for no limit. A sitemap counts as a page linked from the start.",
  ),
  maxRedirects: setting(
    "limits",
    "Redirect limit",
    z.int().min(0).max(50).default(10),
    "Maximum number of redirects in a row; browsers give up at 20.",
  ),
  maxUrlLength: setting(
    "limits",
    "URL length limit",
    z.int().min(100).max(65_536).default(2_083),
    "Longer URLs are skipped; 2,083 characters was the limit of the strictest browsers.",
  ),
  maxRepeatedSegments: setting(
    "limits",
    "Path repeat limit",
    z.int().min(1).max(1_000).default(3),
    "How many times a path segment may occur; beyond that, the URL counts as a loop of relative links.",
  ),
  maxLinksPerPage: setting(
    "limits",
    "Links per page limit",
    z.int().min(1).max(1_000_000).default(20_000),
    "Maximum number of links to read per page; if there are more, the page is marked.",
  ),

  parallelism: setting(
    "politeness",
    "Requests at once",
    z.int().min(1).max(1_000).default(5),
    "Requests in flight at once.",
  ),
  rate: setting(
    "politeness",
    "Requests/s per host",
    unlessZero(z.number().min(0).default(0)),
    "Maximum requests per second to one host; 0 for no limit. A longer crawl-delay in robots.txt wins, if robots.txt is respected.",
  ),
  maxCrawlDelay: setting(
    "politeness",
    "Longest crawl-delay (s)",
    seconds().min(0).default(30),
    "The longest crawl-delay to respect, in seconds: some hosts ask for hours.",
  ),
  robots: setting(
    "politeness",
    "robots.txt",
    z.enum(ROBOTS_MODES).default("respect"),
    "Respect robots.txt, ignore it, or ignore it and report the URLs that it disallows.",
  ),
  userAgent: setting("politeness", "User agent", headerValue().min(1).default("trawl/0.1"), "The User-Agent header."),
  robotsAgent: setting(
    "politeness",
    "Name in robots.txt",
    z.string().min(1).max(200).default("trawl"),
    "The crawler name for robots.txt rules and robots directives.",
  ),
  retries: setting("politeness", "Retries", z.int().min(0).max(20).default(2), "Retries after a temporary failure."),

  headers: setting(
    "fetch",
    "Request headers",
    headersSetting.default({}),
    "Additional request headers. Those without secrets, such as Accept-Language, are sent to every host of the site; all others only to the start URLs' origins.",
  ),
  cookies: setting(
    "fetch",
    "Keep cookies",
    flag(true),
    "Keep the cookies that the site's hosts set for the duration of the crawl, and send them back to those hosts only.",
  ),
  auth: setting(
    "fetch",
    "User and password",
    z
      .string()
      .max(LONGEST_TEXT)
      .regex(/^[^:]+:.*$/, "expected user:password")
      .nullable()
      .default(null),
    "Basic authentication for the start URL's origin, as user:password.",
  ),
  credentialOrigins: setting(
    "fetch",
    "Origins that get credentials",
    z
      .array(z.url({ protocol: /^https?$/ }))
      .max(LONGEST_LIST)
      .default([]),
    "Send the password and secret headers to these origins instead of the start URLs': https://example.com is one, http://example.com and https://www.example.com are others.",
  ),
  proxy: setting(
    "fetch",
    "Proxy",
    ownerOnly(
      "it decides where requests and passwords are sent",
      z.url({ protocol: PROXY_SCHEME }).nullable().default(null),
    ),
    "HTTP or SOCKS5 proxy, such as http://user:password@127.0.0.1:3128 or socks5://127.0.0.1:1080.",
  ),
  connectTo: setting(
    "fetch",
    "Connect to",
    ownerOnly("it decides where requests and passwords are sent", texts()),
    "Connect to a different address, as HOST:PORT:ADDRESS:PORT (like curl).",
  ),
  ca: setting(
    "fetch",
    "Certificate file",
    ownerOnly("it names a file on this machine", z.string().nullable().default(null)),
    "File with additional certificates to trust (PEM).",
  ),
  insecure: setting(
    "fetch",
    "Accept any certificate",
    ownerOnly("it turns off the check of certificates", flag(false)),
    "Accept certificates that cannot be verified.",
  ),
  http2: setting("fetch", "HTTP/2", flag(false), "Use HTTP/2 if the host supports it."),
  allowPrivate: setting(
    "fetch",
    "Allow private addresses",
    ownerOnly("it lets pages reach the network of this machine", flag(false)),
    "Allow private addresses other than those of the start URLs. By default, a page cannot make Trawl send requests to your own network. Metadata services of clouds are refused in any case.",
  ),
  timeout: setting(
    "fetch",
    "Timeout (s)",
    seconds().positive().default(30),
    "The longest time for one request in total, in seconds.",
  ),
  maxBytes: setting(
    "fetch",
    "Largest response (bytes)",
    z.int().min(1_024).max(MOST_BODY_BYTES).default(MOST_BODY_BYTES),
    "Maximum bytes of a response, before and after decompression. A longer one is cut, and marked as truncated.",
  ),
  minBytesPerSecond: setting(
    "fetch",
    "Slowest response (bytes/s)",
    limit(100),
    "A response slower than this after ten seconds is given up; 0 for no limit.",
  ),
  checkHead: setting(
    "fetch",
    "Request headers first",
    flag(false),
    "Request headers first, and download only HTML, CSS and sitemaps.",
  ),
  cacheDir: setting(
    "fetch",
    "Cache folder",
    ownerOnly("it names a folder on this machine that is written to", z.string().nullable().default(null)),
    "Folder for a cache of responses, shared between crawls.",
  ),
  cacheMaxAge: setting(
    "fetch",
    "Cache lifetime (s)",
    z.number().min(0).default(3_600),
    "How long a cached response is used, in seconds.",
  ),

  stripParams: setting(
    "content",
    "Parameters to remove",
    z.array(z.string().min(1).max(LONGEST_TEXT)).max(LONGEST_LIST).nullable().default(null),
    "Query parameters to remove from URLs; a trailing * matches any ending. null for the built-in list of tracking parameters and session ids.",
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
    "Excluded from the hash",
    z.array(z.enum(HASH_STRIPS)).default([...DEFAULT_PAGE_OPTIONS.hash.strip]),
    "Parts of the page to leave out of the hash.",
  ),
  readErrorPages: setting(
    "content",
    "Read error pages",
    flag(true),
    "Read the title, text and links of pages with an error status (4xx, 5xx).",
  ),
  detectSoft404: setting(
    "content",
    "Detect soft 404s",
    flag(true),
    "Request one made-up address per host of the site with at least two pages, and mark pages that answer 200 with the same text, because they do not exist either. Not for lists, a single page, or with onUrl.",
  ),
  storeHeaders: setting("content", "Store headers", flag(true), "Store response headers."),
  storeHtml: setting(
    "content",
    "Store HTML",
    flag(false),
    "Store each page's HTML, compressed, so that you can read its text and source later. With rendering, the HTML after rendering.",
  ),

  audit: setting("audit", "Audit", flag(true), "Apply the audit rules when the crawl is complete."),
  checkTls: setting(
    "audit",
    "Check TLS versions",
    flag(false),
    "Open one more connection per host of the site, to see whether it still accepts TLS 1.0 or 1.1.",
  ),
  thresholds: setting(
    "audit",
    "Thresholds",
    texts(),
    "Thresholds of audit rules, as NAME=NUMBER, such as titleMaxChars=70; the reference of audit rules lists them.",
  ),
  ignoreRules: setting(
    "audit",
    "Rules to ignore",
    texts(),
    "Audit rules to turn off, such as desc.missing, or every rule that begins with desc.",
  ),
  acceptedFindings: setting(
    "audit",
    "File of accepted findings",
    ownerOnly("it names a file on this machine that is written to", z.string().nullable().default(null)),
    "YAML file with the findings that were accepted or ignored, such as one in your repository; by default one in Trawl's own folder.",
  ),

  render: setting(
    "rendering",
    "Run JavaScript",
    flag(false),
    "Run the page's JavaScript in a browser. Title, words, canonical, robots and links are then taken after the scripts ran; the raw values are stored too.",
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
    seconds().positive().default(0.5),
    "Seconds of the page's own time without requests or changes; after that, only its timers are waited for.",
  ),
  renderMax: setting(
    "rendering",
    "Longest rendering (s)",
    seconds().positive().default(10),
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
    "Types of requests that the browser does not send.",
  ),
  renderAudit: setting(
    "rendering",
    "Accessibility and layout",
    flag(true),
    "Check each rendered page with axe-core (accessibility), and its layout on a computer and a phone, for the audit.",
  ),
  browser: setting(
    "rendering",
    "Browser",
    ownerOnly("it names a program that is run on this machine", z.string().nullable().default(null)),
    "Path of the browser; null finds Chromium, Chrome or Edge.",
  ),
});

export type SiteConfig = z.infer<typeof siteConfigSchema>;
export type { SiteOptions } from "./site-options.ts";

/** Settings as given, by the schema; `SiteOptions` is the same with comments, and the compiler checks that it is. */
type Given = z.input<typeof siteConfigSchema>;
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
true satisfies Same<Required<Given>, Required<SiteOptions>>;

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
  // One by one: for all of them together, zod would first compile a parser, which every command would wait for.
  defaultValue: (schema as z.ZodType).parse(undefined),
}));

/** The highest value of each setting that is a number with a ceiling. */
const CEILINGS = SETTINGS.flatMap(({ name, schema }) => {
  const inner = schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  const most = inner instanceof z.ZodNumber ? inner.maxValue : null;
  return most === null || most === Number.MAX_SAFE_INTEGER ? [] : [{ name, most }];
});

/** Settings stored by a version without ceilings still work. */
export function withinCeilings<T extends SiteOptions>(stored: T): T {
  const lowered = CEILINGS.filter(({ name, most }) => Number(stored[name] ?? 0) > most);
  return lowered.length === 0
    ? stored
    : { ...stored, ...Object.fromEntries(lowered.map(({ name, most }) => [name, most])) };
}

/** Throws a TrawlError that lists everything that is wrong. */
export const parseConfig = (options: unknown): SiteConfig => parseSettings(siteConfigSchema, options ?? {});

/** Everything that is wrong with the settings; empty when they are valid. */
export const configProblems = (options: unknown): SettingProblem[] => settingProblems(siteConfigSchema, options ?? {});
