/**
 * The built-in profile of GitLab, gitlab.com or self-hosted. What belongs to a project comes after `/-/`; before it is the
 * project's path, which may lie in groups of any depth. By its URL, a subgroup cannot be told from a project.
 */
import { type Profile, profileSchema } from "./profile.ts";

const HOST = "^https?://[^/]+";

/** Names of groups and projects begin with a letter, digit, dot or underscore, so `-` alone is never one. */
const NAME = "[A-Za-z0-9_.][A-Za-z0-9_.-]*";
const PROJECT = `${HOST}/(?P<repo>${NAME}(?:/${NAME})+)`;

/** First path segments that GitLab keeps for itself. */
const NOT_GROUPS = [
  "-",
  "[.]well-known",
  "abuse_reports",
  "admin",
  "api",
  "assets",
  "autocomplete",
  "dashboard",
  "files",
  "groups",
  "health_check",
  "help",
  "import",
  "invites",
  "jwt",
  "login",
  "oauth",
  "profile",
  "projects",
  "public",
  "s",
  "search",
  "sent_notifications",
  "snippets",
  "unsubscribes",
  "uploads",
  "users",
  "v2",
];

/**
 * What old URLs have instead of `/-/` and a name. They would be taken for projects in a group; GitLab itself links to
 * the new URLs.
 */
const OLD_ROUTES = [
  "activity",
  "archive",
  "badges",
  "blame",
  "blob",
  "branches",
  "builds",
  "commits?",
  "compare",
  "edit",
  "environments",
  "find_file",
  "forks",
  "graphs",
  "hooks",
  "issues",
  "jobs",
  "labels",
  "merge_requests",
  "milestones",
  "network",
  "new",
  "pipelines",
  "project_members",
  "raw",
  "refs",
  "repository",
  "settings",
  "snippets",
  "starrers",
  "tags",
  "tree",
  "uploads",
  "wikis",
];

const LIST = { param: "page", max: 20 };

export const GITLAB: Profile = profileSchema.parse({
  name: "gitlab",
  hosts: ["gitlab.com"],
  allow_patterns: [
    `${HOST}/explore(/projects(/topics(/[^/?#]+)?)?)?([?]|$)`,
    `${PROJECT}$`,
    `${PROJECT}/-/(blob|tree)/[^?#]+$`,
    `${PROJECT}/-/(issues|work_items|merge_requests)(/[0-9]+)?([?]|$)`,
  ],
  deny_patterns: [
    `${HOST}/(${NOT_GROUPS.join("|")})(/|$)`,
    `${HOST}/${NAME}/${NAME}(/${NAME})*/(${OLD_ROUTES.join("|")})(/|$)`,
    `${PROJECT}[.](git|atom|rss)(/|$)`,
    `${PROJECT}/-/(archive|raw|blame|edit|new|create|commits?|compare|graphs|network|settings|pipelines|jobs|artifacts)(/|$)`,
  ],
  page_types: [
    { name: "explore", pattern: `${HOST}/explore([/?]|$)`, pagination: LIST },
    { name: "repo_root", pattern: `${PROJECT}$`, repo: true, target: true },
    { name: "blob", pattern: `${PROJECT}/-/blob/`, repo: true, target: true },
    { name: "tree", pattern: `${PROJECT}/-/tree/`, repo: true },
    {
      name: "issues",
      pattern: `${PROJECT}/-/(?:issues|work_items)/[0-9]+([?]|$)`,
      repo: true,
      cap: "issues",
      target: true,
    },
    {
      name: "merge_request",
      pattern: `${PROJECT}/-/merge_requests/[0-9]+([?]|$)`,
      repo: true,
      cap: "merge_requests",
      target: true,
    },
    {
      name: "issues",
      pattern: `${PROJECT}/-/(?:issues|work_items)([?]|$)`,
      repo: true,
      target: true,
      pagination: LIST,
    },
    {
      name: "merge_request",
      pattern: `${PROJECT}/-/merge_requests([?]|$)`,
      repo: true,
      target: true,
      pagination: LIST,
    },
  ],
  caps: { per_repo_max_pages: 30, per_repo_max_issues: 10, per_repo_max_merge_requests: 10, max_depth: 4 },
  seeds: ["https://{host}/explore"],
  links: [{ name: "robots.txt", url: "https://{host}/robots.txt" }],
});
