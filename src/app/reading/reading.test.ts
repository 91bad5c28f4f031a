import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, describe, it } from "node:test";
import { parseConfig } from "../../site/site-config.ts";
import { Comparison, type ComparisonQuery } from "../../site/store/compare.ts";
import { SiteReader } from "../../site/store/reader.ts";
import { siteDatabase } from "../../site/testing/site-database.ts";
import { COMMAND_READING, Reading, SERVER_READING } from "./reading.ts";
import type { ExportTask } from "./tasks.ts";

const path = siteDatabase({ after: (clean) => process.once("exit", clean as () => void) }, [
  { url: "https://example.com/", page: { status: 200, title: "Home" } },
  { url: "https://example.com/a", page: { status: 404 } },
]);

const ENDLESS = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t";

const reading = new Reading(COMMAND_READING);
after(() => reading.close());
const runSql: Reading["sql"] = (...given) => reading.sql(...given);

describe("SQL in a process of its own", () => {
  it("answers with columns, rows and the time it took", async () => {
    const { columns, rows, truncated, durationMs } = await runSql(path, "SELECT id, url FROM urls ORDER BY id", {
      rows: 1,
    });
    assert.deepEqual([columns, rows, truncated], [["id", "url"], [[1, "https://example.com/"]], true]);
    assert.ok(durationMs > 0);
  });

  it("ends a query that would never end", async () => {
    await assert.rejects(runSql(path, ENDLESS, { timeoutMs: 200 }), { code: "SQL_STOPPED" });
  });

  it("ends an abandoned query", async () => {
    const abort = new AbortController();
    const running = runSql(path, ENDLESS, { timeoutMs: 20_000, signal: abort.signal });
    abort.abort(new Error("gone"));
    await assert.rejects(running, /gone/);
    await assert.rejects(runSql(path, "SELECT 1", { signal: abort.signal }), /gone/);
  });

  it("says what is wrong with a query, and that a crawl no longer exists", async () => {
    await assert.rejects(runSql(path, "SELECT missing FROM urls"), {
      code: "BAD_SQL",
      message: /no such column: missing/,
    });
    await assert.rejects(runSql(path, "DELETE FROM urls"), { code: "BAD_SQL" });
    await assert.rejects(runSql("/nowhere/crawl.db", "SELECT 1"), { code: "CRAWL_NOT_FOUND" });
  });

  it("reads a crawl that is being written", async (t) => {
    const live = siteDatabase(t, [{ url: "https://example.com/", page: { status: 200 } }]);
    const writer = new DatabaseSync(live);
    t.after(() => writer.close());
    writer.exec("BEGIN IMMEDIATE; UPDATE pages SET status = 500");
    assert.deepEqual((await runSql(live, "SELECT status FROM pages")).rows, [[200]]);
    writer.exec("COMMIT");
    assert.deepEqual((await runSql(live, "SELECT status FROM pages")).rows, [[500]]);
  });
});

