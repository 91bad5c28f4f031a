/** Every reason for which a URL is not archived, in a real archive. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { validatePolicy } from "../../src/archive/validate-policy.ts";
import { archiveAll, linesOf, makeWorkspace, metadataOf, pathOf, startHost } from "./archiving.ts";

interface Refused {
  url: string;
  reason: string;
  rule: string;
}

const refusedIn = (path: string): Map<string, Refused> =>
  new Map(linesOf(path).map((line) => [(JSON.parse(line) as Refused).url, JSON.parse(line) as Refused]));

test("each policy reason, with the rule that decided", async (t) => {
  const host = await startHost(t);
  const workspace = await makeWorkspace(t);
  const crawl = await archiveAll(workspace, host);
  const refused = refusedIn(workspace.paths.ledger.refused);
  const why = (url: string) => [refused.get(url)?.reason, refused.get(url)?.rule];
  const { deny } = workspace.settings;
  assert.deepEqual(why("https://example.com/"), ["host_not_allowed", "scope.allowed_hosts: github.com"]);
  assert.deepEqual(why("https://gist.github.com/someone/1"), [
    "subdomain_denied",
    "scope.denied_subdomains: gist.github.com",
  ]);
  assert.deepEqual(why("https://github.com/owner-0/repo-0/tree/main/src"), [
    "denied_pattern",
    `scope.deny_patterns: ${deny[1]}`,
  ]);
  assert.deepEqual(why("https://github.com/owner-0/repo-0/stargazers"), ["not_in_allowlist", "scope.allow_patterns"]);
  const robots = "https://github.com/robots.txt line 2: Disallow: /*/*/blob/*/secret";
  assert.deepEqual(why("https://github.com/owner-0/repo-0/blob/main/secret"), ["robots_disallow", robots]);
  const asked = new Set(host.requests().map((request) => request.path));
  for (const url of refused.keys()) assert.ok(!asked.has(pathOf(url)), url);
  for (const [reason, count] of crawl.reasons()) {
    assert.equal(crawl.metrics.get(`policy_reject_${reason}` as never), count, reason);
  }
});

test("caps per repo and on depth", async (t) => {
  const host = await startHost(t, { repos: 2, files: 20, issues: 9, pulls: 9 });
  const caps = { per_repo_max_pages: 12, per_repo_max_issues: 3, per_repo_max_prs: 2, max_depth: 3 };
  const workspace = await makeWorkspace(t, { caps });
  const crawl = await archiveAll(workspace, host);
  const records = metadataOf(workspace).filter((record) => record.url.startsWith("https://github.com/owner-0/repo-0"));
  const ofType = (type: string) => records.filter((record) => record.page_type === type).length;
  assert.equal(records.length, 12);
  assert.ok(ofType("issues") <= 4 && ofType("pull") <= 3, "with the lists");
  assert.ok(metadataOf(workspace).every((record) => record.depth <= 3));
  const refused = [...refusedIn(workspace.paths.ledger.refused).values()];
  const rule = refused.find(({ reason }) => reason === "repo_max_pages")!.rule;
  assert.equal(rule, "caps.per_repo_max_pages 12: github.com/owner-0/repo-0");
  assert.ok(crawl.reasons().get("max_depth") === undefined || crawl.reasons().get("max_depth")! > 0);
  assert.ok(crawl.metrics.get("cap_exceeded") > 0);
});

test("issues and pulls have separate caps, and too deep is a reason", async (t) => {
  const host = await startHost(t, { repos: 1, files: 2, issues: 9, pulls: 9 });
  const caps = { per_repo_max_issues: 3, per_repo_max_prs: 2 };
  const workspace = await makeWorkspace(t, { caps });
  const crawl = await archiveAll(workspace, host);
  const ofType = (type: string) => metadataOf(workspace).filter((record) => record.page_type === type).length;
  assert.equal(ofType("issues"), 1 + 3, "the list is not one of the issues");
  assert.equal(ofType("pull"), 1 + 2);
  assert.equal(crawl.reasons().get("repo_max_issues"), 6);
  assert.equal(crawl.reasons().get("repo_max_prs"), 7);
  const shallow = await makeWorkspace(t, { caps: { max_depth: 1 } });
  const other = await archiveAll(shallow, host);
  assert.deepEqual(
    metadataOf(shallow)
      .map((record) => pathOf(record.url))
      .sort(),
    ["/topics", "/topics/nets", "/topics/tides", "/trending"],
  );
  assert.equal(other.metrics.get("skip_depth"), other.reasons().get("max_depth"));
  assert.equal(other.reasons().get("max_depth"), 2, "the repo and the old name of another");
});

test("validate-policy: verdict, rule, canonical form and page type, with robots.txt of the host", async (t) => {
  const host = await startHost(t);
  const { settings } = await makeWorkspace(t);
  const urls = [
    "https://GitHub.com//owner-0/repo-0/?tab=readme#top",
    "https://github.com/a/b/blob/main/secret",
    "https://raw.githubusercontent.com/a/b/main/x",
    "nonsense",
  ];
  const [repo, secret, raw, nonsense] = await validatePolicy(urls, { settings, reach: host.reach, askRobots: true });
  assert.deepEqual(repo, {
    written: urls[0],
    url: "https://github.com/owner-0/repo-0",
    verdict: "crawl",
    reason: null,
    rule: null,
    page_type: "repo_root",
    repo: "github.com/owner-0/repo-0",
  });
  assert.equal(secret!.reason, "robots_disallow");
  assert.equal(raw!.reason, "subdomain_denied");
  assert.equal(nonsense!.reason, "bad_url");
  assert.deepEqual(
    host.requests().map((request) => request.path),
    ["/robots.txt"],
  );
});

test("the target of a redirect is as deep as the redirect, and its links are one step deeper", async (t) => {
  const moved = { status: 301, headers: { location: "/topics/moved" } };
  const far = { status: 200, body: '<a href="/owner-9/far">far</a>' };
  const answers: Record<string, typeof moved | typeof far> = { "/trending": moved, "/topics/moved": far };
  const host = await startHost(t, { repos: 0, instead: (path) => answers[path] ?? null });
  const workspace = await makeWorkspace(t, { caps: { max_depth: 1 } });
  const crawl = await archiveAll(workspace, host);
  const depths = Object.fromEntries(metadataOf(workspace).map(({ url, depth }) => [pathOf(url), depth]));
  assert.deepEqual(depths, { "/topics": 0, "/topics/tides": 1, "/topics/nets": 1, "/trending": 1, "/topics/moved": 1 });
  assert.equal(crawl.reasons().get("max_depth"), 2, "its link, and the old name of a repo");
});
