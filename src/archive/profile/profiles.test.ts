import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext, test } from "node:test";
import { stringify } from "yaml";
import { TrawlError } from "../../errors.ts";
import { prepareBase } from "../../web/url.ts";
import { parseArchiveConfig } from "../config/parse-archive-config.ts";
import { configTemplate, seedsTemplate } from "../config/template.ts";
import { archiveCanonicalizer } from "../policy/canonical.ts";
import { createPolicy, PageTypes } from "../policy/policy.ts";
import { BUILT_IN, loadProfile, profileProblems } from "./load-profile.ts";
import { profileSchema } from "./profile.ts";

const AGENT = "a/1 (+https://example.com)";

/** Canonical form, then the type and repo of a URL, or the reason against it. */
function judging(profile: string, hosts: string[]) {
  const settings = parseArchiveConfig({ user_agent: AGENT, profile, scope: { allowed_hosts: hosts } }, (path) => path);
  const canonicalize = archiveCanonicalizer([], settings.profile);
  const policy = createPolicy(settings);
  const types = new PageTypes(settings.profile);
  return (written: string): string => {
    const url = canonicalize(written, prepareBase(`https://${hosts[0]}/`)) as string;
    const kind = types.numberOf(url);
    const path = new URL(url).pathname + new URL(url).search;
    const repo = types.repoOf(url, kind);
    return `${path} ${policy.judge(url)?.reason ?? [types.nameOf(kind), repo ?? ""].join(" ").trim()}`;
  };
}

describe("the gitlab profile", () => {
  const judge = judging("gitlab", ["git.example"]);
  const cases: [written: string, expected: string][] = [
    ["/explore", "/explore explore"],
    ["/explore/projects?sort=latest_activity_desc&page=2", "/explore/projects?page=2 explore"],
    ["/a/b", "/a/b repo_root git.example/a/b"],
    ["/A/Sub/Deep/B/", "/A/Sub/Deep/B repo_root git.example/a/sub/deep/b"],
    ["/a/b/-/tree/main?ref_type=heads", "/a/b/-/tree/main tree git.example/a/b"],
    ["/a/s/b/-/blob/main/src/-/blob/x.rs", "/a/s/b/-/blob/main/src/-/blob/x.rs blob git.example/a/s/b"],
    ["/a/s/b/-/issues", "/a/s/b/-/issues issues git.example/a/s/b"],
    ["/a/s/b/-/issues?state=all&page=1", "/a/s/b/-/issues issues git.example/a/s/b"],
    ["/a/s/b/-/issues/?page=20", "/a/s/b/-/issues?page=20 issues git.example/a/s/b"],
    ["/a/s/b/-/issues?page=21", "/a/s/b/-/issues?page=21 max_page"],
    ["/a/s/b/-/issues/7?page=2#note_1", "/a/s/b/-/issues/7 issues git.example/a/s/b"],
    ["/a/s/b/-/work_items/7", "/a/s/b/-/work_items/7 issues git.example/a/s/b"],
    ["/a/s/b/-/merge_requests?page=3", "/a/s/b/-/merge_requests?page=3 merge_request git.example/a/s/b"],
    ["/a/s/b/-/merge_requests/7", "/a/s/b/-/merge_requests/7 merge_request git.example/a/s/b"],
    ["/a/s/b/-/merge_requests/7/diffs", "/a/s/b/-/merge_requests/7/diffs not_in_allowlist"],
    ["/a/s/b/-/archive/main/b-main.zip", "/a/s/b/-/archive/main/b-main.zip denied_pattern"],
    ["/a/s/b/-/raw/main/x", "/a/s/b/-/raw/main/x denied_pattern"],
    ["/a/s/b/-/edit/main/x", "/a/s/b/-/edit/main/x denied_pattern"],
    ["/a/s/b/-/issues/new", "/a/s/b/-/issues/new not_in_allowlist"],
    ["/a/b/issues", "/a/b/issues denied_pattern"],
    ["/a/b/raw/main/x", "/a/b/raw/main/x denied_pattern"],
    ["/a/b.git", "/a/b.git denied_pattern"],
    ["/a/b.atom?feed_token=x", "/a/b.atom denied_pattern"],
    ["/users/sign_in", "/users/sign_in denied_pattern"],
    ["/-/profile", "/-/profile denied_pattern"],
    ["/api/v4/projects", "/api/v4/projects denied_pattern"],
    ["/a", "/a not_in_allowlist"],
  ];
  for (const [written, expected] of cases) it(written, () => assert.equal(judge(written), expected));
});

