/** Every reason why a URL is not archived: the code that metadata, metrics and `validate-policy` show, and its meaning. */

export const REASONS = {
  host_not_allowed: "The host is not one that this archive is about.",
  subdomain_denied: "The host is one that must never be asked.",
  denied_pattern: "The URL matches a pattern that is denied.",
  not_in_allowlist: "The URL matches no pattern that is allowed.",
  robots_disallow: "robots.txt of the host forbids it, or could not be read.",
  max_depth: "It is too many links away from the seeds.",
  max_redirects: "Too many redirects in a row led there.",
  repo_max_pages: "Enough pages of its repo are archived.",
  repo_max_issues: "Enough issues of its repo are archived.",
  repo_max_prs: "Enough pull requests of its repo are archived.",
} as const;

export type Reason = keyof typeof REASONS;

/** What the policy says, whatever was archived before. */
export const POLICY_REASONS = [
  "host_not_allowed",
  "subdomain_denied",
  "denied_pattern",
  "not_in_allowlist",
  "robots_disallow",
] as const satisfies readonly Reason[];

/** A shorter way to the same URL may still be found: after a retry, pages do not come in the order of their depths. */
export const PROVISIONAL_REASONS: ReadonlySet<string> = new Set<Reason>(["max_depth"]);
