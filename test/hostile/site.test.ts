/** What a site does to a site crawl: every misbehaviour has a recorded result, and the crawl completes. */
import { BODIES } from "./cases/bodies.ts";
import { COOKIES } from "./cases/cookies.ts";
import { EGRESS } from "./cases/egress.ts";
import { BROKEN_HTTP, FLOODS, SLOW } from "./cases/http1.ts";
import { HTTP2, HTTP2_FLOODS, SLOW_HTTP2 } from "./cases/http2.ts";
import { PAGES } from "./cases/pages.ts";
import { REDIRECTS } from "./cases/redirects.ts";
import { ROBOTS, SLOW_ROBOTS } from "./cases/robots.ts";
import { SITEMAP_URLS, SITEMAPS } from "./cases/sitemaps.ts";
import { SLOW_TLS, TLS } from "./cases/tls.ts";
import { BUDGETED, BUDGETS, ENDLESS, TRAPS } from "./cases/traps.ts";
import { siteGroup } from "./site-group.ts";

/** For servers that misbehave before it is clear what was asked for. */
const NO_ROBOTS = { robots: "ignore" } as const;

siteGroup("HTTP/1.1", [...BROKEN_HTTP, ...FLOODS, ...BODIES, ...REDIRECTS, ...COOKIES]);
siteGroup("HTTP/2", [...HTTP2, ...HTTP2_FLOODS], { settings: { ...NO_ROBOTS, http2: true } });
siteGroup("TLS", TLS, { settings: NO_ROBOTS });
siteGroup("slow answers", [...SLOW, ...SLOW_ROBOTS], { settings: { timeout: 2.5 } });
siteGroup("slow connections", [...SLOW_TLS, ...SLOW_HTTP2], { settings: { ...NO_ROBOTS, http2: true, timeout: 2.5 } });
siteGroup("pages", PAGES);
siteGroup("robots.txt", ROBOTS);
siteGroup("sitemaps", SITEMAPS, { settings: { discovery: ["spider", "sitemap"], sitemapUrls: SITEMAP_URLS } });
siteGroup("private addresses", EGRESS, { settings: { checkResources: true, checkExternalLinks: true } });
siteGroup("traps", TRAPS);
siteGroup("traps that budgets end", BUDGETED, { settings: BUDGETS });
siteGroup("traps that end by themselves", ENDLESS, { settings: { checkResources: true } });
