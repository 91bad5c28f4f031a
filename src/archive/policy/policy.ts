/**
 * What the policy says about a canonical URL from its text alone: subdomain, host, deny patterns, allow patterns, page
 * number in a list. Also says which type of page it is, and of which repo.
 */

import type { MetaCodec } from "../../kernel/ledger.ts";
import type { Verdict } from "../../kernel/task.ts";
import { type SafeRegex, safeRegex } from "../../web/safe-regex.ts";
import { detectTrap } from "../../web/trap.ts";
import { hostOf } from "../../web/url.ts";
import type { ArchiveSettings } from "../config/parse-archive-config.ts";
import { capName, type PageTypeRule, type Profile } from "../profile/profile.ts";
import { type RepoOf, repoNaming } from "../profile/repo-name.ts";
import { hostMatcher } from "./hosts.ts";

/** Why a URL is not archived: the code that metadata, metrics and `validate-policy` show, and its meaning. */
export const REASONS = {
  host_not_allowed: "The host is not one of the archive's hosts.",
  subdomain_denied: "The host must never be requested.",
  denied_pattern: "The URL matches a deny pattern.",
  not_in_allowlist: "The URL matches no allow pattern.",
  robots_disallow: "The host's robots.txt forbids it, or could not be read.",
  max_depth: "It is too many links away from the seeds.",
  max_redirects: "Too many redirects in a row led there.",
  max_page: "It is too far down a list.",
  repo_max_pages: "The cap on pages of its repo is reached.",
  repo_max_issues: "The cap on issues of its repo is reached.",
  repo_max_prs: "The cap on pull requests of its repo is reached.",
} as const;

/** A profile may define caps under names of its own; each has a reason like those above. */
export type Reason = keyof typeof REASONS | `repo_max_${string}`;

/** The meaning of a reason; null for a text that is not a reason. */
export function reasonMeaning(reason: string): string | null {
  if (Object.hasOwn(REASONS, reason)) return REASONS[reason as keyof typeof REASONS];
  const cap = capName(`per_${reason}`);
  return cap === null ? null : `The cap on ${cap.replaceAll("_", " ")} of its repo is reached.`;
}

/** Reasons that depend on the policy alone, not on what was archived before. */
export const POLICY_REASONS = [
  "host_not_allowed",
  "subdomain_denied",
  "denied_pattern",
  "not_in_allowlist",
  "robots_disallow",
] as const satisfies readonly Reason[];

/**
 * A shorter path to the same URL may still be found: after a retry, pages do not arrive in the order of their depths.
 */
export const PROVISIONAL_REASONS: ReadonlySet<string> = new Set<Reason>(["max_depth"]);

interface Pattern {
  written: string;
  regex: SafeRegex;
}

export interface Policy {
  /** The verdict against the URL; null if there isn't one. */
  judge(url: string): Verdict | null;
}

export const skip = (reason: Reason, rule: string): Verdict => ({ action: "skip", reason, rule });

const compile = (patterns: readonly string[]): Pattern[] =>
  patterns.map((written) => ({ written, regex: safeRegex(written, "") }));

type PolicySettings = Pick<ArchiveSettings, "hosts" | "deniedSubdomains" | "allow" | "deny" | "profile">;

export function createPolicy(settings: PolicySettings): Policy {
  const { profile } = settings;
  const isAllowed = hostMatcher(settings.hosts);
  const denied = settings.deniedSubdomains.map((name) => ({ name, matches: subdomainMatcher(name) }));
  const deny = compile(settings.deny);
  const allow = compile(settings.allow);
  const types = new PageTypes(profile);
  return {
    judge(url) {
      const host = hostOf(url);
      // Before the allowed hosts: otherwise a denied subdomain would never be reported as one.
      const subdomain = denied.find(({ matches }) => matches(host));
      if (subdomain !== undefined) return skip("subdomain_denied", `scope.denied_subdomains: ${subdomain.name}`);
      if (!isAllowed(host)) return skip("host_not_allowed", `scope.allowed_hosts: ${settings.hosts.join(", ")}`);
      const against = deny.find(({ regex }) => regex.test(url));
      if (against !== undefined) return skip("denied_pattern", `scope.deny_patterns: ${against.written}`);
      if (!allow.some(({ regex }) => regex.test(url))) return skip("not_in_allowlist", "scope.allow_patterns");
      const trap = profile.max_repeats === 0 ? null : detectTrap(url, profile.max_repeats);
      if (trap !== null) return skip("denied_pattern", `profile ${profile.name}, max_repeats: ${trap}`);
      return farDown(url, types);
    },
  };
}

