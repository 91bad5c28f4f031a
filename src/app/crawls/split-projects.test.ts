import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { App } from "../app.ts";
import { temporaryHome } from "../testing/small-site.ts";

/** An app on a registry that the version before wrote. */
function oldApp(t: TestContext): App {
  const home = temporaryHome(t, () => app.close());
  const db = new DatabaseSync(home.registry, { enableForeignKeyConstraints: false });
  db.exec(readFileSync(new URL("../testing/registry-by-domain.sql", import.meta.url), "utf8"));
  db.close();
  const app = new App({ version: "0", home, updateCheck: false });
  return app;
}

test("split projects: a project of several sites becomes several, each with its crawls", (t) => {
  const app = oldApp(t);
  const projects = app.crawls.registry.projects().map(({ id, url, domain }) => {
    return [id, domain, url, app.crawls.registry.crawlsOf(id).map((crawl) => crawl.id)];
  });
  assert.deepEqual(projects, [
    [1, "alice.github.io", "https://alice.github.io/", [3, 1]],
    [2, "example.com", "http://example.com/", [7, 6, 5, 4]],
    [3, "dev.test:8080", "http://dev.test:8080/", [8]],
    [4, "late.org", "https://late.org/", [10]],
    [5, "localhost:8000", "http://localhost:8000/", [11]],
    [6, "bob.github.io", "https://bob.github.io/blog/", [2]],
    [7, "dev.test:9090", "http://dev.test:9090/", [9]],
  ]);
});

test("split projects: crawls keep their numbers, schedules their project, views stay", (t) => {
  const app = oldApp(t);
  const { state, startedAt, durationMs, crawled, discovered } = app.crawls.registry.crawl(2);
  assert.deepEqual([state, startedAt, durationMs, crawled, discovered], ["completed", 1700000360000, 2000, 20, 40]);
  assert.deepEqual(
    app.schedules.list().map(({ projectId, domain, cron }) => [projectId, domain, cron]),
    [
      [1, "alice.github.io", "0 6 * * 1"],
      [2, "example.com", "0 7 * * *"],
    ],
  );
  assert.equal(app.views.list().length, 1);
});

test("split projects: every project keeps the settings, and only the origins that used them the secrets", (t) => {
  const { configs } = oldApp(t);
  const all = (...urls: string[]) => Object.fromEntries(urls.map((url) => [url, configs.saved(url)]));
  const alice = { maxUrls: 100, headers: { "X-Key": "rabbit" }, auth: "alice:wonder" };
  const example = { maxDepth: 3, headers: { "Accept-Language": "fr" } };
  const owned = { maxDepth: 3, headers: { "Accept-Language": "fr", "X-Token": "t1" } };
  assert.deepEqual(
    all(
      ...["https://alice.github.io/", "http://alice.github.io/", "https://bob.github.io/", "https://carol.github.io/"],
      ...["https://example.com/", "http://example.com/", "https://www.example.com/", "https://docs.example.com/"],
      ...["http://dev.test:8080/", "http://dev.test:9090/", "https://late.org/", "http://late.org/"],
      ...["https://never.net/", "http://127.0.0.1:3000/", "http://localhost:8000/"],
    ),
    {
      "https://alice.github.io/": alice,
      "http://alice.github.io/": { maxUrls: 100 },
      "https://bob.github.io/": { maxUrls: 100 },
      "https://carol.github.io/": {},
      "https://example.com/": owned,
      "http://example.com/": example,
      "https://www.example.com/": owned,
      "https://docs.example.com/": example,
      "http://dev.test:8080/": { rate: 5, auth: "dev:8080" },
      "http://dev.test:9090/": { rate: 5 },
      "https://late.org/": { auth: "late:pass" },
      "http://late.org/": {},
      "https://never.net/": { userAgent: "shop/1", auth: "never:pass" },
      "http://127.0.0.1:3000/": { auth: "local:pass" },
      "http://localhost:8000/": {},
    },
  );
});

test("split projects: a crawl made with an untrusted party's secrets sends them to their owner only", (t) => {
  const { registry } = oldApp(t).crawls;
  const origins = registry.crawls().map(({ id, settings }) => {
    return [id, (settings as { credentialOrigins?: string[] }).credentialOrigins];
  });
  assert.deepEqual(
    origins.filter(([, named]) => named !== undefined),
    [
      [9, ["http://dev.test:8080"]],
      [4, ["https://example.com", "https://www.example.com"]],
      [2, ["https://alice.github.io"]],
    ],
  );
  assert.equal((registry.crawl(11).settings as { auth: string }).auth, "given:once");
});

test("split projects: a second start changes nothing", (t) => {
  const app = oldApp(t);
  const before = app.crawls.registry.projects();
  const { home } = app;
  const again = new App({ version: "0", home, updateCheck: false });
  t.after(() => again.close());
  assert.deepEqual(again.crawls.registry.projects(), before);
});
