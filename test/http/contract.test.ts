/** Every operation of the OpenAPI document, called on a real crawl; every answer checked against the document. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { startFleet } from "../../src/app/fleet/start.ts";
import { PLACES, type RunningDemoSite, startDemoSite } from "../../src/demo/index.ts";
import { TestPostgres } from "../../src/fleet/testing/postgres-server.ts";
import { knownArchive } from "../archive/known-archive.ts";
import { knownRepoArchive } from "../atproto/known-repo-archive.ts";
import { answerChecks } from "./answer-schema.ts";
import { type Serving, startServing } from "./serving.ts";

/** The traps of the demo site end soon with these. */
const SETTINGS = { maxUrlsPerPattern: 30, maxQueryVariants: 30 };

let site: RunningDemoSite;
let serving: Serving;
let postgres: TestPostgres | null;
let document: { paths: Record<string, Record<string, { operationId: string; responses: object }>> };
let check: ReturnType<typeof answerChecks>;
const ids = { crawl: 0, earlier: 0, project: 0, view: 0 };
const called = new Set<string>();

before(async () => {
  postgres = await TestPostgres.start();
  [site, serving] = await Promise.all([startDemoSite(), startServing({}, true, postgres?.url ?? null)]);
  const earlier = await serving.crawl({ url: site.url, settings: { ...SETTINGS, maxUrls: 40 } });
  const crawl = await serving.crawl({ url: site.url, settings: { ...SETTINGS, storeHtml: true } });
  Object.assign(ids, { crawl: crawl.crawlId, earlier: earlier.crawlId, project: crawl.projectId });
  document = (await (await serving.fetch("/openapi.json")).json()) as typeof document;
  check = answerChecks(document);
});
after(async () => {
  // Also when one of them could not start: an open server would keep this file from ending.
  await serving?.close();
  await site?.close();
  await postgres?.stop();
});

/** The codes that the document lists for a status of an operation. */
const codesOf = (operationId: string, status: number): string[] => {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const { responses } = operations.find((one) => one.operationId === operationId)!;
  return (responses as Record<string, { "x-codes"?: string[] }>)[status]?.["x-codes"] ?? [];
};

/** Calls an operation by its id and checks the answer. `given` fills the path first; the rest is query or body. */
// biome-ignore lint/suspicious/noExplicitAny: the document, not the compiler, says what the answer is.
async function call(operationId: string, given: Record<string, unknown> = {}, status = 200): Promise<any> {
  const [path, method] = Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => [path, method] as const))
    .find(([path, method]) => document.paths[path]![method]!.operationId === operationId)!;
  const rest = { ...given };
  const filled = path.slice("/api/v1".length).replace(/\{(\w+)\}/g, (_, name: string) => {
    delete rest[name];
    return encodeURIComponent(String(given[name]));
  });
  const hasBody = method === "post" || method === "put";
  const query = new URLSearchParams(
    Object.entries(rest).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, String(one)])),
  );
  const body = hasBody && Object.keys(rest).length > 0 ? rest : undefined;
  const address = hasBody || query.size === 0 ? filled : `${filled}?${query}`;
  let answer = await serving.ask(method.toUpperCase(), address, body);
  // On a busy machine the server says so, and when to ask again, as any program is told.
  for (let tries = 1; answer.status === 503 && status !== 503 && tries < 10; tries++)
    answer = await serving.ask(method.toUpperCase(), address, body);
  assert.equal(answer.status, status, `${operationId}: ${JSON.stringify(answer.body).slice(0, 500)}`);
  const type = status === 200 ? answer.type.split(";")[0]! : "application/problem+json";
  if (type.endsWith("json")) check(path, method, status, type)(answer.body);
  if (status !== 200)
    assert.ok(codesOf(operationId, status).includes(String(answer.body.code)), `${operationId}: ${answer.body.code}`);
  called.add(operationId);
  return answer.body;
}

const page = (path: string): string => new URL(path, site.url).href;

