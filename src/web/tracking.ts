/** What most people never want crawled: parameters that only attribute clicks, and URLs that only record visits. */
import { hostOf } from "./url.ts";

/**
 * Query parameters that say where a visitor came from and never change the page; form: see `QueryOptions.stripParams`.
 * A name is here only if no site is known to use it for content, so `ref`, `source` and `campaign` are not.
 */
export const TRACKING_PARAMETERS: readonly string[] = [
  // Campaigns: Google Analytics' own, and Matomo's.
  ...["utm_*", "mtm_*", "pk_campaign", "pk_kwd", "pk_keyword", "pk_source", "pk_medium", "pk_content", "piwik_*"],
  // Click ids of advertisers: Google, Meta, Microsoft, Yandex, X, TikTok, LinkedIn, Pinterest, Reddit, Snapchat, Impact.
  ...["gclid", "gclsrc", "dclid", "gbraid", "wbraid", "gad_source", "gad_campaignid", "srsltid"],
  ...["fbclid", "fb_action_ids", "fb_action_types", "fb_source", "fb_ref", "igshid", "igsh"],
  ...[
    "msclkid",
    "yclid",
    "ysclid",
    "_openstat",
    "twclid",
    "ttclid",
    "li_fat_id",
    "epik",
    "rdt_cid",
    "sccid",
    "irclickid",
  ],
  // Google Analytics across domains.
  ...["_ga", "_gl", "_gac"],
  // Mailings: Mailchimp, Marketo, HubSpot, Klaviyo, Vero, Omeda, MailerLite, dotdigital.
  ...["mc_cid", "mc_eid", "mkt_tok", "_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsctatracking"],
  ...["_ke", "_kx", "vero_id", "vero_conv", "oly_enc_id", "oly_anon_id", "ml_subscriber", "ml_subscriber_hash", "dm_i"],
  // Session ids: the same page under a new address for each visit.
  ...["phpsessid", "jsessionid", "aspsessionid*", "sessionid", "session_id", "sessid", "oscsid", "xtcsid", "zenid"],
  ...["cfid", "cftoken"],
];

export interface UrlAction {
  /** `record`: the URL is listed, but not fetched. */
  readonly action: "crawl" | "record" | "skip";
  /** The rule that decided, in words; null when none did. */
  readonly rule: string | null;
}

/** Hosts, with their subdomains, that are used only for tracking. The vendors' own sites are not listed: they may be crawled. */
const TRACKING_HOSTS = [
  ...[
    "google-analytics.com",
    "analytics.google.com",
    "googletagmanager.com",
    "googletagservices.com",
    "doubleclick.net",
  ],
  ...["googlesyndication.com", "googleadservices.com", "connect.facebook.net", "bat.bing.com", "clarity.ms"],
  ...["static.hotjar.com", "script.hotjar.com", "vars.hotjar.com", "in.hotjar.com", "hotjar.io"],
  ...[
    "cdn.segment.com",
    "api.segment.io",
    "cdn.mxpnl.com",
    "api.mixpanel.com",
    "cdn.amplitude.com",
    "api.amplitude.com",
  ],
  ...["edge.fullstory.com", "rs.fullstory.com", "cdn.heapanalytics.com", "js-agent.newrelic.com", "nr-data.net"],
  ...["browser.sentry-cdn.com", "ingest.sentry.io", "snap.licdn.com", "px.ads.linkedin.com", "static.ads-twitter.com"],
  ...["analytics.twitter.com", "analytics.tiktok.com", "ct.pinterest.com", "tr.snapchat.com", "sc-static.net"],
  ...["mc.yandex.ru", "mc.yandex.com", "cloudflareinsights.com", "quantserve.com", "scorecardresearch.com"],
  ...[
    "static.chartbeat.com",
    "ping.chartbeat.net",
    "script.crazyegg.com",
    "cdn.mouseflow.com",
    "criteo.com",
    "criteo.net",
  ],
  ...[
    "adnxs.com",
    "hs-analytics.net",
    "hs-scripts.com",
    "pixel.wp.com",
    "stats.wp.com",
    "c.statcounter.com",
    "i.posthog.com",
  ],
];

