/** Every tool, over stdio, on two crawls of the demo site: the second when a page of it has changed. */
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { after, before, test } from "node:test";
import { type RunningDemoSite, startDemoSite } from "../../src/demo/index.ts";
import { knownArchive } from "../archive/known-archive.ts";
import { knownRepoArchive } from "../atproto/known-repo-archive.ts";
import { rowsOf, StdioAgent, TRAP_LIMITS, temporaryFolder } from "./agent.ts";

const folder = temporaryFolder();
const agent = new StdioAgent(folder.path);
let site: RunningDemoSite;
let first: number;
let second: number;

before(async () => {
  site = await startDemoSite();
  await agent.connect();
  first = await agent.crawl(site.url, TRAP_LIMITS);
  second = await agent.crawl(site.url, { ...TRAP_LIMITS, exclude: ["/blog/*"] });
});
after(async () => {
  await agent.client.close();
  await site.close();
  folder.remove();
});

test("projects and crawls are listed, newest first", async () => {
  const [project] = rowsOf(await agent.ask("list_projects"));
  assert.equal(Number(project!["latest_crawl_id"]), second);
  const crawls = rowsOf(await agent.ask("list_crawls", { project_id: Number(project!["project_id"]) }));
  assert.deepEqual(
    crawls.map((crawl) => [Number(crawl["crawl_id"]), crawl["state"]]),
    [
      [second, "completed"],
      [first, "completed"],
    ],
  );
});

