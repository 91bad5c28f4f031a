/** `trawl archive` from the first command to the last, as a user types it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { askedTwice, startArchiving } from "./archiving.ts";
import { parseCsv } from "./parse-csv.ts";

test("configure, run, status, cat, replay, export, reset", async (t) => {
  const { trawl, host, root, reach, read } = await startArchiving(t);
  const again = await trawl.run("archive", "configure");
  assert.match(again.stdout, /^Not changed: workspace\/archive\.yaml and workspace\/seeds\.txt\./);

  const run = await trawl.run("archive", "run", ...reach, "--warc");
  assert.equal(run.code, 0, run.stderr);
  assert.match(run.stdout, /^Archive of github\.com in .*workspace\n {2}user agent +trawl-test\/1\.0 \(\+https/);
  for (const link of ["https://github.com/robots.txt", "acceptable-use-policies", "github-terms-of-service"]) {
    assert.ok(run.stdout.includes(link), link);
  }
  assert.match(run.stdout, /^Done in .*: \d+ URLs fetched/m);
  assert.match(run.stdout, /^ {2}denied_pattern +\d+ {2}The URL matches a deny pattern\.$/m);
  assert.deepEqual(askedTwice(host), []);

  host.reset();
  const { code, lines } = await trawl.json("archive", "run", ...reach);
  assert.equal(code, 0);
  assert.deepEqual([lines[0]!.event, lines.at(-1)!.event], ["start", "end"]);
  assert.equal(lines.at(-1)!["fetchedNow"], 0);
  assert.equal(host.requests().length, 0, "what is archived is not requested again");

  const status = (await trawl.json("archive", "status")).lines[0]!;
  assert.deepEqual([status["running"], status["frontier"], status["blobs"]], [[], 0, host.pages.length]);
  assert.match((await trawl.run("archive", "status")).stdout, /^ {2}waiting +0 URLs$/m);

  const cat = await trawl.run("archive", "cat", "https://GitHub.com/topics/#top");
  const { sha256 } = (await trawl.json("archive", "cat", "github.com/topics")).lines[0] as { sha256: string };
  assert.equal(createHash("sha256").update(cat.stdout).digest("hex"), sha256);
  assert.equal((await trawl.run("archive", "cat", sha256, "-w", "workspace")).stdout, cat.stdout);
  const missing = await trawl.run("archive", "cat", "github.com/nobody/nothing");
  assert.deepEqual([missing.code, missing.stdout], [2, ""]);
  assert.match(missing.stderr, /^error: The archive has no page https:\/\/github\.com\/nobody\/nothing\./);

  const replay = (await trawl.json("archive", "replay")).lines[0] as { output: string; rows: number };
  const rows = parseCsv(readFileSync(replay.output, "utf8"));
  assert.equal(rows.length - 1, replay.rows);
  assert.equal(rows[0]!.length, 17);
  const csv = await trawl.run("archive", "export", "pages", "-o", "-");
  assert.equal(parseCsv(csv.stdout).length, rows.length);
  const warc = (await trawl.json("archive", "export", "warc", "-o", "all.warc.gz")).lines[0]!;
  assert.equal(warc["warcs"], 1);
  assert.match(gunzipSync(readFileSync(join(trawl.folder, "all.warc.gz"))).toString("latin1"), /^WARC\/1\.1\r\n/);
  const wacz = (await trawl.json("archive", "export", "wacz")).lines[0]!;
  assert.equal(wacz["output"], "workspace.wacz");
  assert.equal(readFileSync(join(trawl.folder, "workspace.wacz")).subarray(0, 2).toString(), "PK");

  const config = read("archive.yaml");
  const refused = await trawl.run("archive", "reset");
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /pass --yes/);
  assert.equal((await trawl.run("archive", "reset", "--yes")).code, 0);
  assert.equal(read("archive.yaml"), config);
  for (const folder of ["state", "metadata", "store/html", "logs", "warc"]) {
    assert.deepEqual(readdirSync(join(root, folder)), [], folder);
  }
});

test("the commands for other tools in docs/archive.md say what is true", async (t) => {
  const docs = readFileSync(new URL("../../docs/archive.md", import.meta.url), "utf8");
  const block = /### With your own tools[^`]*```sh\n(.*?)```/s.exec(docs)![1]!;
  const { trawl, host, reach } = await startArchiving(t, { repos: 1 });
  assert.equal((await trawl.run("archive", "run", ...reach)).code, 0);
  const script = spawnSync("bash", ["-e", "-o", "pipefail", "-c", block], { cwd: trawl.folder, encoding: "utf8" });
  if (/jq: command not found/.test(script.stderr)) return t.skip("needs jq");
  const lines = script.stdout.trim().split("\n");
  assert.deepEqual([script.stderr, script.status], ["", 0]);
  assert.equal(lines[0], "0", "no URL is fetched twice, and none waits");
  assert.match(lines[1]!, /^ +2 0$/, "two seeds");
  assert.ok(!script.stdout.includes("Missing"));
  assert.equal(lines.at(-1), String(host.pages.length));
});

test("mistakes are reported before anything is fetched, with a hint and exit code 2", async (t) => {
  const { trawl, host, root, reach, set } = await startArchiving(t, { repos: 1 });
  const cases: [typed: string[], error: RegExp][] = [
    [["run", "-w", "nowhere"], /nowhere\/archive\.yaml does not exist, so .* is not an archive workspace/],
    [["resume"], /Nothing has been archived in .* yet\. Start with `trawl archive run`/],
    [["run", "--seeds", "none.txt"], /none\.txt cannot be read/],
    [["run", "--ca", "none.pem"], /none\.pem cannot be read/],
    [["run", "--connect-to", "nonsense"], /"nonsense" is not HOST:PORT:ADDR:PORT/],
    [["run", "--metrics-port", "70000"], /must be 0 to 65535/],
    [["configure", "new", "--user-agent", "nobody/1.0"], /user_agent: must say how to reach you/],
    [["export", "warc"], /There is no finished WARC/],
    [["cat", "not a url"], /"not a url" is neither a URL nor a SHA-256/],
  ];
  const results = await Promise.all(cases.map(([typed]) => trawl.run("archive", ...typed)));
  for (const [index, [typed, error]] of cases.entries()) {
    const { code, stderr } = results[index]!;
    assert.equal(code, 2, typed.join(" "));
    assert.match(stderr, error);
    assert.match(stderr, /^hint: /m);
    assert.doesNotMatch(stderr, /\n\s+at /);
  }
  assert.ok(!existsSync(join(trawl.folder, "new")), "refused settings create no workspace");
  writeFileSync(join(root, "seeds.txt"), "https://github.com/login\n");
  const seeds = await trawl.run("archive", "run", ...reach);
  assert.equal(seeds.code, 2);
  assert.match(seeds.stderr, /^error: None of the seeds may be archived: denied_pattern 1\.$/m);
  set({ limits: { req_per_sek: 1 } });
  const config = await trawl.run("archive", "config", "validate");
  assert.equal(config.code, 2);
  assert.match(config.stderr, /limits\.req_per_sek: there is no such setting; did you mean req_per_sec\?/);
  assert.equal(host.requests().length, 0);
});

test("validate-policy names the rule, and checks robots.txt unless told not to", async (t) => {
  const { trawl, host, reach } = await startArchiving(t, { repos: 1 });
  const urls = ["https://github.com/a/b/?x=1", "https://gist.github.com/a", "https://github.com/a/b/blob/main/secret"];
  const offline = await trawl.json("archive", "validate-policy", "--no-robots", ...urls);
  assert.deepEqual(
    offline.lines.map(({ url, reason }) => [url, reason]),
    [
      ["https://github.com/a/b", null],
      ["https://gist.github.com/a", "subdomain_denied"],
      ["https://github.com/a/b/blob/main/secret", null],
    ],
  );
  assert.equal(host.requests().length, 0);
  const { stdout, code } = await trawl.run("archive", "validate-policy", ...reach, ...urls);
  assert.equal(code, 0);
  assert.match(stdout, /^archive {2}https:\/\/github\.com\/a\/b\n {4}page type repo_root, of github\.com\/a\/b$/m);
  assert.match(stdout, /^refuse {3}https:\/\/github\.com\/a\/b\/blob\/main\/secret\n {4}robots_disallow: /m);
  assert.match(stdout, /rule: .*Disallow: \/\*\/\*\/blob\/\*\/secret/);
});

test("config: init writes what validate accepts, show prints what a run would use", async (t) => {
  const { trawl, root } = await startArchiving(t, { repos: 1 });
  const init = await trawl.run("archive", "config", "init", "other.yaml");
  assert.equal(init.code, 0);
  assert.match((await trawl.run("archive", "config", "init", "other.yaml")).stderr, /already exists[\s\S]*--force/);
  assert.match((await trawl.run("archive", "config", "validate", "other.yaml")).stderr, /user_agent: must say/);
  writeFileSync(join(root, "archive.yaml"), 'user_agent: "a/1 (+https://example.com)"\ncaps: { max_depth: 2 }\n');
  const shown = await trawl.run("archive", "config", "show");
  assert.match(shown.stdout, /^ {2}max_depth: 2 +# default 4$/m);
  assert.match(shown.stdout, /^ {2}per_repo_max_pages: 30$/m, "the profile's value, if the file has none");
  const json = (await trawl.json("archive", "config", "show")).lines[0] as { storage: Record<string, unknown> };
  assert.equal(json.storage["html_permissions"], "0o644");
  const valid = (await trawl.json("archive", "config", "validate")).lines[0]!;
  assert.deepEqual(valid["changed"], ["caps.max_depth"]);
});

test("verify lists what is damaged, --repair moves it away, and resume fetches it again", async (t) => {
  const { trawl, host, root, reach, read } = await startArchiving(t, { repos: 2 });
  await trawl.run("archive", "run", ...reach);
  assert.equal((await trawl.run("archive", "verify")).code, 0);
  const lines = read("metadata/crawl_metadata.jsonl").trimEnd().split("\n");
  const records = lines.map((line) => JSON.parse(line) as { url: string; stored_path: string; depth: number });
  const corrupt = records.findLast(({ stored_path: path }) => path !== "")!;
  writeFileSync(join(root, "..", corrupt.stored_path), "something else");
  const damaged = records[2]!;
  lines[2] = lines[2]!.slice(0, 90);
  writeFileSync(join(root, "metadata/crawl_metadata.jsonl"), `${lines.join("\n")}\n`);

  const verify = await trawl.run("archive", "verify");
  assert.equal(verify.code, 1);
  assert.match(verify.stdout, /^damaged_line {2}line 3 /m);
  assert.ok(verify.stdout.includes(`corrupt_blob  line ${records.indexOf(corrupt) + 1}  ${corrupt.url}`));
  const repair = await trawl.run("archive", "verify", "--repair");
  assert.equal(repair.code, 0);
  assert.match(
    repair.stdout,
    /bad lines are in .*damaged-\d+\.txt\n.*1 damaged file kept as it was.*\n.*1 corrupt page moved to quarantine.*\n.*2 URLs will/,
  );

  host.reset();
  assert.equal((await trawl.run("archive", "resume", ...reach)).code, 0);
  const asked = [...host.counts().keys()]
    .filter((path) => path !== "/robots.txt")
    .map((path) => `https://github.com${path}`);
  assert.deepEqual(asked.sort(), [corrupt.url, damaged.url].sort());
  const after = await trawl.json("archive", "verify");
  assert.deepEqual([after.code, after.lines.length], [0, 1], "nothing is wrong any more");
  const again = read("metadata/crawl_metadata.jsonl").trimEnd().split("\n");
  assert.equal(again.length, lines.length);
  const refetched = again.map((line) => JSON.parse(line) as typeof corrupt).find(({ url }) => url === corrupt.url)!;
  assert.equal(refetched.depth, corrupt.depth, "it is as deep as it was");

  const state = read("state/fetched_urls.txt").split("\n");
  state[1] = "https://github.com/somebody/else";
  writeFileSync(join(root, "state/fetched_urls.txt"), state.join("\n"));
  const bad = await trawl.run("archive", "verify");
  assert.equal(bad.code, 1);
  assert.match(bad.stdout, /^damaged_state {2}fetched_urls\.txt line 2 does not match what was written$/m);
  const refused = await trawl.run("archive", "resume", ...reach);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /fetched_urls\.txt line 2 .*\n.*verify --repair/s);
  assert.equal((await trawl.run("archive", "verify", "--repair")).code, 0);
  assert.equal((await trawl.run("archive", "resume", ...reach)).code, 0);
});

test("pages that cannot be fetched: the end names them, and the exit code says so", async (t) => {
  const broken = (path: string) => /file-[01]\.ts$/.test(path);
  // There is no such page: that is an answer, and every code host has dead links.
  const gone = (path: string) => /file-2\.ts$/.test(path);
  const instead = (path: string) => (broken(path) ? { status: 451 } : gone(path) ? { status: 404 } : null);
  const { trawl, reach, root } = await startArchiving(t, { repos: 4, instead });
  const run = await trawl.run("archive", "run", ...reach);
  assert.equal(run.code, 4, run.stderr);
  assert.match(run.stdout, /^Ended after .*Not\s+everything\s+could\s+be\s+fetched\./m);
  assert.doesNotMatch(run.stdout, /Done|Nothing is lost/);
  // A page that takes more than half a second, as on a busy machine, is applied after those behind it.
  assert.match(run.stdout, /^8 URLs could not be fetched:\n {2}451 {2}https:\/\/github\.com\/owner-\d\/repo-\d\/blob/m);
  assert.match(run.stdout, /^ {2}and 3 more\nAll of them are in .*state\/failed_urls\.jsonl$/m);
  const listed = readFileSync(join(root, "state/failed_urls.jsonl"), "utf8").trim().split("\n");
  assert.deepEqual(
    listed.map((line) => (JSON.parse(line) as { http_status: number }).http_status),
    Array(8).fill(451),
  );
  const again = await trawl.run("archive", "run", "--json", ...reach);
  assert.equal(again.code, 4);
  const end = JSON.parse(again.stdout.trim().split("\n").at(-1)!) as { state: string; failures: { count: number } };
  assert.deepEqual([end.state, end.failures.count], ["incomplete", 8]);
});

test("failures: listed, filtered, and requested again; seeds as arguments", async (t) => {
  let isFixed = false;
  const instead = (path: string) => {
    if (isFixed) return null;
    return /file-0\.ts$/.test(path) ? { status: 451 } : /file-1\.ts$/.test(path) ? { status: 404 } : null;
  };
  const { trawl, host, reach } = await startArchiving(t, { repos: 2, instead });
  assert.match((await trawl.run("archive", "failures")).stdout, /^No URL has failed\.$/m);
  const run = await trawl.run("archive", "run", "github.com/owner-0/repo-0", ...reach);
  assert.equal(run.code, 4, run.stderr);
  assert.ok(!host.counts().has("/topics"), "the seeds of the file are not read");
  const shown = await trawl.run("archive", "failures");
  assert.match(
    shown.stdout,
    /^answer +when +retries +type +url\n451 .* 0 {2}blob {2}https:\/\/github\.com\/owner-0\/.*file-0\.ts/,
  );
  assert.match(shown.stdout, /^1 URL could not be fetched\.$/m);
  assert.match(shown.stdout, /^ {2}trawl archive run --retry-failed {2}requests them again$/m);
  const urls = async (...typed: string[]) => {
    const { total, rows, next } = (await trawl.json("archive", "failures", ...typed)).lines[0] as {
      total: number;
      rows: { url: string; pageType: string; failedAt: string }[];
      next: null;
    };
    assert.deepEqual([total, next], [rows.length, null]);
    for (const { pageType, failedAt } of rows) assert.match(`${pageType} ${failedAt}`, /^\w+ \d{4}-.*Z$/);
    return rows.map(({ url }) => url.replace(/.*\//, ""));
  };
  assert.deepEqual(await urls(), ["file-0.ts"]);
  assert.deepEqual(await urls("--status", "404"), ["file-1.ts"]);
  assert.deepEqual(await urls("--status", "4xx,5xx", "--type", "blob", "--match", "*file*"), [
    "file-0.ts",
    "file-1.ts",
  ]);
  for (const none of [
    ["--older", "1d"],
    ["--type", "issue"],
    ["--match", "/x$/"],
  ])
    assert.deepEqual(await urls(...none), []);
  for (const [typed, problem] of [
    [["failures", "--status", "7xx"], /is not a status/],
    [["failures", "--older", "soon"], /is not an age/],
    [["run", "--refresh", "--type", "wiki"], /is not a page type of this archive: they are /],
    [["run", "--older", "1d"], /need --refresh or --retry-failed/],
    [["run", "--discover", "--retry-failed"], /Discovering records nothing/],
  ] as const) {
    const { code, stderr } = await trawl.run("archive", ...typed);
    assert.equal(code, 2, typed.join(" "));
    assert.match(stderr, problem);
  }
  isFixed = true;
  host.reset();
  const again = await trawl.run("archive", "run", "--retry-failed", "--seeds", "/dev/null", ...reach);
  assert.equal(again.code, 0, again.stderr);
  assert.match(again.stderr, /^1 URL is requested again\.$/m);
  assert.deepEqual([...host.counts().keys()], ["/owner-0/repo-0/blob/main/src/file-0.ts"]);
  assert.deepEqual(await urls(), []);
});

test("a host that asks for a long rest: the run ends paused, and says until when; so does status", async (t) => {
  const busy = { status: 429, headers: { "retry-after": "7200" } };
  const instead = (path: string, request: number) => (request > 5 && path !== "/robots.txt" ? busy : null);
  const { trawl, reach } = await startArchiving(t, { instead });
  const run = await trawl.run("archive", "run", ...reach);
  assert.equal(run.code, 3, run.stderr);
  assert.match(
    run.stdout,
    /^github\.com rests until [-\d: ]+ (UTC|[-+][\d:]+): it answered 429\. Its pages stay\s+queued\.$/m,
  );
  const status = await trawl.run("archive", "status");
  assert.match(status.stdout, /resting +github\.com rests until .*: it answered 429\./);
  const { resting } = JSON.parse((await trawl.run("archive", "status", "--json")).stdout) as {
    resting: { host: string; until: string; why: string }[];
  };
  assert.deepEqual([resting[0]!.host, resting[0]!.why], ["github.com", "it answered 429"]);
  assert.ok(Date.parse(resting[0]!.until) > Date.now() + 7_000_000);
});
