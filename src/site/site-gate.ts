/** The site's gate: one verdict per URL, by rules in a fixed order, each with its reason and the setting behind it. */

import type { Known } from "../kernel/ledger.ts";
import { Budget } from "../kernel/seen.ts";
import { CRAWL, type Found, type Verdict } from "../kernel/task.ts";
import { compileFilters, type UrlFilter } from "../web/filter.ts";
import { urlPattern } from "../web/pattern.ts";
import type { Scope } from "../web/scope.ts";
import { defaultUrlAction } from "../web/tracking.ts";
import { detectTrap } from "../web/trap.ts";
import { hostOf, originOf, pathOf } from "../web/url.ts";
import { isListing, isResource, resourceTypeOf, type SiteMeta } from "./links/link-kinds.ts";
import { isPage } from "./numbers.ts";
import type { SiteConfig } from "./site-config.ts";
import type { Reason } from "./site-reasons.ts";

export type UrlAction = "crawl" | "record" | "skip";

export interface GateOptions {
  config: SiteConfig;
  scope: Scope;
  /** The robots.txt rule against a URL; null if there isn't one, or it is not known yet. */
  robots: (url: string) => Verdict | null;
  /** Whether the URL contains an address that is never requested. */
  refuses: (url: string) => boolean;
  /** The user's `onUrl`, called once per URL. */
  onUrl: ((url: string) => UrlAction | undefined) | null;
  /** Pages that were settled before a restart. */
  pages?: number;
}

/** Style sheets that import one another in a chain. Honest sites have two or three. */
const MOST_IMPORTS = 5;

const verdict = (action: "record" | "skip", reason: Reason, rule: string | null): Verdict => ({ action, reason, rule });
const skip = (reason: Reason, rule: string | null): Verdict => verdict("skip", reason, rule);
const record = (reason: Reason, rule: string | null): Verdict => verdict("record", reason, rule);

export class Gate {
  readonly #config: SiteConfig;
  readonly #scope: Scope;
  readonly #robots: GateOptions["robots"];
  readonly #refuses: GateOptions["refuses"];
  readonly #onUrl: GateOptions["onUrl"];
  readonly #excludes: readonly UrlFilter[];
  readonly #hosts: Budget;
  readonly #patterns: Budget;
  readonly #paths: Budget;
  readonly #hasLimits: boolean;
  /**
   * Guessed addresses without an answer yet. They use up no limit, because otherwise an address that may not exist
   * could keep a page out.
   */
  readonly #guesses = new Set<string>();
  #admitted = 0;
  /** Pages that are settled. */
  #pages: number;

  constructor({ config, scope, robots, refuses, onUrl, pages = 0 }: GateOptions) {
    this.#pages = pages;
    this.#config = config;
    this.#scope = scope;
    this.#robots = robots;
    this.#refuses = refuses;
    this.#onUrl = onUrl;
    this.#excludes = compileFilters(config.exclude);
    this.#hosts = new Budget(config.maxUrlsPerHost);
    this.#patterns = new Budget(config.maxUrlsPerPattern);
    this.#paths = new Budget(config.maxQueryVariants);
    this.#hasLimits = config.maxUrls + config.maxUrlsPerHost + config.maxUrlsPerPattern + config.maxQueryVariants > 0;
  }