test("about, projects and crawls", async () => {
  await call("getHealth");
  assert.equal((await call("getVersion")).version, "1.2.3");
  const update = await call("checkForUpdate");
  assert.deepEqual([update.isOff, update.canInstall], [true, false]);
  assert.match((await call("installUpdate", {}, 422)).detail, /npm cannot update this installation/);
  const [project] = (await call("listProjects")).rows;
  assert.equal(project.latestCrawlId, ids.crawl);
  assert.deepEqual(
    (await call("listProjectCrawls", { id: ids.project })).rows.map(({ id }: { id: number }) => id),
    [ids.crawl, ids.earlier],
  );
  assert.equal((await call("getLastRequest", { id: ids.project })).again, ids.crawl);
  const { crawlInfo, results, total, next } = await call("getCrawl", { id: ids.crawl, limit: 10 });
  assert.equal(crawlInfo.state, "completed");
  assert.deepEqual([results.length, total > 200, typeof next], [10, true, "string"]);
  await call("getCrawl", { id: 99 }, 404);
  const overview = await call("getOverview", { id: ids.crawl });
  assert.equal(overview.previousId, ids.earlier);
  assert.deepEqual(
    (await call("listCrawls")).rows.map(({ id, isHeld }: { id: number; isHeld: boolean }) => [id, isHeld]),
    [
      [ids.crawl, false],
      [ids.earlier, false],
    ],
  );
  const described = await call("describeCrawl", { id: ids.crawl, listed: 2 });
  assert.deepEqual([described.crawl.startUrls, described.problem], [[site.url], null]);
  assert.deepEqual([described.summary.brokenUrls.length, described.summary.crawled], [2, overview.crawled]);
  assert.deepEqual(await call("listActiveCrawls"), { total: 0, rows: [], next: null });
  await call("getLiveCrawl", { id: ids.crawl });
});

test("URLs, links and why", async () => {
  await call("listFields");
  const id = ids.crawl;
  const first = await call("listUrls", {
    id,
    fields: "url,status",
    filter: ["status>=200"],
    sort: "-status",
    limit: 7,
  });
  assert.deepEqual(Object.keys(first.rows[0]), ["url", "status"]);
  const second = await call("listUrls", { id, filter: ["status>=200"], sort: "-status", limit: 7, cursor: first.next });
  assert.ok(!first.rows.some(({ url }: { url: string }) => url === second.rows[0].url));
  const jumped = await call("listUrls", { id, filter: ["status>=200"], sort: "-status", limit: 7, offset: 7 });
  assert.deepEqual(jumped.rows[0], second.rows[0]);
  await call("listUrls", { id, fields: "nonsense" }, 422);
  const { totals } = await call("countUrls", { id, views: [{ filter: ["status>=200"] }, { filter: ["status=410"] }] });
  assert.equal(totals[0], first.total);
  const gone = page(PLACES.gone);
  assert.equal((await call("getUrl", { id, url: gone })).facts.status, 410);
  assert.equal((await call("getUrl", { id, url: PLACES.gone })).url, gone);
  await call("getUrl", { id, url: "https://never.met/" }, 404);
  const { path, way } = await call("whyUrl", { id, url: gone });
  assert.equal(path.at(-1).url, gone);
  assert.deepEqual(way, path, "the older name");
  assert.equal((await call("getUrlHistory", { id, url: site.url })).total, 2);
  const links = await call("getPageLinks", { id, url: gone });
  assert.ok(links.inlinksTotal > 0);
  await call("listLinks", { id, url: gone, direction: "in" });
  await call("getGraph", { id, nodes: 50 });
  await call("getTree", { id });
  await call("getStructure", { id });
  assert.ok((await call("listDecisions", { id })).total > 0);
  const compared = await call("compareCrawls", { id, other: ids.earlier });
  assert.ok(compared.counts.added > 0);
});

test("issues, their findings, and another audit", async () => {
  const id = ids.crawl;
  const { rows: issues, auditedAt } = await call("listIssues", { id });
  assert.ok(Date.parse(auditedAt) > 0 && issues.length > 0);
  const { rule, found } = issues[0]!;
  const { total, rows, next } = await call("listFindings", { id, rule, limit: 1 });
  assert.deepEqual([total, rows.length, next !== null], [found, 1, found > 1]);
  await call("listFindings", { id, rule: "no.such_rule" }, 422);
  const { rows: all } = await call("acceptFindings", {
    id,
    rule,
    url: rows[0].url,
    evidence: rows[0].evidence,
    reason: "known",
  });
  assert.deepEqual([all.length, all[0].reason, all[0].isActive], [1, "known", true]);
  const accepted = await call("listFindings", { id, rule, state: "accepted" });
  assert.deepEqual([accepted.total, accepted.rows[0].acceptance.key], [1, all[0].key]);
  const now = (await call("listIssues", { id })).rows.find((issue: { rule: string }) => issue.rule === rule);
  assert.deepEqual([now.open, now.accepted], [found - 1, 1]);
  assert.equal((await call("listAcceptances", { id })).rows.length, 1);
  await call("acceptFindings", { id, rule, reason: "known", until: "soon" }, 422);
  assert.deepEqual((await call("removeAcceptance", { id, key: all[0].key })).rows, []);
  await call("removeAcceptance", { id, key: all[0].key }, 422);
  const trend = await call("getIssueTrend", { id });
  assert.equal(trend.rows.at(-1).crawlId, id);
  const again = await call("auditCrawl", { id, ignoreRules: [rule] });
  assert.ok(!again.rows.some((issue: { rule: string }) => issue.rule === rule));
  await call("auditCrawl", { id, thresholds: ["noSuch=1"] }, 422);
});

