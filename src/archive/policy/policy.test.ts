import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import type { Found } from "../../kernel/task.ts";
import { parseArchiveConfig } from "../config/parse-archive-config.ts";
import { ArchiveGate, RepoCaps } from "./archive-gate.ts";
import { type ArchiveMeta, createPolicy, PageTypes, skip } from "./policy.ts";

const settings = parseArchiveConfig({ user_agent: "a/1 (+https://example.com)" }, (path) => path);
const policy = createPolicy(settings);
const types = new PageTypes(settings.profile);
const at = (path: string) => `https://github.com${path}`;

describe("the github profile", () => {
  const cases: [url: string, expected: string][] = [
    [at("/topics"), "topic"],
    [at("/topics/rust"), "topic"],
    [at("/trending"), "trending"],
    [at("/torvalds/linux"), "repo_root"],
    [at("/o/search-engine"), "repo_root"],
    [at("/o/r/blob/main/src/tree/x.c"), "blob"],
    [at("/o/r/issues"), "issues"],
    [at("/o/r/issues/17"), "issues"],
    [at("/o/r/pull/17"), "pull"],
    [at("/o/r/pulls"), "pull"],
    [at("/"), "not_in_allowlist"],
    [at("/torvalds"), "not_in_allowlist"],
    [at("/trending/rust"), "denied_pattern"],
    [at("/o/r/issues/new"), "not_in_allowlist"],
    [at("/o/r/pull/17/files"), "not_in_allowlist"],
    [at("/o/r/wiki"), "not_in_allowlist"],
    [at("/o/r/tree/main"), "denied_pattern"],
    [at("/o/r/commits/main"), "denied_pattern"],
    [at("/o/r/archive/x.zip"), "denied_pattern"],
    [at("/settings/profile"), "denied_pattern"],
    [at("/orgs/github"), "denied_pattern"],
    ["http://github.com/o/r", "not_in_allowlist"],
    ["https://github.com:8443/o/r", "host_not_allowed"],
    ["https://docs.github.com/en", "host_not_allowed"],
    ["https://github.com.evil.example/o/r", "host_not_allowed"],
    ["https://gist.github.com/x/1", "subdomain_denied"],
    ["https://api.github.com/repos", "subdomain_denied"],
    ["https://avatars.githubusercontent.com/u/1", "subdomain_denied"],
    ["https://notgithubusercontent.com/", "host_not_allowed"],
  ];
  for (const [url, expected] of cases) {
    it(`${url}: ${expected}`, () =>
      assert.equal(policy.judge(url)?.reason ?? types.nameOf(types.numberOf(url)), expected));
  }

  it("names the rule", () => {
    const custom = createPolicy({ ...settings, deny: ["/secret", "^https://github\\.com/x/"] });
    assert.deepEqual(custom.judge(at("/x/y")), skip("denied_pattern", "scope.deny_patterns: ^https://github\\.com/x/"));
  });

  it("a pattern that other engines never finish is matched at once", () => {
    const slow = createPolicy({ ...settings, deny: ["(a+)+$"], allow: ["."] });
    const start = process.cpuUsage();
    slow.judge(at(`/${"a".repeat(3_000)}!`));
    assert.ok(process.cpuUsage(start).user < 1_000_000, "less than a second of processor time");
  });
});

test("repos: owner and name, whatever their case", () => {
  const repo = (url: string) => types.repoOf(url, types.numberOf(url));
  assert.equal(repo(at("/Torvalds/Linux/issues/1")), "github.com/torvalds/linux");
  assert.equal(repo(at("/torvalds/linux")), "github.com/torvalds/linux");
  assert.equal(repo(at("/topics/linux")), null);
});

test("caps: each kind of its own, all together, and 0 for none", () => {
  const caps = new RepoCaps({ per_repo_max_pages: 3, per_repo_max_issues: 1, per_repo_max_prs: 0, max_depth: 0 });
  caps.spend("r", "issues");
  assert.equal(caps.judge("r", "issues")?.reason, "repo_max_issues");
  assert.equal(caps.judge("r", "prs"), null);
  assert.equal(caps.judge("other", "issues"), null);
  caps.spend("r", "prs");
  caps.spend("r", null);
  assert.deepEqual(caps.judge("r", null), skip("repo_max_pages", "caps.per_repo_max_pages 3: r"));
  caps.setLimits({ per_repo_max_pages: 4, per_repo_max_issues: 2, per_repo_max_prs: 1, max_depth: 0 });
  assert.equal(caps.judge("r", "issues"), null);
  assert.equal(caps.judge("r", "prs")?.reason, "repo_max_prs", "counted also while there was no limit");
});

describe("the gate", () => {
  const find = (path: string, depth = 1, hops = 0): Found<ArchiveMeta> => {
    const key = at(path);
    return { key, depth, hops, parent: 0, meta: types.metaOf(key) };
  };
  const gate = () =>
    new ArchiveGate({ settings, robots: (url) => (url.includes("hidden") ? skip("robots_disallow", "line 1") : null) });

  it("asks policy, then depth, then robots.txt, then caps", () => {
    const decide = (found: Found<ArchiveMeta>) => gate().decide(found).reason;
    assert.equal(decide(find("/o/r/tree/hidden", 9)), "denied_pattern");
    assert.equal(decide(find("/o/hidden", 9)), "max_depth");
    assert.equal(decide(find("/o/hidden")), "robots_disallow");
    assert.equal(decide(find("/o/r")), null);
  });

  it("the target of a redirect obeys the depth like any other, and six in a row are too many", () => {
    assert.equal(gate().decide(find("/o/r", 4, 2)).reason, null);
    assert.equal(gate().decide(find("/o/r", 5, 2)).reason, "max_depth");
    assert.equal(gate().decide(find("/o/r", 4, 6)).reason, "max_redirects");
  });

  it("what the ledger remembers is spent", () => {
    const resumed = gate();
    for (let number = 1; number <= 10; number++) {
      const key = at(`/o/r/issues/${number}`);
      resumed.recover({
        id: number,
        place: number,
        key,
        lane: "github.com",
        action: "crawl",
        reason: null,
        state: "done",
      });
    }
    assert.equal(resumed.decide(find("/o/r/issues/11")).reason, "repo_max_issues");
    assert.equal(resumed.decide(find("/o/r/pull/11")).reason, null);
  });
});
