import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, test } from "node:test";
import { TrawlError } from "../../errors.ts";
import { parseYaml } from "../../settings/yaml.ts";
import { GITHUB } from "../profile/github.ts";
import { parseArchiveConfig } from "./parse-archive-config.ts";
import { configTemplate, readSeeds } from "./template.ts";

const AGENT = "my-archive/1.0 (+https://example.com/contact)";
const parse = (written: unknown) => parseArchiveConfig(written, (path) => path);

function problemsOf(written: unknown): string[] {
  try {
    parse(written);
  } catch (error) {
    assert.ok(error instanceof TrawlError && error.code === "BAD_CONFIG");
    return error.message.split("\n");
  }
  return [];
}

describe("archive config: refused settings", () => {
  const cases: [name: string, config: object, problem: RegExp][] = [
    ["no user agent", {}, /^user_agent: say who you are/],
    ["a user agent without contact", { user_agent: "my-archive/1.0" }, /^user_agent: must say how to reach you/],
    ["a mail address is not a page", { user_agent: "a/1 (+me@example.com)" }, /^user_agent: must say/],
    ["rate 0", { limits: { req_per_sec: 0 } }, /^limits\.req_per_sec: /],
    ["a negative rate", { limits: { req_per_sec: -1 } }, /^limits\.req_per_sec: /],
    ["no concurrency", { limits: { global_concurrency: 0 } }, /^limits\.global_concurrency: /],
    ["half a request", { limits: { per_host_concurrency: 1.5 } }, /^limits\.per_host_concurrency: /],
    [
      "another host",
      { scope: { allowed_hosts: ["github.com", "gitlab.com"] } },
      /is for github\.com only, not for gitlab\.com$/,
    ],
    ["an unknown section", { limit: {} }, /^limit: there is no such setting; did you mean limits\?$/],
    [
      "an unknown key",
      { caps: { max_dept: 2 } },
      /^caps\.max_dept: there is no such setting; did you mean max_depth\?$/,
    ],
    [
      "a path out of the workspace",
      { storage: { metadata_file: "../x" } },
      /^storage\.metadata_file: must be a path below/,
    ],
    ["an absolute path", { metrics: { csv_path: "/etc/passwd" } }, /^metrics\.csv_path: must be a path below/],
    ["the workspace itself", { storage: { html_store_root: "./" } }, /^storage\.html_store_root: must be a path below/],
    [
      "invalid permissions",
      { storage: { html_permissions: "644" } },
      /^storage\.html_permissions: expected permissions/,
    ],
    [
      "a pattern that backtracks",
      { scope: { allow_patterns: ["(a)\\1"] } },
      /^scope\.allow_patterns: .*back-references/,
    ],
    [
      "a URL instead of a host",
      { profile: "gitlab", scope: { allowed_hosts: ["https://gitlab.example.com/"] } },
      /^scope\.allowed_hosts\.0: expected a host such as example\.com, \*\.example\.com or 10\.0\.0\.5:8080/,
    ],
    ["a whole private domain", { scope: { private_hosts: ["*.corp"] } }, /^scope\.private_hosts\.0: name each host/],
    [
      "a site without hosts",
      { profile: "generic" },
      /^scope\.allowed_hosts: the profile generic is for any site; list the hosts/,
    ],
    [
      "a cap of another profile",
      { profile: "gitlab", caps: { per_repo_max_prs: 3 } },
      /^caps\.per_repo_max_prs: there is no such setting; the profile gitlab has .*per_repo_max_merge_requests/,
    ],
    ["proxies without any", { proxies: { enabled: true } }, /^proxies\.pool: /],
    [
      "a profile nobody knows",
      { profile: "gitlub" },
      /^profile: "gitlub" is neither built in \(github, gitlab, forgejo, gitea, generic\) nor a YAML file/,
    ],
  ];
  for (const [name, config, problem] of cases) {
    it(name, () => {
      const problems = problemsOf({
        ...(name.includes("agent") || name.includes("mail") ? {} : { user_agent: AGENT }),
        ...config,
      });
      assert.equal(problems.length, 1, problems.join("\n"));
      assert.match(problems[0]!, problem);
    });
  }

  it("all problems at once", () => {
    assert.equal(problemsOf({ user_agent: "x", limits: { req_per_sec: 0, max_retrys: 1 } }).length, 3);
  });
});

test("archive config: the seeds' defaults, the profile where the config is silent", () => {
  const { config, hosts, caps, robotsAgent } = parse({ user_agent: AGENT, caps: { max_depth: 0 } });
  assert.deepEqual(hosts, ["github.com"]);
  assert.deepEqual(caps, { per_repo_max_pages: 30, per_repo_max_issues: 10, per_repo_max_prs: 10, max_depth: 0 });
  assert.equal(robotsAgent, AGENT);
  assert.equal(config.limits.req_per_sec, 1);
  assert.equal(config.limits.global_concurrency, 2);
  assert.equal(config.robots.cache_ttl_sec, 86_400);
  assert.equal(config.storage.html_permissions, 0o644);
  assert.equal(
    parse({ user_agent: AGENT, storage: { html_permissions: "0o600" } }).config.storage.html_permissions,
    0o600,
  );
});

test("archive config: the template names every setting, and says the defaults", () => {
  const written = parseYaml(configTemplate({ profile: "github", userAgent: AGENT }, GITHUB), "x", "user_agent: ...");
  const { config } = parse(written);
  assert.deepEqual(config, parse({ user_agent: AGENT }).config);
  assert.deepEqual(Object.keys(written), Object.keys(config));
  for (const [name, section] of Object.entries(config)) {
    if (typeof section !== "object" || section === null) continue;
    assert.deepEqual(Object.keys(written[name] as object), Object.keys(section), name);
  }
  const open = parseYaml(configTemplate({ profile: "github", userAgent: null }, GITHUB), "x", "user_agent: ...");
  assert.match(problemsOf(open)[0]!, /^user_agent: /);
});

test("archive config: another code host is a YAML file, and errors name that file", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "trawl-profile-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "codeberg.yaml");
  const profile = `name: codeberg
hosts: [codeberg.org]
allow_patterns: ["^https://codeberg\\\\.org/[^/]+/[^/]+$"]
page_types: [{ name: repo_root, pattern: "^https://codeberg\\\\.org/[^/]+/[^/]+$", repo: true, target: true }]
caps: { per_repo_max_pages: 5, per_repo_max_issues: 1, per_repo_max_prs: 1, max_depth: 2 }
`;
  writeFileSync(path, profile);
  const settings = parse({
    user_agent: AGENT,
    profile: path,
    scope: { allowed_hosts: ["codeberg.org", "other.example"] },
  });
  assert.deepEqual(settings.hosts, ["codeberg.org", "other.example"], "only the built-in profile is fixed to its host");
  assert.equal(settings.caps.per_repo_max_pages, 5);
  writeFileSync(path, profile.replace("allow_patterns", "allow_pattern"));
  assert.match(
    problemsOf({ user_agent: AGENT, profile: path }).join("\n"),
    /codeberg\.yaml is not valid:.*did you mean allow_patterns\?/s,
  );
});

test("seeds: one URL per line; comments and blank lines are ignored", () => {
  assert.deepEqual(readSeeds("# a\r\n\r\n https://a/ \nhttps://b/"), ["https://a/", "https://b/"]);
});