describe("reading in other processes", () => {
  const away = new Reading({ ownBytes: -1, ownPatterns: 0 });
  after(() => away.close());
  const crawl = { path, open: () => assert.fail("it is not read here") };

  it("is asked for what takes long in a small crawl too: large expressions, and many URLs against many rules", async (t) => {
    const [server, another] = [new Reading(SERVER_READING), new Reading(SERVER_READING)];
    t.after(() => {
      for (const each of [server, another]) each.close();
    });
    const small = { path, open: () => new SiteReader(path) };
    const view = (filter: string) => server.read("view", small, { filters: [filter], search: null, sort: null });
    assert.deepEqual([...(await view("title=~^ho"))], [1]);
    assert.ok(server.isQuick(path, { filters: ["title=~^ho", "status=200"] }));
    assert.ok(!server.isQuick(path, { filters: [`title=~${"(a|b)*c".repeat(200)}`] }));
    const text = "User-agent: *\nDisallow: /b";
    const ask = (urls: string[]) => another.robots({ text, urls, agent: "trawl" });
    assert.equal((await ask(["https://example.com/b"]))[0]?.line, 2);
    await server.rules({
      start: "https://example.com/",
      urls: [],
      config: parseConfig({ include: ["/a{9}/"] }),
      robots: {},
    });
    assert.deepEqual([server.processes, another.processes], [0, 0]);
    assert.deepEqual([...(await view("title=~^h(o|i{900}|j{900})"))], [1]);
    assert.equal(server.processes, 1);
    const many = Array.from({ length: 100_000 }, (_, index) => `https://example.com/${index % 2 === 0 ? "a" : "b"}`);
    assert.equal((await ask(many)).filter(({ allowed }) => allowed).length, 50_000);
    assert.equal(another.processes, 1);
  });

  it("gives the same answers as reading here", async () => {
    const reader = new SiteReader(path);
    const here = { path, open: () => reader };
    const query = { filters: [], search: null, sort: "-url" };
    const ids = await away.read("view", crawl, query);
    assert.deepEqual(ids, await reading.read("view", here, query));
    const rows = { fields: ["url", "status", "title"], ids };
    const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
    assert.deepEqual(plain(await away.read("rows", crawl, rows)), plain(await reading.read("rows", here, rows)));
    for (const [name, args] of [
      ["overview", null],
      ["summary", { listed: 5 }],
      ["decisions", { reason: null, limit: 5 }],
      ["graph", { nodes: 5 }],
      ["why", { config: parseConfig({}), url: "https://example.com/a" }],
      ["url", { url: "https://example.com/" }],
      ["facts", { url: "https://example.com/a" }],
      ["facts", { url: "https://example.com/none" }],
      ["id", { url: "https://example.com/a" }],
      ["linksIn", { id: 2, limit: 5, after: 0 }],
      ["linksOut", { id: 1, limit: 5, after: 0 }],
      ["tree", { url: null, limit: 5, cursor: null }],
      ["counts", { queries: [{ filters: ["status=404"], search: null }] }],
    ] as const) {
      assert.deepEqual(
        plain(await away.read(name, crawl, args as never)),
        plain(await reading.read(name, here, args as never)),
        name,
      );
    }
    reader.close();
  });

  it("compares two crawls, page by page, as a comparison here does", async (t) => {
    const later = siteDatabase(t, [
      { url: "https://example.com/", page: { status: 200, title: "Welcome" } },
      { url: "https://example.com/b", page: { status: 200 } },
    ]);
    const comparison = new Comparison(path, later);
    t.after(() => comparison.close());
    const all = { change: null, effect: null, field: null, search: null, limit: 2, cursor: null };
    const asked = (query: ComparisonQuery | null) => away.compare({ before: path, after: later, version: "1", query });
    const { counts, page } = await asked(all);
    assert.deepEqual({ counts, page }, { counts: comparison.counts, page: comparison.rows(all) });
    const rest = { ...all, cursor: page!.next };
    assert.deepEqual((await asked(rest)).page, comparison.rows(rest));
    assert.equal((await asked(null)).page, null);
    await assert.rejects(away.compare({ before: "/nowhere", after: later, version: "1", query: null }), {
      code: "CRAWL_NOT_FOUND",
    });
    away.rest();
    while (away.processes > 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual((await asked(null)).counts, comparison.counts);
  });

  it("ends an abandoned reading", async () => {
    const gone = AbortSignal.abort(new Error("gone"));
    await assert.rejects(away.read("overview", crawl, null, gone), /gone/);
    const task = { before: path, after: path, version: "2", query: null };
    await assert.rejects(away.compare(task, gone), /gone/);
  });

  it("passes errors on as they are", async () => {
    await assert.rejects(away.read("id", crawl, { url: "https://example.com/none" }), { code: "URL_NOT_IN_CRAWL" });
    const query = { filters: ["colour=red"], search: null, sort: null };
    await assert.rejects(away.read("view", crawl, query), { code: "BAD_USAGE", message: /colour/ });
    await assert.rejects(away.read("view", { ...crawl, path: "/nowhere/crawl.db" }, query), {
      code: "CRAWL_NOT_FOUND",
    });
  });

  it("tests patterns of settings, and URLs against them", async () => {
    const include = Array.from({ length: 2_000 }, (_, index) => `/[a-z]+${index}$/`);
    assert.equal((await away.settings({ include })).isValid, true);
    const { problems } = await away.settings({ include: ["/(/"] });
    assert.deepEqual(
      problems.map(({ setting }) => setting),
      ["include.0"],
    );
    const config = parseConfig({ include, exclude: ["*7"] });
    const task = { start: "https://a.test", urls: ["https://a.test/abc5", "https://a.test/abc17"], config, robots: {} };
    const verdicts = (await away.rules(task)).map(({ verdict, reason }) => [verdict, reason]);
    assert.deepEqual(
      verdicts,
      (await reading.rules(task)).map(({ verdict, reason }) => [verdict, reason]),
    );
    assert.deepEqual(verdicts[0], ["crawl", null]);
    await assert.rejects(away.rules({ ...task, config: parseConfig({ include: ["/(/"] }) }), { code: "BAD_CONFIG" });
  });

  const task = (fields: string[], filters: string[] = []): ExportTask => ({
    path,
    query: { what: "urls", fields, filters, search: null, sort: null },
    form: { format: "csv", fields, raw: false },
  });
  const broken = () => assert.fail("the export broke");

  it("streams an export, an empty one too, and reports an invalid one before its first byte", async () => {
    assert.equal(
      await new Response(await away.export(task(["url", "status"]), broken)).text(),
      "url,status\nhttps://example.com/,200\nhttps://example.com/a,404\n",
    );
    const jsonl = task(["url"], ["status=500"]);
    const empty = await away.export({ ...jsonl, form: { ...jsonl.form, format: "jsonl" } }, broken);
    assert.equal(await new Response(empty).text(), "");
    let isBroken = false;
    await assert.rejects(
      away.export(task(["url"], ["colour=red"]), () => {
        isBroken = true;
      }),
      { code: "BAD_USAGE" },
    );
    assert.ok(isBroken);
  });

  it("produces no more of an export than is taken, and ends it when the client leaves", async (t) => {
    const many = Array.from({ length: 30_000 }, (_, index) => ({
      url: `https://example.com/${index}/${"x".repeat(300)}`,
    }));
    const large = { ...task(["url"]), path: siteDatabase(t, many) };
    const whole = await away.export(large, broken);
    let bytes = 0;
    for await (const chunk of whole) bytes += chunk.length;
    assert.ok(bytes > 9_000_000);
    const before = away.processes;
    const reader = (await away.export(large, broken)).getReader();
    await reader.read();
    await reader.cancel();
    // Killed: its process is gone, and others are not touched.
    while (away.processes >= before) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual((await away.sql(path, "SELECT 1")).rows, [[1]]);
  });
});