test("the overview begins with counts", async () => {
  const text = await agent.ask("overview", { crawl_id: first });
  assert.match(text, /^Crawl \d+ is completed: \d+ URLs discovered, \d+ crawled \(\d+ HTML pages, \d+ broken\)/);
  assert.match(text, /# HTTP status \(\d+\)\nvalue\turls\n/);
});

test("URLs are filtered and counted, and cursors lead through all of them", async () => {
  const query = { crawl_id: first, filter: ["status=200"], fields: ["url", "status"], sort: "url", limit: 50 };
  const text = await agent.ask("query_urls", query);
  const total = Number(/^([\d,]+) URLs/.exec(text)![1]!.replace(",", ""));
  const seen: string[] = [];
  let answer = text;
  for (;;) {
    seen.push(...rowsOf(answer).map((row) => row["url"]!));
    const cursor = /^To continue: cursor (".*")$/m.exec(answer);
    if (cursor === null) break;
    answer = await agent.ask("query_urls", { ...query, max_tokens: 500, cursor: JSON.parse(cursor[1]!) });
  }
  assert.equal(seen.length, total);
  assert.equal(new Set(seen).size, total);
  assert.deepEqual(seen, seen.toSorted());
});

test("one URL: facts, links, why, history and text", async () => {
  const [broken] = rowsOf(
    await agent.ask("query_urls", { crawl_id: first, filter: ["status=404"], fields: ["url"], limit: 1 }),
  );
  const url = broken!["url"]!;
  const detail = await agent.ask("url_detail", { crawl_id: first, url, history: true });
  assert.match(detail, /\nstatus\t404\n/);
  assert.equal(rowsOf(detail).filter((row) => row["crawl_id"]).length, 2);
  const links = await agent.ask("links", { crawl_id: first, url, direction: "in" });
  assert.match(links, /^\d+ links? to this URL\./);
  assert.ok(rowsOf(links).length > 0);
  const why = await agent.ask("why", { crawl_id: second, url: "/blog/crab-sandwiches" });
  assert.match(why, /^The verdict is skip/);
  assert.match(why, /reason\texcluded/);
  assert.match(why, /setting\texclude = \["\/blog\/\*"\]/);
  assert.match(await agent.ask("page_text", { crawl_id: first, url: "/" }), /^[\d,]+ characters of Markdown/);
});

test("decisions, compare and sql agree with each other", async () => {
  const excluded = rowsOf(await agent.ask("decisions", { crawl_id: second, reason: "excluded" }));
  const counted = rowsOf(
    await agent.ask("sql", { crawl_id: second, sql: "SELECT count(*) AS n FROM urls WHERE reason = 'excluded'" }),
  );
  assert.equal(excluded[0]!["urls"], counted[0]!["n"]);
  const compared = await agent.ask("compare", { crawl_id: second, other: first });
  assert.match(compared, /^\d+ added, \d+ gone, \d+ not crawled this time, \d+ changed, \d+ unchanged/);
});

test("issues lists what is wrong, and for a rule every URL with who links there", async () => {
  const answer = await agent.ask("issues", { crawl_id: first });
  assert.match(answer, /^\d+ errors?, \d+ warnings?, \d+ notices?; score [\d.]+ of 100/);
  const broken = rowsOf(answer).find((row) => row["rule"] === "resp.4xx_internal")!;
  const findings = rowsOf(await agent.ask("issues", { crawl_id: first, rule: "resp.4xx_internal" }));
  assert.equal(String(findings.length), broken["urls"]);
  assert.match(String(findings[0]!["linkedFrom"]), /^http/);
});

test("broken_links lists dead URLs with their sources, and findings can be accepted", async () => {
  const [broken] = rowsOf(await agent.ask("broken_links", { crawl_id: first }));
  assert.match(String(broken!["sources"]), /^http/);
  const rule = "resp.4xx_internal";
  const [finding] = rowsOf(await agent.ask("issues", { crawl_id: first, rule }));
  const given = { crawl_id: first, rule, url: finding!["url"], reason: "being moved" };
  assert.match(await agent.ask("accept_findings", given), /^1 entry in /);
  const accepted = await agent.ask("issues", { crawl_id: first, rule, state: "accepted" });
  assert.match(accepted, /1 URL\.[\s\S]*being moved/);
});

test("pages with the same content, HTML, files and schedules", async () => {
  assert.ok(rowsOf(await agent.ask("duplicates", { crawl_id: first })).length > 1);
  const { text, isError } = await agent.call("page_source", { crawl_id: first, url: "/" });
  assert.ok(isError);
  assert.match(text, /storeHtml|store-html/);
  const { structured } = await agent.call("export", { crawl_id: first, what: "links", format: "jsonl" });
  const { path, total, bytes } = structured as { path: string; total: number; bytes: number };
  const written = readFileSync(path);
  assert.deepEqual([written.length, written.toString().trimEnd().split("\n").length], [bytes, total]);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const [project] = rowsOf(await agent.ask("list_projects"));
  const project_id = Number(project!["project_id"]);
  assert.match(await agent.ask("schedules"), /^0 schedules\./);
  await agent.ask("schedules", { project_id, cron: "0 6 * * 1", timezone: "Europe/Berlin" });
  const [kept] = rowsOf(await agent.ask("schedules", { project_id, enabled: false }));
  assert.deepEqual([kept!["cron"], kept!["timezone"], kept!["enabled"]], ["0 6 * * 1", "Europe/Berlin", "false"]);
  const [later] = rowsOf(await agent.ask("schedules", { project_id, cron: "0 7 * * 1" }));
  assert.deepEqual([later!["timezone"], later!["enabled"]], ["Europe/Berlin", "false"]);
  assert.deepEqual(rowsOf(await agent.ask("schedules", { project_id })), [later]);
  assert.match((await agent.call("schedules", { cron: "@daily" })).text, /project_id: missing/);
});

test("sql cannot write, attach or look elsewhere", async () => {
  for (const sql of ["DELETE FROM urls", "ATTACH 'x' AS y", "PRAGMA journal_mode = DELETE", "SELECT 1; SELECT 2"]) {
    const { isError, text } = await agent.call("sql", { crawl_id: first, sql });
    assert.ok(isError, sql);
    assert.match(text, /^error [A-Z_]+: /);
  }
});

test("settings are read, changed for later crawls, and tested", async () => {
  assert.match(await agent.ask("get_config", { url: site.url }), /maxDepth\t/);
  const saved = await agent.ask("set_config", { url: site.url, settings: { maxDepth: 2 } });
  assert.match(saved, /^Saved\. 1 of \d+ settings differ/);
  assert.match(saved, /# changed \(1\)\nsetting\tvalue\nmaxDepth\t2\n/);
  const tried = await agent.ask("test_rules", {
    start: site.url,
    urls: ["/boats", "/blog/crab-sandwiches"],
    settings: { exclude: ["/blog/*"] },
  });
  assert.match(tried, /^1 of 2 URLs would be crawled\./);
});

test("passwords go in, and do not come out", async () => {
  await agent.ask("set_config", { url: "example.org", settings: { auth: "me:secret", headers: { cookie: "secret" } } });
  const shown = await agent.ask("get_config", { url: "example.org" });
  assert.match(shown, /headers\t\{"cookie":/);
  assert.doesNotMatch(shown, /secret/);
});

test("the reference knows every topic", async () => {
  for (const topic of ["fields", "tables", "settings", "reasons"]) {
    assert.ok(rowsOf(await agent.ask("reference", { topic })).length > 5, topic);
  }
  assert.match(await agent.ask("reference", { topic: "settings", search: "depth" }), /^\d entr/);
});

test("a crawl is paused, resumed and stopped", async () => {
  const { structured } = await agent.call("start_crawl", { url: site.url, settings: { ...TRAP_LIMITS, rate: 5 } });
  const crawl_id = structured!["crawl_id"];
  await agent.ask("pause_crawl", { crawl_id });
  assert.match(await agent.ask("crawl_status", { crawl_id }), /is paused: /);
  await agent.ask("resume_crawl", { crawl_id });
  assert.match(await agent.ask("crawl_status"), /^1 crawl running now\./);
  await agent.ask("stop_crawl", { crawl_id });
  const asked = site.requests().length;
  assert.match(await agent.ask("crawl_status", { crawl_id }), /is stopped: /);
  assert.equal(site.requests().length, asked);
});

test("crawls are also meant by their site and by last, and the answer tells the number", async () => {
  const host = new URL(site.url).host;
  const last = await agent.ask("query_urls", { crawl_id: "last", fields: ["url"], limit: 1 });
  const [, number] = /^crawl_id is (\d+);/m.exec(last)!;
  assert.match(last, new RegExp(`^\\d+ URLs of crawl ${number} found\\.`));
  assert.match(await agent.ask("overview", { crawl_id: host }), new RegExp(`^Crawl ${number} is `));
  assert.match(await agent.ask("overview", { crawl_id: String(first) }), new RegExp(`^Crawl ${first} is `));
  const compared = await agent.ask("compare", { crawl_id: second, other: first });
  assert.equal(await agent.ask("compare", { crawl_id: second, other: String(first) }), compared);
  const { text, isError } = await agent.call("overview", { crawl_id: "never.crawled" });
  assert.ok(isError);
  assert.match(text, /^error CRAWL_NOT_FOUND: There is no crawl of "never\.crawled"\./);
});

test("errors say what to do", async () => {
  for (const [name, given, taught] of [
    ["overview", { crawl_id: 99 }, /CRAWL_NOT_FOUND[\s\S]*list_projects[\s\S]*Latest crawls: \d/],
    ["why", { crawl_id: first, url: "/nowhere" }, /URL_NOT_IN_CRAWL[\s\S]*test_rules/],
    ["query_urls", { crawl_id: first, filter: ["stauts>400"] }, /BAD_USAGE: There is no field "stauts"[\s\S]*status/],
    ["query_urls", { crawl_id: first, fields: ["titel"] }, /no field "?titel[\s\S]*title/],
    ["start_crawl", { url: "ftp://example.com" }, /BAD_URL/],
    ["start_crawl", {}, /give one of the two/],
    ["sql", { crawl_id: first, sql: "SELECT nothing FROM urls" }, /nothing/],
    ["query_urls", { crawl_id: first, cursor: "x" }, /cursor: /],
  ] as const) {
    const { text, isError } = await agent.call(name, given);
    assert.ok(isError, `${name}: ${text}`);
    assert.match(text, taught);
    assert.match(text, /^What to do: /m);
  }
});

test("an archive is run, listed, searched and read", async (t) => {
  assert.match(await agent.ask("archives"), /^0 archives on this machine\./);
  const archive = knownArchive(folder.path, site.url);
  t.after(() => archive.remove());
  const archive_id = archive.id;
  assert.match(await agent.ask("archives"), /^1 archive on this machine\./);
  await agent.ask("archive_control", { archive_id, action: "start" });
  let status: string;
  do {
    status = await agent.ask("archives", { archive_id, verify: true });
  } while (!status.includes("not running"));
  assert.match(status, /Verified: everything is intact\./);
  const urls = rowsOf(await agent.ask("archive_pages", { archive_id, status: ["2xx"] }));
  assert.ok(urls.some(({ url }) => url === site.url));
  await agent.ask("archive_pages", { archive_id, failed: true });
  assert.match(await agent.ask("archive_pages", { archive_id, words: "the" }), /^\d+ pages? of \d+ found\./);
  assert.match(await agent.ask("archive_pages", { archive_id, page: site.url }), /^[\d,]+ bytes, fetched /);
  const { text, isError } = await agent.call("archive_control", { archive_id: 99, action: "stop" });
  assert.ok(isError);
  assert.match(text, /ARCHIVE_NOT_FOUND/);
});

test("an AT Protocol archive is looked at, and failures are chosen to be tried again", async (t) => {
  assert.match(await agent.ask("atproto"), /^0 AT Protocol archives on this machine\./);
  const { id: atproto_id, network } = await knownRepoArchive(t, folder.path);
  assert.match(await agent.ask("atproto"), /^1 AT Protocol archive on this machine\./);
  const show = (what: string, more: object = {}) => agent.ask("atproto", { atproto_id, show: what, ...more });
  assert.match(await show("status"), /^Archive 1: not crawling\. 7 repos stored/);
  assert.match(await show("hosts"), /not_found 1, parse_error 1/);
  const [failure] = rowsOf(await show("failures", { class: "parse_error" }));
  assert.equal(failure!["did"], network.faulty("wrongDid").did);
  const dids = rowsOf(await show("repos")).map((row) => row["did"]!);
  const counts = await Promise.all(dids.map(async (did) => Number.parseInt(await show("repos", { did }), 10)));
  const did = dids[counts.indexOf(Math.max(...counts))]!;
  const [first] = rowsOf(await show("records", { did }));
  const collection = `${first!["collection"]}/${first!["rkey"]}`;
  assert.match(await show("records", { did, collection }), /^1 record\./);
  assert.match(await show("events"), /^0 events\./);
  assert.match(await show("verify"), /^Everything is intact: 7 repos, .* 7 repos proven by the account's signature/);
  assert.match(
    await agent.ask("atproto_retry", { atproto_id, class: "parse_error" }),
    /^The next crawl tries 1 failed repo again/,
  );
  const { text, isError } = await agent.call("atproto", { atproto_id: 99 });
  assert.ok(isError);
  assert.match(text, /REPO_ARCHIVE_NOT_FOUND/);
});

test("no tool was left out of these tests", async () => {
  const { tools } = await agent.client.listTools();
  assert.deepEqual(
    tools.map((tool) => tool.name).filter((name) => !agent.called.has(name)),
    [],
  );
});
