/**
 * What the policy says about a canonical URL, by its text alone: subdomain, host, deny patterns, allow patterns; and
 * which type of page of which repo it is.
 */

import type { MetaCodec } from "../../kernel/ledger.ts";
import type { Verdict } from "../../kernel/task.ts";
import { type SafeRegex, safeRegex } from "../../web/filter.ts";
import { hostOf, pathOf } from "../../web/url.ts";
import type { ArchiveSettings } from "../config/parse-archive-config.ts";
import type { PageTypeRule, Profile } from "../profile/profile.ts";

/** Why a URL is not archived: the code that metadata, metrics and `validate-policy` show, and its meaning. */
export const REASONS = {
  host_not_allowed: "The host is not one of the archive's hosts.",
  subdomain_denied: "The host must never be requested.",
  denied_pattern: "The URL matches a deny pattern.",
  not_in_allowlist: "The URL matches no allow pattern.",
  robots_disallow: "The host's robots.txt forbids it, or could not be read.",
  max_depth: "It is too many links away from the seeds.",
  max_redirects: "Too many redirects in a row led there.",
  repo_max_pages: "The cap on pages of its repo is reached.",
  repo_max_issues: "The cap on issues of its repo is reached.",
  repo_max_prs: "The cap on pull requests of its repo is reached.",
} as const;

export type Reason = keyof typeof REASONS;

/** Reasons that depend on the policy alone, not on what was archived before. */
export const POLICY_REASONS = [
  "host_not_allowed",
  "subdomain_denied",
  "denied_pattern",
  "not_in_allowlist",
  "robots_disallow",
] as const satisfies readonly Reason[];

/** A shorter path to the same URL may still be found: after a retry, pages do not come in the order of their depths. */
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

export function createPolicy(settings: Pick<ArchiveSettings, "hosts" | "deniedSubdomains" | "allow" | "deny">): Policy {
  const hosts = new Set(settings.hosts);
  const denied = settings.deniedSubdomains;
  const deny = compile(settings.deny);
  const allow = compile(settings.allow);
  return {
    judge(url) {
      const host = hostOf(url);
      // Before the allowed hosts: otherwise a denied subdomain would never be reported as one.
      const subdomain = denied.find((name) => host === name || host.endsWith(`.${name}`));
      if (subdomain !== undefined) return skip("subdomain_denied", `scope.denied_subdomains: ${subdomain}`);
      if (!hosts.has(host)) return skip("host_not_allowed", `scope.allowed_hosts: ${settings.hosts.join(", ")}`);
      const against = deny.find(({ regex }) => regex.test(url));
      if (against !== undefined) return skip("denied_pattern", `scope.deny_patterns: ${against.written}`);
      if (!allow.some(({ regex }) => regex.test(url))) return skip("not_in_allowlist", "scope.allow_patterns");
      return null;
    },
  };
}

/** What the archive knows about a find. */
export interface ArchiveMeta {
  /** The number of its page type; 0 for a URL that no rule matches. */
  readonly pageType: number;
}

/** There are a few types and millions of URLs: each meta is made once. */
const metas: ArchiveMeta[] = [];

export const metaOfType = (pageType: number): ArchiveMeta => (metas[pageType] ??= { pageType });

/** A URL that no rule matches, or that the policy refuses. */
export const NO_TYPE = metaOfType(0);

/** How a URL was found is not stored: every find is a link or a seed. */
export const ARCHIVE_META: MetaCodec<ArchiveMeta> = {
  viaOf: () => 0,
  kindOf: ({ pageType }) => pageType,
  metaOf: (_via, kind) => metaOfType(kind),
};

export class PageTypes {
  readonly #rules: { rule: PageTypeRule; regex: SafeRegex }[];
  readonly #repoSegments: number;

  constructor(profile: Pick<Profile, "page_types" | "repo_segments">) {
    this.#rules = profile.page_types.map((rule) => ({ rule, regex: safeRegex(rule.pattern, "") }));
    this.#repoSegments = profile.repo_segments;
  }

  /** The number that stands for the type of a URL in the kernel. */
  numberOf(url: string): number {
    return this.#rules.findIndex(({ regex }) => regex.test(url)) + 1;
  }

  metaOf(url: string): ArchiveMeta {
    return metaOfType(this.numberOf(url));
  }

  ruleOf(number: number): PageTypeRule | null {
    return this.#rules[number - 1]?.rule ?? null;
  }

  /** Empty for a URL that no rule matches. */
  nameOf(number: number): string {
    return this.ruleOf(number)?.name ?? "";
  }

  /** Host and leading segments of the path; null for a page that does not belong to a repo. */
  repoOf(url: string, number: number): string | null {
    if (this.ruleOf(number)?.repo !== true) return null;
    const segments = pathOf(url).split("/", this.#repoSegments + 1);
    return (hostOf(url) + segments.join("/")).toLowerCase();
  }
}
