/** The built-in profiles of Forgejo (codeberg.org, or self-hosted) and of Gitea, which has the same URLs. */
import { type Profile, type ProfileInput, profileSchema } from "./profile.ts";

const HOST = "^https?://[^/]+";
const NAME = "[A-Za-z0-9_.][A-Za-z0-9_.-]*";
const REPO = `${HOST}/(?P<repo>${NAME}/${NAME})`;

/** First path segments that Forgejo and Gitea keep for themselves. */
const NOT_OWNERS = [
  "-",
  "[.]well-known",
  "admin",
  "api",
  "assets",
  "attachments",
  "avatars?",
  "captcha",
  "debug",
  "devtest",
  "install",
  "issues",
  "login",
  "metrics",
  "milestones",
  "new",
  "notifications",
  "org",
  "pulls",
  "repo",
  "repo-avatars",
  "search",
  "ssh_info",
  "stars",
  "swagger",
  "template",
  "user",
  "users",
  "v2",
];

/** Downloads, editing, and views that show every commit again. */
const NOT_READ = [
  "_cherrypick",
  "_delete",
  "_diffpatch",
  "_edit",
  "_new",
  "_upload",
  "action",
  "actions",
  "activity",
  "archive",
  "attachments",
  "blame",
  "branches",
  "commits?",
  "compare",
  "fork",
  "forks",
  "graph",
  "info",
  "lastcommit",
  "media",
  "raw",
  "render",
  "rss",
  "atom",
  "search",
  "settings",
  "src/commit",
  "stars",
  "transfer",
  "watchers",
];

const LIST = { param: "page", max: 20 };

const URLS = {
  allow_patterns: [
    `${HOST}/explore/(repos|organizations)([?]|$)`,
    `${REPO}$`,
    `${REPO}/src/(branch|tag)/[^?#]+$`,
    `${REPO}/(issues|pulls)(/[0-9]+)?([?]|$)`,
  ],
  deny_patterns: [
    `${HOST}/(${NOT_OWNERS.join("|")})(/|$)`,
    `${HOST}/explore/(users|code)(/|$)`,
    `${HOST}/${NAME}/${NAME}[.](git|atom|rss)(/|$)`,
    `${HOST}/${NAME}/${NAME}/(${NOT_READ.join("|")})(/|$)`,
    `${HOST}/${NAME}/${NAME}/(issues|pulls)/new(/|$)`,
  ],
  page_types: [
    // Before the repos: otherwise /explore/repos would be taken for a repo.
    { name: "explore", pattern: `${HOST}/explore/(repos|organizations)([?]|$)`, pagination: LIST },
    { name: "repo_root", pattern: `${REPO}$`, repo: true, target: true },
    // Files and folders have the same URLs.
    { name: "blob", pattern: `${REPO}/src/(?:branch|tag)/`, repo: true, target: true },
    { name: "issues", pattern: `${REPO}/issues/[0-9]+([?]|$)`, repo: true, cap: "issues", target: true },
    { name: "pull", pattern: `${REPO}/pulls/[0-9]+([?]|$)`, repo: true, cap: "prs", target: true },
    { name: "issues", pattern: `${REPO}/issues([?]|$)`, repo: true, target: true, pagination: LIST },
    { name: "pull", pattern: `${REPO}/pulls([?]|$)`, repo: true, target: true, pagination: LIST },
  ],
  caps: { per_repo_max_pages: 30, per_repo_max_issues: 10, per_repo_max_prs: 10, max_depth: 4 },
  seeds: ["https://{host}/explore/repos"],
  links: [{ name: "robots.txt", url: "https://{host}/robots.txt" }],
} satisfies Partial<ProfileInput>;

export const FORGEJO: Profile = profileSchema.parse({ name: "forgejo", hosts: ["codeberg.org"], ...URLS });

export const GITEA: Profile = profileSchema.parse({ name: "gitea", hosts: ["gitea.com"], ...URLS });
