import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { Worker } from "node:worker_threads";
import { Registry } from "./registry.ts";

function registryPath(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "registry.db");
}

function open(t: TestContext, path = registryPath(t)): Registry {
  const registry = new Registry(path, () => 1_000);
  t.after(() => registry.close());
  return registry;
}

const crawlOf = (registry: Registry, domain: string, over = {}): number =>
  registry.addCrawl({
    projectId: registry.project(`https://${domain}/`, domain),
    mode: "site",
    startUrls: [`https://${domain}/`],
    settings: { maxUrls: 5 },
    baselineId: null,
    ...over,
  });

const done = {
  state: "completed",
  durationMs: 1_234.6,
  pages: 2,
  crawled: 3,
  discovered: 9,
  message: null,
  ending: null,
  progress: null,
} as const;

test("registry: a crawl comes back as it was added, and as it was updated", (t) => {
  const registry = open(t);
  const id = crawlOf(registry, "example.com");
  assert.deepEqual(registry.crawl(id), {
    ...{ id, projectId: 1, domain: "example.com", mode: "site", startUrls: ["https://example.com/"] },
    ...{ settings: { maxUrls: 5 }, baselineId: null, state: "running", startedAt: 1_000, durationMs: 0 },
    ...{ pages: null, crawled: 0, discovered: 0, message: null, ending: null, progress: null },
  });
  registry.updateCrawl(id, { ...done, message: "all well" });
  const { state, durationMs, crawled, discovered, message } = registry.crawl(id);
  assert.deepEqual([state, durationMs, crawled, discovered, message], ["completed", 1_235, 3, 9, "all well"]);
});

test("registry: settings of a version that checked resources only by discovery keep their meaning", (t) => {
  const path = registryPath(t);
  const registry = new Registry(path, () => 1_000);
  const off = crawlOf(registry, "off.test", { settings: { discovery: ["spider"] } });
  const on = crawlOf(registry, "on.test", { settings: { discovery: ["spider", "resources"] } });
  const neither = crawlOf(registry, "neither.test");
  const config = registry.db.prepare("INSERT INTO configs VALUES (?, ?, 1, 1)");
  config.run("off.test", JSON.stringify({ discovery: ["sitemap"], maxUrls: 3 }));
  config.run("on.test", JSON.stringify({ maxUrls: 3 }));
  registry.db.exec(`ALTER TABLE crawls DROP COLUMN pages; ALTER TABLE crawls DROP COLUMN ending;
    UPDATE schema_versions SET version = 2 WHERE part = 'registry'`);
  registry.close();
  const later = open(t, path);
  assert.deepEqual(
    [off, on, neither].map((id) => later.crawl(id).settings),
    [{ discovery: ["spider"], checkResources: false }, { discovery: ["spider", "resources"] }, { maxUrls: 5 }],
  );
  const stored = later.db.prepare("SELECT settings FROM configs ORDER BY domain").all();
  assert.deepEqual(
    stored.map(({ settings }) => JSON.parse(String(settings))),
    [{ discovery: ["sitemap"], maxUrls: 3, checkResources: false }, { maxUrls: 3 }],
  );
});

test("registry: crawls of one domain share a project, which goes with its last crawl", (t) => {
  const path = registryPath(t);
  const registry = open(t, path);
  const [first, second, other] = ["example.com", "example.com", "other.test"].map((domain) =>
    crawlOf(registry, domain),
  );
  assert.equal(registry.crawl(first!).projectId, registry.crawl(second!).projectId);
  assert.deepEqual(
    registry.crawls().map((crawl) => crawl.id),
    [other, second, first],
  );
  registry.removeCrawl(first!);
  registry.removeCrawl(other!);
  const projects = new DatabaseSync(path, { readOnly: true });
  t.after(() => projects.close());
  assert.deepEqual(
    projects
      .prepare("SELECT domain FROM projects")
      .all()
      .map((row) => row["domain"]),
    ["example.com"],
  );
});

test("registry: an id is never used twice, for its folder may still be there", (t) => {
  const registry = open(t);
  const first = crawlOf(registry, "example.com");
  registry.removeCrawl(first);
  assert.notEqual(crawlOf(registry, "example.com"), first);
});

test("registry: an unknown crawl is reported as unknown", (t) => {
  assert.throws(() => open(t).crawl(99), { code: "CRAWL_NOT_FOUND", message: "There is no crawl 99." });
});

test("registry: the newest completed crawl of a domain", (t) => {
  const registry = open(t);
  assert.equal(registry.lastCompleted("example.com"), null);
  const [first, second] = [crawlOf(registry, "example.com"), crawlOf(registry, "example.com")];
  registry.updateCrawl(crawlOf(registry, "other.test"), done);
  registry.updateCrawl(first!, done);
  registry.updateCrawl(second!, { ...done, state: "paused" });
  assert.equal(registry.lastCompleted("example.com")?.id, first);
  registry.updateCrawl(second!, done);
  assert.equal(registry.lastCompleted("example.com")?.id, second);
});

test("registry: facts about a list that are known only once it was read", (t) => {
  const registry = open(t);
  const earlier = crawlOf(registry, "example.com");
  const id = crawlOf(registry, "list.invalid", { mode: "list" });
  registry.setStart(id, {
    startUrls: ["https://example.com/a"],
    projectId: registry.project("https://example.com/a", "example.com"),
    baselineId: earlier,
    settings: { rate: 2 },
  });
  const { domain, startUrls, baselineId, mode, settings } = registry.crawl(id);
  assert.deepEqual([domain, startUrls, baselineId, mode], ["example.com", ["https://example.com/a"], earlier, "list"]);
  assert.deepEqual(settings, { rate: 2 });
});

test("registry: two processes see the same crawls, and one from the future is refused", (t) => {
  const path = registryPath(t);
  const one = open(t, path);
  const other = open(t, path);
  const id = crawlOf(one, "example.com");
  other.updateCrawl(id, done);
  assert.equal(one.crawl(id).state, "completed");
  const db = new DatabaseSync(path);
  db.exec("UPDATE schema_versions SET version = 999 WHERE part = 'registry'");
  db.close();
  assert.throws(() => new Registry(path), { code: "STORE_TOO_NEW" });
});

test("registry: several processes can create it at the same moment", async (t) => {
  const threads = 3;
  const paths = Array.from({ length: 12 }, () => registryPath(t));
  const arrived = new Int32Array(new SharedArrayBuffer(4));
  const script = new URL("../testing/open-registries.ts", import.meta.url);
  const workers = Array.from(
    { length: threads },
    () => new Worker(script, { workerData: { paths, threads, arrived } }),
  );
  const errors = await Promise.all(workers.map(async (worker) => (await once(worker, "message"))[0]));
  assert.deepEqual(errors.flat(), []);
});