/**
 * Parts of a path that indicate tracking on any host, because sites also serve these from their own domain. A part that ends
 * with a slash may occur anywhere in a path; any other must be at its end.
 */
const TRACKING_PATHS = [
  ...["/gtag/js", "/gtm.js", "/g/collect", "/j/collect", "/matomo.js", "/matomo.php", "/piwik.js", "/piwik.php"],
  ...["//www.facebook.com/tr/", "//www.facebook.com/tr", "/_vercel/insights/", "/_vercel/speed-insights/"],
  ...["/cdn-cgi/rum", "/cdn-cgi/beacon/", "/cdn-cgi/zaraz/", "/cdn-cgi/challenge-platform/"],
  // Cloudflare's replacement for `mailto:` links, which always answers 404.
  "/cdn-cgi/l/email-protection",
];

/** A framework's data for a page: the same content again. The second text, if given, must end the path. */
const FRAMEWORK_DATA: readonly [string, string?][] = [
  ["/_next/data/"], // Next.js
  ["/_payload.json"], // Nuxt
  ["/_nuxt/builds/", ".json"],
  ["/page-data/", ".json"], // Gatsby
  ["/__data.json"], // SvelteKit
  [".rsc"], // React server components
];

/** The same, recognised by a parameter. */
const FRAMEWORK_QUERIES = ["?_rsc=", "&_rsc="];

const CRAWL: UrlAction = Object.freeze({ action: "crawl", rule: null });

function named(action: UrlAction["action"], rule: string): UrlAction {
  return Object.freeze({ action, rule });
}

const HOSTS = new Map(TRACKING_HOSTS.map((host) => [host, named("skip", `tracking host ${host}`)]));
interface Mark {
  outcome: UrlAction;
  /** What the path must end with. */
  ending: string;
  inQuery: boolean;
}
const MARKS = new Map<string, Mark>();

function addPathMark(text: string, outcome: UrlAction, ending = text.endsWith("/") ? "" : text): void {
  MARKS.set(text, { outcome, ending, inQuery: false });
}

for (const text of TRACKING_PATHS) addPathMark(text, named("skip", `tracking path ${text}`));
for (const [text, ending] of FRAMEWORK_DATA) addPathMark(text, named("record", `framework data ${text}`), ending);
for (const text of FRAMEWORK_QUERIES) {
  MARKS.set(text, { outcome: named("record", `framework data ${text}`), ending: "", inQuery: true });
}

function escapeForRegex(text: string): string {
  return text.replace(/[.?/]/g, "\\$&");
}

/** Searches for all of them in one pass. The alternatives are plain texts, so it cannot backtrack far. */
const ANY_MARK = new RegExp([...MARKS.keys()].map(escapeForRegex).join("|"), "g");

function actionForHost(host: string): UrlAction | undefined {
  for (let name = host; ; ) {
    const outcome = HOSTS.get(name);
    if (outcome !== undefined) return outcome;
    const dot = name.indexOf(".");
    if (dot < 0) return undefined;
    name = name.slice(dot + 1);
  }
}

/** What happens to a URL if the user did not provide `onUrl`. Takes a canonical URL. */
export function defaultUrlAction(url: string): UrlAction {
  const byHost = actionForHost(hostOf(url));
  if (byHost !== undefined) return byHost;
  const question = url.indexOf("?");
  const pathEnd = question < 0 ? url.length : question;
  ANY_MARK.lastIndex = 0;
  for (let match = ANY_MARK.exec(url); match !== null; match = ANY_MARK.exec(url)) {
    const mark = MARKS.get(match[0])!;
    const inQuery = match.index >= pathEnd;
    if (inQuery === mark.inQuery && url.endsWith(mark.ending, pathEnd)) return mark.outcome;
  }
  return CRAWL;
}