test("links of the whole crawl, and broken ones with their sources", async () => {
  const id = ids.crawl;
  const { total, rows, next } = await call("searchLinks", { id, limit: 2 });
  assert.deepEqual([rows.length, total > 2, next !== null], [2, true, true]);
  const second = await call("searchLinks", { id, limit: 2, cursor: next });
  assert.notDeepEqual(second.rows, rows);
  const dead = await call("searchLinks", { id, state: "dead" });
  assert.ok(dead.rows.every((row: { status: number | null }) => row.status === null || row.status >= 400));
  const broken = await call("listBrokenLinks", { id });
  const links = broken.rows.reduce((sum: number, row: { sources: unknown[] }) => sum + row.sources.length, 0);
  assert.ok(broken.total > 0);
  assert.deepEqual([links, broken.next], [dead.total, null]);
});

test("page text, source and SQL", async () => {
  const id = ids.crawl;
  const text = await call("getPageText", { id, url: site.url });
  assert.deepEqual([text.source, text.markdown.length > 20], ["stored", true]);
  assert.match((await call("getPageSource", { id, url: site.url })).html, /<html/);
  await call("getPageText", { id, url: site.url, fetch: "perhaps" }, 422);
  await call("getPageSource", { id, url: "https://never.met/" }, 404);
  const counted = await call("querySql", { id, sql: "SELECT count(*) AS n FROM urls" });
  assert.deepEqual(counted.columns, ["n"]);
  await call("querySql", { id, sql: "DELETE FROM urls" }, 422);
  assert.ok((await call("listTables")).total > 0);
});

test("settings, rules, views and schedules", async () => {
  await call("updateConfig", { url: site.url, parallelism: 3, settings: { maxDepth: 4 } });
  const config = await call("getConfig", { url: site.url });
  assert.deepEqual([config.parallelism, config.settings.maxDepth], [3, 4]);
  await call("updateConfig", { url: site.url, settings: { maxDepth: "deep" } }, 422);
  await call("listSettings");
  assert.equal((await call("validateSettings", { settings: { parallelism: 0 } })).isValid, false);
  await call("testRules", { start: site.url, urls: [page("/a"), "mailto:x@y.z", "::"] });
  const [forbidden] = (await call("testRobots", { urls: [page("/a")], text: "User-agent: *\nDisallow: /a" })).rows;
  assert.deepEqual([forbidden.allowed, forbidden.line], [false, 2]);
  assert.equal((await call("testRobots", { urls: [page(PLACES.forbidden[0])] })).rows[0].allowed, false);
  await call("testRobots", { urls: [] }, 422);
  const view = { name: "Broken", fields: ["url"], filter: ["status>=400"], search: null, sort: null };
  const saved = await call("saveView", view);
  assert.equal((await call("listViews")).total, 1);
  await call("deleteView", { id: saved.id });
  const rule = { projectId: ids.project, cron: "0 6 * * 1" };
  assert.equal((await call("setSchedule", rule)).nextRuns.length, 5);
  await call("setSchedule", { ...rule, cron: "nonsense" }, 422);
  await call("listSchedules");
  assert.equal((await call("previewCron", { cron: "@daily" })).isValid, true);
  const { crawlId } = await call("runSchedule", { projectId: ids.project });
  await call("stopCrawl", { id: crawlId });
  await call("deleteSchedule", { projectId: ids.project });
});

test("starting, pausing, resuming and stopping", async () => {
  const { crawlId: id, projectId } = await call("startCrawl", { url: site.url, settings: { ...SETTINGS, rate: 5 } });
  await call("pauseCrawl", { id });
  assert.equal((await call("getLiveCrawl", { id })).progress.state, "paused");
  await call("resumeCrawl", { id });
  await call("deleteCrawl", { id }, 409);
  assert.equal((await call("stopCrawl", { id })).openSockets, 0);
  await call("resumeCrawl", { id });
  assert.deepEqual((await call("stopProjectCrawl", { projectID: projectId })).stopped, [id]);
  await call("startCrawl", { url: "not a url" }, 422);
});

test("the bundled site is served and crawled", async () => {
  const { crawlId: id, projectId } = await call("startDemo");
  await call("stopCrawl", { id });
  await call("deleteProject", { id: projectId });
});

test("fleets", async () => {
  const name = "contract";
  const of = (operationId: string, status: number) => call(operationId, { name }, status);
  const changes = ["pauseFleet", "resumeFleet", "stopFleet"];
  assert.equal((await call("listFleets")).isConfigured, postgres !== null);
  for (const operationId of ["getFleet", ...changes, "pullFleet"]) await of(operationId, postgres === null ? 409 : 404);
  if (postgres === null) return;
  await startFleet({ name, postgres: postgres.url, urls: [site.url], list: null, settings: { audit: false } });
  assert.deepEqual([(await call("listFleets")).rows[0].name, (await of("getFleet", 200)).state], [name, "running"]);
  for (const operationId of changes) await of(operationId, 200);
  const { crawlId, records } = await of("pullFleet", 200);
  assert.equal(records, 0);
  await call("pullFleet", { name, host: "nowhere.example" }, 422);
  await call("deleteCrawl", { id: crawlId });
});

