/** `trawl compare` and `trawl sql` by the real program, and one cursor for the command line and REST. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { App } from "../../src/app/app.ts";
import { openHome } from "../../src/app/home.ts";
import { listUrls } from "../../src/app/operations/urls.ts";
import { serveHttp } from "../../src/net/testing/servers.ts";
import { Trawl } from "./trawl.ts";

const trawl = new Trawl();
after(() => trawl.remove());

/** A site whose second crawl lost a page, gained one, and renamed one. */
before(async (t) => {
  const pages: Record<string, string> = {
    "/": '<title>Home</title><a href="/same">s</a><a href="/old">o</a><a href="/named">n</a>',
    "/same": "<title>Same</title>",
    "/old": "<title>Old</title>",
    "/named": "<title>A name</title>",
  };
  const { origin } = await serveHttp(t as never, ({ url = "/" }, response) => {
    const page = pages[url];
    response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html" }).end(page ?? "none");
  });
  for (const change of [() => {}, rename]) {
    change();
    const { code, stderr } = await trawl.run("crawl", origin, "--discovery", "spider", "--json");
    assert.equal(code, 0, stderr);
  }

  function rename(): void {
    delete pages["/old"];
    pages["/"] = '<title>Home</title><a href="/same">s</a><a href="/new">o</a><a href="/named">n</a>';
    pages["/new"] = "<title>New</title>";
    pages["/named"] = "<title>Another name</title>";
  }
});

test("compare: counts, then each URL with what changed on it", async () => {
  const { code, stdout, stderr } = await trawl.run("compare", "1", "2");
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    /^From crawl 1 to crawl 2: 1 added, 0 gone, 1 not crawled this time, 1 changed, 2 unchanged\.$/m,
  );
  assert.match(stdout, /^ {2}added +http\S+\/new$/m);
  assert.match(stdout, /^ {2}not crawled +http\S+\/old$/m);
  assert.match(stdout, /title: "A name" → "Another name"/);
  assert.match(stderr, /^3 of 3 URLs$/m);
});

test("compare: one crawl is compared with the previous one; kinds, fields and pages can be selected", async () => {
  const json = async (...typed: string[]) => JSON.parse((await trawl.run("compare", ...typed, "--json")).stdout);
  const newest = await json("last");
  assert.deepEqual([newest.before, newest.after, newest.total], [1, 2, 3]);
  for (const name of ["not_crawled", "removed"]) {
    const left = await json("1", "2", "--change", name);
    assert.deepEqual(
      left.rows.map(({ url, reason }: { url: string; reason: string }) => [new URL(url).pathname, reason]),
      [["/old", "no_longer_found"]],
    );
  }
  assert.equal((await json("1", "2", "--field", "title")).total, 1);
  const first = await json("1", "2", "--limit", "2");
  const rest = await json("1", "2", "--limit", "2", "--cursor", first.next);
  assert.deepEqual([first.rows.length, rest.rows.length, rest.next], [2, 1, null]);
});

test("compare: mistakes are reported", async () => {
  const failing = async (...typed: string[]) => {
    const { code, stderr } = await trawl.run("compare", ...typed);
    return `${code} ${stderr}`;
  };
  assert.match(await failing("1", "99"), /^2 error: There is no crawl 99\./);
  assert.match(await failing("2", "2"), /^2 error: Both are crawl 2/);
  assert.match(await failing("1"), /^2 error: There is no crawl of \S+ before crawl 1/);
  assert.match(await failing("1", "2", "--field", "colour"), /^2 error: "colour" is not compared\. Fields: /);
});

test("sql: a table for people, JSON for programs, from an argument or standard input", async () => {
  const sql = "SELECT status, count(*) AS pages FROM pages GROUP BY 1 ORDER BY 1";
  const { code, stdout, stderr } = await trawl.run("sql", "last", sql);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^status +pages\n +200 +4\n$/);
  assert.match(stderr, /^1 row in /);
  const piped = await trawl.runWith(sql, "sql", "last", "--json");
  const { columns, rows, truncated } = JSON.parse(piped.stdout);
  assert.deepEqual([columns, rows, truncated], [["status", "pages"], [[200, 4]], false]);
  assert.match((await trawl.run("sql", "last", "SELECT id FROM urls", "--limit", "2")).stderr, /raise --limit/);
  assert.equal((await trawl.run("sql", "SELECT(7)")).code, 0, "a query is known as one without blanks, too");
});

test("sql: only reads, within its time limit; the tables are listed without a crawl", async () => {
  const failing = async (...typed: string[]) => {
    const { code, stderr } = await trawl.run("sql", ...typed);
    return `${code} ${stderr}`;
  };
  assert.match(await failing("last", "DELETE FROM urls"), /^2 error: /);
  assert.match(await failing("last", "SELECT colour FROM urls"), /^2 error: .*no such column/);
  assert.match(await failing("last", ""), /^2 error: /);
  assert.match(await failing("last"), /^2 error: The query is missing/);
  assert.match(await failing(), /^2 error: The query is missing/);
  const endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
  assert.match(await failing("last", endless, "--timeout", "0.2"), /^1 error: The query was stopped/);
  assert.match((await trawl.run("sql", "--tables")).stdout, /^pages {2}/m);
});

test("a cursor of the command line is one of the app that REST serves, and the other way round", async () => {
  const page = async (...typed: string[]) =>
    JSON.parse((await trawl.run("urls", "1", "--fields", "url", "--limit", "2", "--json", ...typed)).stdout);
  const first = await page();
  const app = new App({ version: "0.0.0", home: openHome({ TRAWL_HOME: `${trawl.folder}/home` }) });
  try {
    const ask = (cursor: string) =>
      listUrls.run(app, listUrls.input.parse({ id: 1, fields: ["url"], limit: 2, cursor }));
    const second = await ask(first.next);
    assert.deepEqual({ ...second, rows: second.rows.map((row) => ({ ...row })) }, await page("--cursor", first.next));
    assert.notDeepEqual(second.rows, first.rows);
    await assert.rejects(async () => ask("W1sxLDJdXQ"), { code: "BAD_USAGE" });
  } finally {
    await app.close();
  }
});
