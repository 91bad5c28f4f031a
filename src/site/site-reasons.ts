/** The table of reasons why a URL was not fetched: stable codes, and their meaning in words. */
import { FETCH_ERRORS, type FetchErrorCode } from "../net/fetch-errors.ts";

interface ReasonEntry {
  meaning: string;
  /** The setting that would change it, if one would. */
  setting: string | null;
  /** Another find of the same URL may still overcome it. */
  provisional: boolean;
}

const standing = (meaning: string, setting: string | null = null): ReasonEntry => ({
  meaning,
  setting,
  provisional: false,
});
const provisional = (meaning: string, setting: string | null = null): ReasonEntry => ({
  meaning,
  setting,
  provisional: true,
});

export const REASONS = {
  external: provisional("It is on another host.", "checkExternalLinks"),
  external_resource: provisional("It is a resource on another host.", "checkExternalResources"),
  resources_off: provisional("It is a resource, and resources are not checked.", "checkResources"),
  resource_type_off: provisional("It is a resource of a type that is not checked.", "resourceTypes"),
  spider_off: provisional("It is a link, and links are not followed.", "discovery"),
  network_off: provisional("It was requested by a page's script, and such requests are not fetched.", "discovery"),
  single_page: provisional("Only the start page is crawled.", "singlePage"),
  form: provisional("It is the target of a form, and forms are not submitted."),
  service: provisional(
    "A page declares it as a service for programs (pingback, EditURI, search, api.w.org) or as a page to prepare (prerender), but does not link to it.",
  ),
  nofollow: provisional("Every link to it is marked nofollow.", "followInternalNofollow"),
  noindex: provisional("It was found only on pages marked noindex.", "respectNoindex"),
  too_deep: provisional("It is farther from the start than the depth limit allows.", "maxDepth"),
  too_many_redirects: provisional(
    "It comes after too many redirects, or style sheets that import each other, in a row.",
    "maxRedirects",
  ),
  outside_folder: provisional("It is outside the folder of the start URL.", "startFolder"),
  excluded: standing("It matches an exclude pattern.", "exclude"),
  not_included: provisional("It matches no include pattern.", "include"),
  hook: standing("The onUrl function decided it."),
  tracker: standing("It is an analytics or tracking URL.", "skipTrackers"),
  framework_data: standing("It is data for a web framework, not a page.", "skipTrackers"),
  invalid_url: standing("Its address is not a valid URL."),
  url_too_long: standing("The URL is too long.", "maxUrlLength"),
  path_loop: standing("Its path repeats itself, as with broken relative links.", "maxRepeatedSegments"),
  trap_no_yield: provisional(
    "It belongs to an endless series of pages that brings nothing new, and only pages of that series link to it.",
    "stopTraps",
  ),
  robots_disallow: standing("robots.txt disallows it.", "robots"),
  robots_unreachable: standing("robots.txt could not be read, so nothing may be fetched.", "robots"),
  robots_ignored: standing("robots.txt disallows it; it was fetched anyway, as configured.", "robots"),
  no_sitemap: standing("Trawl looked for a sitemap at this usual address, and found nothing."),
  no_llms: standing("Trawl looked for an llms.txt there, and found nothing."),
  not_pulled: standing(
    "A fleet found it, but its crawl was pulled without it: it was not decided yet, or is on a different host than the one pulled.",
  ),
  max_urls: standing("The URL limit was reached.", "maxUrls"),
  max_pages: standing("The page limit was reached.", "maxPages"),
  max_urls_per_host: standing("The URL limit for this host was reached.", "maxUrlsPerHost"),
  max_urls_per_pattern: standing("The limit for this URL pattern was reached.", "maxUrlsPerPattern"),
  max_query_variants: standing("The limit for URLs that differ only in their query was reached.", "maxQueryVariants"),
} as const satisfies Record<string, ReasonEntry>;

export type Reason = keyof typeof REASONS;

export const PROVISIONAL_REASONS: ReadonlySet<string> = new Set(
  Object.entries(REASONS)
    .filter(([, entry]) => entry.provisional)
    .map(([code]) => code),
);

export const reasonMeaning = (reason: string | null): string => REASONS[reason as Reason]?.meaning ?? "";
export const reasonSetting = (reason: string | null): string | null => REASONS[reason as Reason]?.setting ?? null;

/** A fetch error in words, with its cause. */
export function fetchErrorMeaning(code: string, detail: unknown = null): string {
  const message = FETCH_ERRORS[code as FetchErrorCode]?.message ?? code;
  return detail === null ? message : `${message} (${detail})`;
}