test("archives", async (t) => {
  const archive = knownArchive(serving.app.home.root, site.url);
  t.after(() => archive.remove());
  const { id } = archive;
  assert.equal((await call("listArchives")).total, 1);
  await call("pauseArchive", { id }, 409);
  await call("startArchive", { id });
  await call("stopArchive", { id });
  await call("unpauseArchive", { id });
  await call("startArchive", { id, refresh: true });
  // Looking while it runs is allowed; a second run is not.
  await call("getArchive", { id });
  await call("startArchive", { id }, 409);
  while ((await call("listArchives")).rows[0].isRunning) await new Promise((resolve) => setTimeout(resolve, 20));
  const { rows } = await call("listArchivePages", { id, status: ["2xx"] });
  await call("listArchivePages", { id, cursor: "nonsense" }, 422);
  await call("listArchiveFailures", { id, status: ["5xx", "0"], older: "1s" });
  await call("listArchiveFailures", { id, status: ["many"] }, 422);
  await call("getArchivedPage", { id, page: rows[0].url });
  await call("getArchivedPage", { id, page: rows[0].sha256 });
  assert.match(await call("viewArchivedPage", { id, page: site.url }), /<html/);
  assert.ok((await call("searchArchive", { id, words: "the" })).indexedPages > 0);
  assert.equal((await call("verifyArchive", { id })).isIntact, true);
  await call("forgetArchive", { id });
  await call("getArchive", { id }, 404);
});

test("AT Protocol archives", async (t) => {
  const { id, network } = await knownRepoArchive(t, serving.app.home.root);
  assert.equal((await call("listRepoArchives")).total, 1);
  await call("getRepoArchive", { id });
  assert.equal((await call("listRepoHosts", { id, host: "atp.example" })).total, 2);
  assert.equal((await call("listRepoFailures", { id, class: "parse_error", host: "atp.example" })).total, 1);
  await call("listRepoFailures", { id, class: "nonsense" }, 422);
  assert.equal((await call("retryRepoFailures", { id, class: "parse_error" })).count, 1);
  const { did } = (await call("listRepos", { id, limit: 1 })).rows[0];
  await call("getRepo", { id, did });
  await call("getRepo", { id, did: network.faulty("notFound").did }, 404);
  const { rows } = await call("listRecords", { id, did });
  await call("listRecords", { id, did, cursor: "nonsense" }, 422);
  for (const { collection, rkey } of rows.slice(0, 1)) await call("getRecord", { id, did, collection, rkey });
  await call("getRecord", { id, did, collection: "a.b", rkey: "none" }, 404);
  assert.deepEqual((await call("listRepoEvents", { id, did, inactive: true })).rows, []);
  assert.equal((await call("verifyRepoArchive", { id })).isIntact, true);
  await call("forgetRepoArchive", { id });
  await call("getRepoArchive", { id }, 404);
});

test("files and streams", async () => {
  const csv = await call("exportCrawl", { id: ids.crawl, fields: "url,status", filter: "status=410" });
  assert.equal(csv, `url,status\n${page(PLACES.gone)},410\n`);
  const links = await call("exportCrawl", { id: ids.crawl, what: "links", format: "jsonl", fields: "source" });
  assert.ok(JSON.parse(links.split("\n")[0]).source);
  await call("exportCrawl", { id: ids.crawl, filter: "nonsense" }, 422);
  const saved = await call("saveExport", { id: ids.crawl, fields: ["url"], filter: ["status=410"] });
  assert.deepEqual([saved.total, readFileSync(saved.path, "utf8")], [1, `url\n${page(PLACES.gone)}\n`]);
  await call("saveExport", { id: ids.crawl, filter: ["nonsense"] }, 422);
  await call("exportCrawl", { id: 99 }, 404);
  await call("getFavicon", { id: 99 }, 404);
  const events = await serving.fetch("/api/v1/events");
  assert.match(events.headers.get("content-type")!, /^text\/event-stream/);
  await events.body!.cancel();
  called.add("watchEvents");
});

test("deleting; then every operation has been called", async () => {
  await call("deleteCrawl", { id: ids.earlier });
  await call("deleteProject", { id: ids.project });
  await call("deleteProject", { id: ids.project }, 404);
  assert.deepEqual(await call("listProjects"), { total: 0, rows: [], next: null });
  const all = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId));
  assert.deepEqual(
    all.filter((name) => !called.has(name)),
    [],
  );
  assert.deepEqual(serving.internal, []);
});