describe("the forgejo and gitea profiles", () => {
  for (const name of ["forgejo", "gitea"]) {
    const judge = judging(name, ["git.example"]);
    const cases: [written: string, expected: string][] = [
      ["/explore/repos?page=2&sort=newest&q=", "/explore/repos?page=2 explore"],
      ["/explore/users", "/explore/users denied_pattern"],
      ["/O/R/", "/O/R repo_root git.example/o/r"],
      ["/o/r/src/branch/main/a/b.rs", "/o/r/src/branch/main/a/b.rs blob git.example/o/r"],
      ["/o/r/src/tag/v1/a", "/o/r/src/tag/v1/a blob git.example/o/r"],
      ["/o/r/src/commit/0123/a", "/o/r/src/commit/0123/a denied_pattern"],
      ["/o/r/issues?type=all&state=closed&page=2", "/o/r/issues?page=2 issues git.example/o/r"],
      ["/o/r/issues/3#issuecomment-1", "/o/r/issues/3 issues git.example/o/r"],
      ["/o/r/pulls", "/o/r/pulls pull git.example/o/r"],
      ["/o/r/pulls?page=21", "/o/r/pulls?page=21 max_page"],
      ["/o/r/pulls/3", "/o/r/pulls/3 pull git.example/o/r"],
      ["/o/r/pulls/3/files", "/o/r/pulls/3/files not_in_allowlist"],
      ["/o/r/issues/new/choose", "/o/r/issues/new/choose denied_pattern"],
      ["/o/r/raw/branch/main/a", "/o/r/raw/branch/main/a denied_pattern"],
      ["/o/r/archive/main.zip", "/o/r/archive/main.zip denied_pattern"],
      ["/o/r/_edit/main/a", "/o/r/_edit/main/a denied_pattern"],
      ["/o/r/commits/branch/main", "/o/r/commits/branch/main denied_pattern"],
      ["/o/r.git", "/o/r.git denied_pattern"],
      ["/user/login?redirect_to=%2fo%2fr", "/user/login denied_pattern"],
      ["/api/v1/repos", "/api/v1/repos denied_pattern"],
      ["/o", "/o not_in_allowlist"],
    ];
    for (const [written, expected] of cases) it(`${name}: ${written}`, () => assert.equal(judge(written), expected));
  }
});

describe("the generic profile", () => {
  const judge = judging("generic", ["example.com", "*.docs.example"]);
  const cases: [written: string, expected: string][] = [
    ["/", "/ page example.com"],
    ["/docs/", "/docs/ page example.com"],
    ["/docs", "/docs page example.com"],
    ["/blog?page=2&utm_source=x", "/blog?page=2 page example.com"],
    ["/blog?page=51", "/blog?page=51 max_page"],
    ["https://a.b.docs.example/x", "/x page a.b.docs.example"],
    ["https://docs.example/x", "/x host_not_allowed"],
    ["https://evildocs.example/x", "/x host_not_allowed"],
    ["/login", "/login denied_pattern"],
    ["/shop/Cart/", "/shop/Cart/ denied_pattern"],
    ["/download/big.tar.gz", "/download/big.tar.gz denied_pattern"],
    ["/a/b/a/b/a/b/a", "/a/b/a/b/a/b/a denied_pattern"],
    ["/cartography", "/cartography page example.com"],
  ];
  for (const [written, expected] of cases) it(written, () => assert.equal(judge(written), expected));
});

test("a built-in profile is data: written as YAML and read back, it is the same", (t) => {
  for (const profile of BUILT_IN) {
    assert.deepEqual(profileProblems(profile), [], profile.name);
    assert.deepEqual(
      loadProfile(profileFile(t, stringify(profile)), (path) => path),
      profile,
    );
  }
});

