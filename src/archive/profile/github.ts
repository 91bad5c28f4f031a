/** The built-in profile: the pages of github.com that its robots.txt and terms leave open to a patient reader. */
import { type Profile, profileSchema } from "./profile.ts";

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

export const GITHUB: Profile = profileSchema.parse({
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
    { name: "topic", pattern: `${HOST}/topics(/[^/?#]+)?$` },
    { name: "trending", pattern: `${HOST}/trending$` },
    { name: "repo_root", pattern: `${REPO}$`, repo: true, target: true },
    { name: "blob", pattern: `${REPO}/blob/`, repo: true, target: true },
    { name: "issues", pattern: `${REPO}/issues/[0-9]+([?]|$)`, repo: true, cap: "issues", target: true },
    { name: "pull", pattern: `${REPO}/pulls?/[0-9]+([?]|$)`, repo: true, cap: "prs", target: true },
    // The lists are pages of the repo, but not one of its issues or pull requests. Last, because the numbers of types are stored.
    { name: "issues", pattern: `${REPO}/issues([?]|$)`, repo: true, target: true },
    { name: "pull", pattern: `${REPO}/pulls?([?]|$)`, repo: true, target: true },
  ],
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
});