/** A host and all its subdomains; with a wildcard, only the subdomains. */
const subdomainMatcher = (name: string): ((host: string) => boolean) =>
  hostMatcher(name.startsWith("*.") ? [name] : [name, `*.${name}`]);

/** A canonical URL has a page number only where its type has pages, and never the first number. */
function farDown(url: string, types: PageTypes): Verdict | null {
  const question = types.pageParams.size === 0 ? -1 : url.indexOf("?");
  if (question < 0) return null;
  const pagination = types.paginationOf(url);
  if (pagination === null || pagination.max === 0) return null;
  const page = new URLSearchParams(url.slice(question)).get(pagination.param);
  if (page === null || Number(page) <= pagination.max) return null;
  return skip("max_page", `page_types, pagination: ${pagination.param} up to ${pagination.max}`);
}

/** What the archive knows about a find. */
export interface ArchiveMeta {
  /** The number of its page type; 0 for a URL that no rule matches. */
  readonly pageType: number;
  /** For a URL that was refused before: the page that led to it. */
  readonly referrer?: string;
}

/** There are a few types and millions of URLs: each meta is made once. */
const metas: ArchiveMeta[] = [];

export const metaOfType = (pageType: number): ArchiveMeta => (metas[pageType] ??= { pageType });

/** A URL that no rule matches, or that the policy refuses. */
export const NO_TYPE = metaOfType(0);

/** How a URL was found is not stored: every find counts as a link or a seed. */
export const ARCHIVE_META: MetaCodec<ArchiveMeta> = {
  viaOf: () => 0,
  kindOf: ({ pageType }) => pageType,
  metaOf: (_via, kind) => metaOfType(kind),
  referrerOf: ({ referrer = null }) => referrer,
};

interface CompiledType {
  rule: PageTypeRule;
  regex: SafeRegex;
  repoOf: RepoOf;
}

export class PageTypes {
  readonly #types: CompiledType[];
  /** Query parameters that number the pages of any type's lists. */
  readonly pageParams: ReadonlySet<string>;

  constructor(profile: Pick<Profile, "page_types" | "repo_segments">) {
    this.#types = profile.page_types.map((rule) => {
      const regex = safeRegex(rule.pattern, "");
      return { rule, regex, repoOf: repoNaming(rule.repo, regex, profile.repo_segments) };
    });
    this.pageParams = new Set(profile.page_types.flatMap(({ pagination }) => pagination?.param ?? []));
  }

  /** The number that stands for the type of a URL in the kernel. */
  numberOf(url: string): number {
    return this.#types.findIndex(({ regex }) => regex.test(url)) + 1;
  }

  metaOf(url: string): ArchiveMeta {
    return metaOfType(this.numberOf(url));
  }

  ruleOf(number: number): PageTypeRule | null {
    return this.#types[number - 1]?.rule ?? null;
  }

  /** Empty for a URL that no rule matches. */
  nameOf(number: number): string {
    return this.ruleOf(number)?.name ?? "";
  }

  /** The repo with its host; null for a page that does not belong to a repo. */
  repoOf(url: string, number: number): string | null {
    return this.#types[number - 1]?.repoOf(url) ?? null;
  }

  /** How the lists of this URL's type number their pages; null when they do not. */
  paginationOf(url: string): PageTypeRule["pagination"] {
    return this.pageParams.size === 0 ? null : (this.ruleOf(this.numberOf(url))?.pagination ?? null);
  }
}
