/**
 * Settings of a site crawl as they are given: everything has a default.
 *
 * Written by `npm run docs` from the schema in site-config.ts, which checks that both agree.
 */
export interface SiteOptions {
  /**
   * Where URLs come from: links of pages, sitemaps, requests that pages make while they are rendered (rendering
   * always includes these), and /llms.txt of the hosts where the crawl begins. Default: ["spider","sitemap"].
   */
  discovery?: Array<"spider" | "sitemap" | "network" | "llms" | "resources"> | undefined;
  /** Sitemaps to read in addition to those in robots.txt, or /sitemap.xml. Default: []. */
  sitemapUrls?: Array<string> | undefined;
  /**
   * Fetch the resources of pages (images, scripts, styles, fonts, media) to find broken ones, regardless of
   * discovery. Default: true.
   */
  checkResources?: boolean | undefined;
  /**
   * Types of resources to check; other stands for manifests and embedded objects. Without style, images and fonts
   * that only style sheets name are not found. Default: ["image","script","style","font","media","other"].
   */
  resourceTypes?: Array<"image" | "script" | "style" | "font" | "media" | "other"> | undefined;
  /** Check resources on other hosts too. Default: true. */
  checkExternalResources?: boolean | undefined;
  /** Check whether linked pages on other hosts exist. Their links are not followed. Default: false. */
  checkExternalLinks?: boolean | undefined;
  /** Crawl only the start URL and its resources. Default: false. */
  singlePage?: boolean | undefined;
  /** Treat subdomains of the start URL's domain as part of the site. Default: true. */
  includeSubdomains?: boolean | undefined;
  /**
   * Other hosts that belong to the site, such as docs.example.net. With includeSubdomains, their subdomains belong
   * to it too. Default: [].
   */
  allowedDomains?: Array<string> | undefined;
  /** Crawl only the folder of the start URL. Default: false. */
  startFolder?: boolean | undefined;
  /**
   * Crawl only URLs that match one of these: globs such as https://example.com/blog/*, or /regular expressions/.
   * Default: [].
   */
  include?: Array<string> | undefined;
  /** Never crawl URLs that match one of these. Same syntax as include. Default: []. */
  exclude?: Array<string> | undefined;
  /** Follow links within the site that are marked nofollow. Default: false. */
  followInternalNofollow?: boolean | undefined;
  /** Check links to other hosts that are marked nofollow. Default: false. */
  followExternalNofollow?: boolean | undefined;
  /** Do not follow the links of pages marked noindex, in meta tags or in the X-Robots-Tag header. Default: false. */
  respectNoindex?: boolean | undefined;
  /** Do not follow the links of pages that a meta tag marks noindex. Default: false. */
  respectNoindexMeta?: boolean | undefined;
  /** Do not follow the links of pages that the X-Robots-Tag header marks noindex. Default: false. */
  respectNoindexHeader?: boolean | undefined;
  /**
   * Skip analytics and tracking URLs, and record data URLs of web frameworks (such as /_next/data/) without
   * fetching them. Default: true.
   */
  skipTrackers?: boolean | undefined;
  /** Maximum number of URLs to fetch; 0 for no limit. Default: 0. */
  maxUrls?: number | undefined;
  /**
   * Maximum number of pages: HTML documents that answered 2xx. Redirects, broken links, files and resources do not
   * count; 0 for no limit. Default: 0.
   */
  maxPages?: number | undefined;
  /** Maximum number of URLs to fetch from one host; 0 for no limit. Default: 0. */
  maxUrlsPerHost?: number | undefined;
  /**
   * Stop endless parts of the site, such as calendars, combinations of filters and mazes, once their pages bring
   * nothing new: no new content, and no links to anything else. Large catalogues are not affected. Default: true.
   */
  stopTraps?: boolean | undefined;
  /**
   * Maximum number of URLs to fetch per pattern (URLs that differ only in numbers, dates and ids); 0 for no limit.
   * Default: 0.
   */
  maxUrlsPerPattern?: number | undefined;
  /** Maximum number of URLs to fetch that differ only in their query; 0 for no limit. Default: 0. */
  maxQueryVariants?: number | undefined;
  /**
   * Maximum number of links from the start; 0 for no limit. A sitemap counts as a page linked from the start.
   * Default: 0.
   */
  maxDepth?: number | undefined;
  /** Maximum number of redirects in a row; browsers give up at 20. Default: 10. */
  maxRedirects?: number | undefined;
  /** Longer URLs are skipped; 2,083 characters was the limit of the strictest browsers. Default: 2083. */
  maxUrlLength?: number | undefined;
  /** How many times a path segment may occur; beyond that, the URL counts as a loop of relative links. Default: 3. */
  maxRepeatedSegments?: number | undefined;
  /** Maximum number of links to read per page; if there are more, the page is marked. Default: 20000. */
  maxLinksPerPage?: number | undefined;
  /** Requests in flight at once. Default: 5. */
  parallelism?: number | undefined;
  /**
   * Maximum requests per second to one host; 0 for no limit. A longer crawl-delay in robots.txt wins, if robots.txt
   * is respected. Default: 0.
   */
  rate?: number | undefined;
  /** The longest crawl-delay to respect, in seconds: some hosts ask for hours. Default: 30. */
  maxCrawlDelay?: number | undefined;
  /** Respect robots.txt, ignore it, or ignore it and report the URLs that it disallows. Default: "respect". */
  robots?: "respect" | "ignore" | "ignore-report" | undefined;
  /** The User-Agent header. Default: "trawl/0.1". */
  userAgent?: string | undefined;
  /** The crawler name for robots.txt rules and robots directives. Default: "trawl". */
  robotsAgent?: string | undefined;
  /** Retries after a temporary failure. Default: 2. */
  retries?: number | undefined;
  /**
   * Additional request headers. Those without secrets, such as Accept-Language, are sent to every host of the site;
   * all others only to the start URLs' origins. Default: {}.
   */
  headers?: Record<string, string> | undefined;
  /**
   * Keep the cookies that the site's hosts set for the duration of the crawl, and send them back to those hosts
   * only. Default: true.
   */
  cookies?: boolean | undefined;
  /** Basic authentication for the start URL's origin, as user:password. Default: null. */
  auth?: string | null | undefined;
  /**
   * Send the password and secret headers to these origins instead of the start URLs': https://example.com is one,
   * http://example.com and https://www.example.com are others. Default: [].
   */
  credentialOrigins?: Array<string> | undefined;
  /** HTTP or SOCKS5 proxy, such as http://user:password@127.0.0.1:3128 or socks5://127.0.0.1:1080. Default: null. */
  proxy?: string | null | undefined;
  /** Connect to a different address, as HOST:PORT:ADDRESS:PORT (like curl). Default: []. */
  connectTo?: Array<string> | undefined;
  /** File with additional certificates to trust (PEM). Default: null. */
  ca?: string | null | undefined;
  /** Accept certificates that cannot be verified. Default: false. */
  insecure?: boolean | undefined;
  /** Use HTTP/2 if the host supports it. Default: false. */
  http2?: boolean | undefined;
  /**
   * Allow private addresses other than those of the start URLs. By default, a page cannot make Trawl send requests
   * to your own network. Metadata services of clouds are refused in any case. Default: false.
   */
  allowPrivate?: boolean | undefined;
  /** The longest time for one request in total, in seconds. Default: 30. */
  timeout?: number | undefined;
  /**
   * Maximum bytes of a response, before and after decompression. A longer one is cut, and marked as truncated.
   * Default: 50000000.
   */
  maxBytes?: number | undefined;
  /** A response slower than this after ten seconds is given up; 0 for no limit. Default: 100. */
  minBytesPerSecond?: number | undefined;
  /** Request headers first, and download only HTML, CSS and sitemaps. Default: false. */
  checkHead?: boolean | undefined;
  /** Folder for a cache of responses, shared between crawls. Default: null. */
  cacheDir?: string | null | undefined;
  /** How long a cached response is used, in seconds. Default: 3600. */
  cacheMaxAge?: number | undefined;
  /**
   * Query parameters to remove from URLs; a trailing * matches any ending. null for the built-in list of tracking
   * parameters and session ids. Default: null.
   */
  stripParams?: Array<string> | null | undefined;
  /** Treat URLs that differ in the order of their query parameters as the same. Default: false. */
  sortQuery?: boolean | undefined;
  /** Compute a hash of each page's content, which finds pages with the same content. Default: true. */
  hashContent?: boolean | undefined;
  /** The algorithm of the content hash. Default: "sha1". */
  contentHash?: "sha1" | "md5" | "sha256" | undefined;
  /** Parts of the page to leave out of the hash. Default: ["scripts","styles","comments","whitespace"]. */
  contentHashStrip?: Array<"scripts" | "styles" | "comments" | "navigation" | "whitespace" | "timestamps"> | undefined;
  /** Read the title, text and links of pages with an error status (4xx, 5xx). Default: true. */
  readErrorPages?: boolean | undefined;
  /**
   * Request one made-up address per host of the site with at least two pages, and mark pages that answer 200 with
   * the same text, because they do not exist either. Not for lists, a single page, or with onUrl. Default: true.
   */
  detectSoft404?: boolean | undefined;
  /** Store response headers. Default: true. */
  storeHeaders?: boolean | undefined;
  /**
   * Store each page's HTML, compressed, so that you can read its text and source later. With rendering, the HTML
   * after rendering. Default: false.
   */
  storeHtml?: boolean | undefined;
  /** Apply the audit rules when the crawl is complete. Default: true. */
  audit?: boolean | undefined;
  /** Open one more connection per host of the site, to see whether it still accepts TLS 1.0 or 1.1. Default: false. */
  checkTls?: boolean | undefined;
  /**
   * Thresholds of audit rules, as NAME=NUMBER, such as titleMaxChars=70; the reference of audit rules lists them.
   * Default: [].
   */
  thresholds?: Array<string> | undefined;
  /** Audit rules to turn off, such as desc.missing, or every rule that begins with desc. Default: []. */
  ignoreRules?: Array<string> | undefined;
  /**
   * YAML file with the findings that were accepted or ignored, such as one in your repository; by default one in
   * Trawl's own folder. Default: null.
   */
  acceptedFindings?: string | null | undefined;
  /**
   * Run the page's JavaScript in a browser. Title, words, canonical, robots and links are then taken after the
   * scripts ran; the raw values are stored too. Default: false.
   */
  render?: boolean | undefined;
  /** Pages rendered at once. Default: 4. */
  renderTabs?: number | undefined;
  /**
   * Seconds of the page's own time without requests or changes; after that, only its timers are waited for.
   * Default: 0.5.
   */
  renderSettle?: number | undefined;
  /**
   * Seconds, of real time or of the page's own time, after which a page that never settles is taken as it is.
   * Default: 10.
   */
  renderMax?: number | undefined;
  /** Scroll each page to its end, to load what is only loaded when it comes into view. Default: false. */
  renderScroll?: boolean | undefined;
  /**
   * Treat addresses such as #/about and #!about as pages of their own, each rendered; for sites that route by them.
   * Default: false.
   */
  renderHashRoutes?: boolean | undefined;
  /** Types of requests that the browser does not send. Default: ["image","media","font"]. */
  renderBlock?: Array<string> | undefined;
  /**
   * Check each rendered page with axe-core (accessibility), and its layout on a computer and a phone, for the
   * audit. Default: true.
   */
  renderAudit?: boolean | undefined;
  /** Path of the browser; null finds Chromium, Chrome or Edge. Default: null. */
  browser?: string | null | undefined;
}