  /** `again`: the URL had a provisional verdict, so `onUrl` was called before and did not object. */
  decide(found: Found<SiteMeta>, again: boolean): Verdict {
    const { key: url } = found;
    if (!URL.canParse(url)) return skip("invalid_url", null);
    const against =
      (again ? null : this.#asked(url)) ??
      this.#shape(url) ??
      this.#place(found) ??
      this.#path(found) ??
      this.#allowance(found);
    if (against !== null && against.action !== "crawl") return against;
    const spent = this.beyondPages(found);
    if (spent !== null) return spent;
    // Caps apply only to URLs that are known to exist, so a guess meets them once it is confirmed.
    if (found.meta.isGuess) {
      this.#guesses.add(url);
      return against ?? CRAWL;
    }
    const capped = this.#caps(url);
    if (capped !== null) return capped;
    if (this.#counts(url)) this.#spend(url);
    return against ?? CRAWL;
  }

  /** Caps continue where they were before a restart. */
  recover(known: Known): void {
    if (known.action === "crawl" && this.#counts(known.key)) this.#spend(known.key);
  }

  /** An admitted URL is not fetched after all, so it does not use up a limit. */
  release(url: string): void {
    if (!this.#guesses.delete(url) && this.#counts(url)) this.#spend(url, -1);
  }

  /**
   * A guess that was right uses up limits like any other URL. Returns the verdict against it if they were used up in
   * the meantime.
   */
  confirm(url: string): Verdict | undefined {
    if (!this.#guesses.has(url)) return undefined;
    const spent = this.#caps(url);
    if (spent !== null) return spent;
    this.#guesses.delete(url);
    if (this.#counts(url)) this.#spend(url);
    return undefined;
  }

  /** Whether a URL uses up limits. Links to addresses that are never requested must not take the place of pages. */
  #counts(url: string): boolean {
    return this.#hasLimits && !this.#refuses(url);
  }

  /** Whether the limit on URLs is used up. */
  get isFull(): boolean {
    return (this.#config.maxUrls > 0 && this.#admitted >= this.#config.maxUrls) || this.#hasAllPages;
  }

  get #hasAllPages(): boolean {
    return this.#config.maxPages > 0 && this.#pages >= this.#config.maxPages;
  }

  /** Only an answer shows whether a URL is a page. */
  settled(answer: Parameters<typeof isPage>[0]): void {
    if (isPage(answer)) this.#pages++;
  }

  /** The verdict against a document once there are enough pages. What those pages use is still fetched. */
  beyondPages({ meta }: Pick<Found<SiteMeta>, "meta">): Verdict | null {
    const mayBePage = !isResource(meta.kind) && meta.kind !== "request" && !isListing(meta.kind);
    return mayBePage && this.#hasAllPages ? skip("max_pages", `maxPages ${this.#config.maxPages}`) : null;
  }

  /** The user's `onUrl` decides first; without an answer, the built-in lists do. */
  #asked(url: string): Verdict | null {
    const answer = this.#onUrl?.(url);
    if (answer === "crawl") return null;
    if (answer !== undefined) return verdict(answer, "hook", "onUrl");
    if (!this.#config.skipTrackers) return null;
    const { action, rule } = defaultUrlAction(url);
    if (action === "skip") return skip("tracker", rule);
    return action === "record" ? record("framework_data", rule) : null;
  }

  #shape(url: string): Verdict | null {
    if (url.length > this.#config.maxUrlLength)
      return skip("url_too_long", `maxUrlLength ${this.#config.maxUrlLength}`);
    const loop = detectTrap(url, this.#config.maxRepeatedSegments);
    return loop === null ? null : skip("path_loop", loop);
  }

  /** Whether a URL of this kind on this host is wanted. */
  #place({ key: url, meta }: Found<SiteMeta>): Verdict | null {
    const config = this.#config;
    const { via, kind } = meta;
    if (via === "initial" || via === "list" || isListing(kind)) return null;
    if (kind === "form" || kind === "service") return record(kind, null);
    const { internal, inScope, reason, rule } = this.#scope.classify(url);
    // The scope applies only to the site's hosts; exclude patterns apply to any host.
    const excluded = internal ? undefined : this.#excludes.find((filter) => filter.matches(url));
    if (excluded !== undefined) return skip("excluded", excluded.written);
    if (kind === "request" && !config.render && !config.discovery.includes("network"))
      return record("network_off", "discovery");
    const resourceType = resourceTypeOf(kind);
    if (resourceType !== null) {
      if (!config.checkResources) return record("resources_off", "checkResources");
      if (!config.resourceTypes.includes(resourceType)) return record("resource_type_off", "resourceTypes");
      if (!internal && !config.checkExternalResources) return record("external_resource", "checkExternalResources");
      return reason === "excluded" ? skip("excluded", rule) : null;
    }
    if (!internal) return config.checkExternalLinks ? null : record("external", "checkExternalLinks");
    if (config.singlePage && via !== "redirect") return record("single_page", "singlePage");
    if (via === "spider" && !config.discovery.includes("spider")) return record("spider_off", "discovery");
    return inScope || reason === "external" || reason === null ? null : skip(reason, rule);
  }

  /** Whether the link may be followed. A resource is part of its page, so it may always be followed. */
  #path({ key: url, meta, depth, hops }: Found<SiteMeta>): Verdict | null {
    const config = this.#config;
    const follows = !isResource(meta.kind);
    if (follows && meta.isNofollow) {
      const { internal } = this.#scope.classify(url);
      const setting = internal ? "followInternalNofollow" : "followExternalNofollow";
      if (!config[setting]) return skip("nofollow", setting);
    }
    if (follows && meta.isOnNoindex && noindexRule(config) !== "") return skip("noindex", noindexRule(config));
    if (follows && config.maxDepth > 0 && depth > config.maxDepth) {
      return skip("too_deep", `maxDepth ${config.maxDepth}`);
    }
    if (meta.kind === "stylesheet" && meta.via !== "redirect") {
      return hops > MOST_IMPORTS ? skip("too_many_redirects", `${MOST_IMPORTS} style sheets in a row`) : null;
    }
    return hops > config.maxRedirects ? skip("too_many_redirects", `maxRedirects ${config.maxRedirects}`) : null;
  }

  /** robots.txt. A sitemap is published to be read, so only an unreachable robots.txt prevents fetching it. */
  #allowance({ key: url, meta }: Found<SiteMeta>): Verdict | null {
    const against = this.#robots(url);
    return meta.kind === "sitemap" && against?.reason !== "robots_unreachable" ? null : against;
  }

  #caps(url: string): Verdict | null {
    const { maxUrls } = this.#config;
    if (maxUrls > 0 && this.#admitted >= maxUrls) return skip("max_urls", `maxUrls ${maxUrls}`);
    if (!this.#hosts.has(hostOf(url)))
      return skip("max_urls_per_host", `maxUrlsPerHost ${this.#hosts.limit}: ${hostOf(url)}`);
    if (this.#patterns.limit > 0) {
      const pattern = patternKey(url);
      if (!this.#patterns.has(pattern)) {
        return skip("max_urls_per_pattern", `maxUrlsPerPattern ${this.#patterns.limit}: ${pattern}`);
      }
    }
    if (url.includes("?") && !this.#paths.has(pathKey(url))) {
      return skip("max_query_variants", `maxQueryVariants ${this.#paths.limit}: ${pathKey(url)}`);
    }
    return null;
  }

  #spend(url: string, count = 1): void {
    this.#admitted += count;
    this.#hosts.spend(hostOf(url), count);
    if (this.#patterns.limit > 0) this.#patterns.spend(patternKey(url), count);
    if (url.includes("?")) this.#paths.spend(pathKey(url), count);
  }
}

/** The settings that make noindex count, as a person would change them. */
const noindexRule = (config: SiteConfig): string =>
  (["respectNoindex", "respectNoindexMeta", "respectNoindexHeader"] as const).filter((name) => config[name]).join(", ");

const pathKey = (url: string): string => originOf(url) + pathOf(url);
const patternKey = (url: string): string => originOf(url) + urlPattern(url);
