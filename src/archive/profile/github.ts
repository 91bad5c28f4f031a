/** The built-in profile: the pages of github.com that its robots.txt and terms leave open to a patient reader. */
import type { Profile } from "./profile.ts";

const HOST = String.raw`^https://github\.com`;
const REPO = `${HOST}/[^/?#]+/[^/?#]+`;

/** First path segments that look like owners but are not: /features/actions is not a repo. */
const NOT_OWNERS = [
  "about",
  "account",
  "apps",
  "collections",
  "contact",
  "customer-stories",
  "dashboard",
  "enterprise",
  "events",
  "explore",
  "features",
  "issues",
  "join",
  "login",
  "logout",
  "marketplace",
  "new",
  "notifications",
  "organizations",
  "orgs",
  "password_reset",
  "premium-support",
  "pricing",
  "pulls",
  "readme",
  "resources",
  "search",
  "security",
  "sessions",
  "settings",
  "signup",
  "site",
  "solutions",
  "sponsors",
  "stars",
  "team",
  "users",
  "watching",
];

export const GITHUB: Profile = {
  name: "github",
  hosts: ["github.com"],
  hosts_fixed: true,
  denied_subdomains: [
    "api.github.com",
    "codeload.github.com",
    "gist.github.com",
    "githubusercontent.com",
    "raw.githubusercontent.com",
  ],
  allow_patterns: [
    `${HOST}/topics(/[^/?#]+)?$`,
    `${HOST}/trending$`,
    `${REPO}$`,
    `${REPO}/blob/[^?#]+$`,
    `${REPO}/issues(/[0-9]+)?([?][^#]*)?$`,
    `${REPO}/pulls?(/[0-9]+)?([?][^#]*)?$`,
  ],
  deny_patterns: [
    `${HOST}/(${NOT_OWNERS.join("|")})(/|$)`,
    `${REPO}/(search|tree|commits?|graphs|compare|archive|raw|blame|edit|releases|actions|network|pulse)(/|$)`,
    `${HOST}/trending/`,
    "[?&](q|tab|since)=",
  ],
  page_types: [
    { name: "topic", pattern: `${HOST}/topics(/[^/?#]+)?$`, repo: false, cap: null, target: false },
    { name: "trending", pattern: `${HOST}/trending$`, repo: false, cap: null, target: false },
    { name: "repo_root", pattern: `${REPO}$`, repo: true, cap: null, target: true },
    { name: "blob", pattern: `${REPO}/blob/`, repo: true, cap: null, target: true },
    { name: "issues", pattern: `${REPO}/issues(/[0-9]+)?([?]|$)`, repo: true, cap: "issues", target: true },
    { name: "pull", pattern: `${REPO}/pulls?(/[0-9]+)?([?]|$)`, repo: true, cap: "prs", target: true },
  ],
  repo_segments: 2,
  caps: { per_repo_max_pages: 30, per_repo_max_issues: 10, per_repo_max_prs: 10, max_depth: 4 },
  seeds: ["https://github.com/topics", "https://github.com/trending"],
  links: [
    { name: "robots.txt", url: "https://github.com/robots.txt" },
    {
      name: "acceptable use",
      url: "https://docs.github.com/en/site-policy/acceptable-use-policies/github-acceptable-use-policies",
    },
    { name: "terms", url: "https://docs.github.com/en/site-policy/github-terms/github-terms-of-service" },
  ],
};
