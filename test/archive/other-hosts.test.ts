/** GitLab, Gitea and a site of any kind on loopback, archived by the built-in profiles: canonical forms, caps and traps. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { stringify } from "yaml";
import { ArchiveCrawl } from "../../src/archive/archive-crawl.ts";
import { openWorkspace, type Workspace } from "../../src/archive/workspace.ts";
import { linking, type PlainHost, plainHost } from "../servers/plain-host.ts";
import { AGENT, linesOf, metadataOf } from "./archiving.ts";

type Settings = Record<string, Record<string, unknown> | string>;

const QUICK = {
  req_per_sec: 10_000,
  global_concurrency: 4,
  per_host_concurrency: 4,
  backoff_base_ms: 1,
};

/** A workspace for this host, which has a private address. */
function workspaceFor(t: TestContext, profile: string, { host }: PlainHost, settings: Settings = {}): Workspace {
  const folder = mkdtempSync(join(tmpdir(), "trawl-hosts-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const scope = { allowed_hosts: [host], private_hosts: [host], ...(settings["scope"] as object) };
  const config = { user_agent: AGENT, profile, limits: QUICK, storage: { min_free_mb: 0 }, ...settings, scope };
  writeFileSync(join(folder, "archive.yaml"), stringify(config));
  return openWorkspace(folder, Date.now());
}

async function archive(workspace: Workspace, ...seeds: string[]): Promise<ArchiveCrawl> {
  const crawl = await ArchiveCrawl.start({ workspace, seeds });
  const { error } = await crawl.ended;
  if (error !== null) throw error;
  return crawl;
}

const pathsOf = (workspace: Workspace): string[] =>
  metadataOf(workspace)
    .filter(({ content_sha256 }) => content_sha256 !== "")
    .map(({ url }) => new URL(url).pathname + new URL(url).search)
    .sort();

const numbers = (count: number, from = 1) => Array.from({ length: count }, (_, index) => index + from);

const PROJECTS = ["/group/sub/project", "/group/other"];

/** As GitLab links them: with view parameters, old routes, downloads and edits next to the pages. */
function gitlab(path: string): string | null {
  const [head = "", query = ""] = path.split("?");
  if (head === "/explore")
    return linking(...PROJECTS, "/users/sign_in?redirect=1", "/help", "/explore?page=2", "/search");
  const project = PROJECTS.find((one) => head === one || head.startsWith(`${one}/`));
  if (project === undefined) return null;
  const at = (rest: string) => `${project}/-/${rest}`;
  if (head === project) {
    const pages = ["issues", "merge_requests", "tree/main/src?ref_type=heads", "blob/main/README.md?ref_type=heads"];
    const never = ["archive/main/p.zip", "raw/main/README.md", "edit/main/README.md", "commits/main", "pipelines"];
    return linking(...[...pages, ...never].map(at), `${project}.git`, `${project}.atom`, `${project}/issues`);
  }
  const page = Number(new URLSearchParams(query).get("page") ?? 1);
  if (head === at("issues")) {
    const shown = numbers(2, page * 2 - 1).map((number) => at(`issues/${number}`));
    return linking(...shown, at(`issues?page=${page + 1}&state=opened`), at("issues?page=1"), at("issues/new"));
  }
  if (head === at("merge_requests")) return linking(...numbers(4).map((number) => at(`merge_requests/${number}`)));
  if (/\/-\/(issues|merge_requests)\/\d+$/.test(head)) return linking(`${head}/diffs`, `${head}#note_1`, project);
  return /\/-\/(tree|blob)\/main\//.test(head) ? linking(project, at("blob/main/src/a.rs")) : null;
}

test("gitlab: nested projects, caps by their own names, lists up to the limit, and nothing that must not be fetched", async (t) => {
  const host = await plainHost(t, (path) =>
    path === "/robots.txt" ? "User-agent: *\nDisallow: /search\n" : gitlab(path),
  );
  const caps = { per_repo_max_pages: 0, per_repo_max_issues: 6, per_repo_max_merge_requests: 3, max_depth: 0 };
  const workspace = workspaceFor(t, "gitlab", host, { caps });
  const crawl = await archive(workspace, `http://${host.host}/explore`);
  const expected = ["/explore", "/explore?page=2"];
  for (const project of PROJECTS) {
    const at = (rest: string) => `${project}/-/${rest}`;
    expected.push(project, at("tree/main/src"), at("blob/main/README.md"), at("blob/main/src/a.rs"));
    expected.push(at("issues"), ...numbers(19, 2).map((page) => at(`issues?page=${page}`)));
    expected.push(...numbers(6).map((number) => at(`issues/${number}`)));
    expected.push(at("merge_requests"), ...numbers(3).map((number) => at(`merge_requests/${number}`)));
  }
  assert.deepEqual(pathsOf(workspace), expected.sort());
  assert.deepEqual(
    Object.keys(host.counts()).sort(),
    [...expected, "/robots.txt"].sort(),
    "and nothing else was asked for",
  );
  assert.equal(crawl.reasons().get("max_page"), PROJECTS.length);
  assert.equal(crawl.reasons().get("repo_max_merge_requests"), PROJECTS.length);
  const rules = linesOf(workspace.paths.ledger.refused).map((line) => (JSON.parse(line) as { rule: string }).rule);
  assert.ok(rules.includes(`caps.per_repo_max_issues 6: ${host.host}/group/sub/project`));
});

/** As Gitea and Forgejo link them. */
function gitea(path: string): string | null {
  const [head = "", query = ""] = path.split("?");
  const page = Number(new URLSearchParams(query).get("page") ?? 1);
  if (head === "/explore/repos") {
    return page > 2
      ? linking()
      : linking(`/owner/repo-${page}`, `/explore/repos?page=${page + 1}&sort=recentupdate&q=`);
  }
  const [, repo = "", rest = ""] = /^(\/owner\/repo-\d)(?:\/(.+))?$/.exec(head) ?? [];
  if (repo === "") return null;
  const at = (name: string) => `${repo}/${name}`;
  if (rest === "") {
    const pages = ["issues?type=all&state=open", "pulls", "src/branch/main/docs", "src/branch/main/README.md"];
    const never = [
      "raw/branch/main/README.md",
      "archive/main.zip",
      "_edit/main/README.md",
      "src/commit/0123/README.md",
    ];
    return linking(
      ...[...pages, ...never, "commits/branch/main", "releases"].map(at),
      `/user/login?redirect_to=${repo}`,
    );
  }
  if (rest === "issues")
    return linking(...numbers(3).map((number) => at(`issues/${number}`)), at("issues?page=2"), at("issues/new"));
  if (rest === "pulls") return linking(...numbers(3).map((number) => at(`pulls/${number}`)));
  if (/^(issues|pulls)\/\d+$/.test(rest)) return linking(repo, `${head}/files`, `${head}#issuecomment-1`);
  return /^src\/branch\/main\//.test(rest) ? linking(repo, at("src/branch/main/docs/a.md")) : null;
}

test("gitea: repos, files and folders, issues and pulls, each within its cap", async (t) => {
  const host = await plainHost(t, (path) => (path === "/robots.txt" ? "User-agent: *\nDisallow:\n" : gitea(path)));
  const caps = { per_repo_max_pages: 0, per_repo_max_issues: 2, per_repo_max_prs: 1, max_depth: 0 };
  for (const profile of ["gitea", "forgejo"]) {
    const workspace = workspaceFor(t, profile, host, { caps });
    await archive(workspace, `http://${host.host}/explore/repos`);
    const expected = ["/explore/repos", "/explore/repos?page=2", "/explore/repos?page=3"];
    for (const repo of ["/owner/repo-1", "/owner/repo-2"]) {
      const own = ["issues", "issues?page=2", "issues/1", "issues/2", "pulls", "pulls/1"];
      const files = ["README.md", "docs", "docs/a.md"].map((name) => `src/branch/main/${name}`);
      expected.push(repo, ...[...own, ...files].map((rest) => `${repo}/${rest}`));
    }
    assert.deepEqual(pathsOf(workspace), expected.sort());
  }
});

test("a site of any kind: redirects to a slash, a calendar without end, a login and downloads", async (t) => {
  const host = await plainHost(t, (path) => {
    if (path === "/robots.txt") return "User-agent: *\nDisallow:\n";
    if (path === "/docs") return { status: 301, headers: { location: "/docs/" } };
    if (path === "/docs/") return linking("a?session=1", "a?session=2", "big.zip", "/docs/x/x/x/x/x");
    if (path === "/docs/a" || path === "/")
      return linking("/docs", "/login?next=/", "/calendar/2026-1", "https://example.com/");
    const month = Number(/^\/calendar\/2026-(\d+)$/.exec(path)?.[1] ?? 0);
    return month > 0 ? linking(`/calendar/2026-${month + 1}`) : null;
  });
  const workspace = workspaceFor(t, "generic", host, { caps: { per_repo_max_pages: 12 } });
  const crawl = await archive(workspace, `http://${host.host}/`);
  const months = pathsOf(workspace).filter((path) => path.startsWith("/calendar/"));
  assert.deepEqual(
    pathsOf(workspace).filter((path) => !months.includes(path)),
    ["/", "/docs/", "/docs/a"],
  );
  assert.equal(months.length, 12 - 4, "the redirect counts, and the calendar ends at the cap of its host");
  assert.equal(crawl.reasons().get("denied_pattern"), 3, "login, download and the path that repeats itself");
  assert.equal(crawl.reasons().get("host_not_allowed"), 1);
});

test("a private address is refused unless the setting names the host", async (t) => {
  const host = await plainHost(t, () => linking());
  const notices: string[] = [];
  for (const private_hosts of [[], ["127.0.0.1"], ["10.0.0.5:8080"]]) {
    const workspace = workspaceFor(t, "generic", host, { scope: { private_hosts } });
    const events = { onNotice: (text: string) => notices.push(text) };
    const crawl = await ArchiveCrawl.start({ workspace, seeds: [`http://${host.host}/`], events });
    assert.deepEqual((await crawl.ended).parked, [host.host], "at once, not after an hour of rest");
    assert.deepEqual(
      metadataOf(workspace).filter(({ http_status }) => http_status !== 0),
      [],
    );
  }
  assert.deepEqual(host.requests, [], "the guard comes before the connection");
  assert.match(notices.join("\n"), /127\.0\.0\.1 is loopback/);
});