test("a new workspace for another host: its caps and seeds are the profile's, for that host", () => {
  const gitlab = BUILT_IN.find(({ name }) => name === "gitlab")!;
  const hosts = ["git.example", "*.git.example"];
  const written = configTemplate({ profile: "gitlab", userAgent: AGENT, hosts }, gitlab);
  assert.match(written, /^ {2}allowed_hosts: \["git.example", "\*.git.example"\]$/m);
  assert.match(written, /^ {2}per_repo_max_merge_requests: null # 10$/m);
  assert.doesNotMatch(written, /per_repo_max_prs/);
  assert.match(seedsTemplate(gitlab, hosts), /^https:\/\/git.example\/explore$/m);
  assert.match(seedsTemplate(gitlab), /^https:\/\/gitlab.com\/explore$/m);
});

function profileFile(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-profile-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "mine.yaml");
  writeFileSync(path, text);
  return path;
}

const MINE = {
  name: "mine",
  hosts: ["*.mine.example"],
  allow_patterns: ["^https://"],
  page_types: [
    { name: "wiki", pattern: "^https://[^/]+/(?<owner>[^/]+)/w/(?<name>[^/]+)", repo: "{owner}/{name}", cap: "wikis" },
    { name: "numbered", pattern: "^https://[^/]+/n/([^/]+)", repo: "{1}" },
  ],
  caps: { per_repo_max_pages: 5, per_repo_max_wikis: 1, max_depth: 2 },
};

test("a profile of one's own: repos by any groups, caps by any name", () => {
  const types = new PageTypes(profileSchema.parse(MINE));
  const repo = (url: string) => types.repoOf(url, types.numberOf(url));
  assert.equal(repo("https://x.mine.example/Me/w/Home/page"), "x.mine.example/me/home");
  assert.equal(repo("https://x.mine.example/n/seven/8"), "x.mine.example/seven");
});

describe("an error in a profile names the key and what is allowed", () => {
  const [wiki, numbered] = MINE.page_types;
  const cases: [name: string, change: object, problem: RegExp][] = [
    [
      "an unknown key",
      { allowed_patterns: [] },
      /allowed_patterns: there is no such setting; did you mean allow_patterns\?/,
    ],
    [
      "a key like none of them",
      { page_types: [{ ...wiki, colour: "red" }] },
      /page_types\.0\.colour: there is no such setting; allowed here: name, pattern, repo, cap, target, pagination/,
    ],
    ["a URL for a host", { hosts: ["https://x/"] }, /hosts\.0: expected a host such as example\.com/],
    ["a pattern with look-around", { deny_patterns: ["a", "(?=b)"] }, /deny_patterns\.1: .*look-ahead/],
    [
      "a group that the pattern lacks",
      { page_types: [{ ...wiki, repo: "{owner}/{repo}" }] },
      /page_types\.0\.repo: \{repo\} is not a group of the pattern; its groups are: \{1\}, \{2\}, \{owner\}, \{name\}/,
    ],
    [
      "a cap without a limit",
      { page_types: [numbered, { ...numbered, cap: "pics" }] },
      /page_types\.1\.cap: there is no caps\.per_repo_max_pics: add it, or use one of pages, wikis/,
    ],
    [
      "a cap that is not one",
      { caps: { ...MINE.caps, max_wikis: 1 } },
      /caps\.max_wikis: there is no such cap; expected max_depth, or per_repo_max_/,
    ],
    ["no caps", { caps: undefined }, /caps: /],
    ["a seed that is not a URL", { seeds: ["explore"] }, /seeds\.0: expected a URL such as .*\{host\}/],
    ["a slash policy nobody knows", { trailing_slash: "no" }, /trailing_slash: must be one of drop, keep/],
    [
      "a list limit below 0",
      { page_types: [{ ...wiki, pagination: { param: "p", max: -1 } }] },
      /page_types\.0\.pagination\.max: /,
    ],
  ];
  for (const [name, change, problem] of cases) {
    it(name, (t) => {
      const path = profileFile(t as TestContext, stringify({ ...MINE, ...change }));
      const load = () => loadProfile(path, (file) => file);
      assert.throws(load, (error) => error instanceof TrawlError && error.message.startsWith(`${path} is not valid:`));
      assert.throws(load, problem);
    });
  }
});
