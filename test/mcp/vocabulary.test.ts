/** docs/vocabulary.md: one URL, asked in five ways, has the same names and the same values. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openCrawl } from "../../src/index.ts";
import { linesOf, Trawl } from "../cli/trawl.ts";
import { tableSite } from "../site/table-site.ts";
import { StdioAgent } from "./agent.ts";

type Row = Record<string, unknown>;

const FIELDS = [
  "url",
  "status",
  "foundOn",
  "contentType",
  "indexable",
  "isPage",
  "fetchedAt",
  "wordCount",
  "redirectTo",
];

test("the command line, REST, MCP, the library and exports agree", async (t) => {
  const site = await tableSite(t, { "/": '<title>Home</title><a href="/b">b</a>', "/b": "<title>B</title><p>Words" });
  const trawl = new Trawl();
  t.after(() => trawl.remove());
  const home = join(trawl.folder, "home");
  const end = (await trawl.json("crawl", site.url, "--no-audit")).lines.at(-1)!;
  const target = new URL("/b", site.url).href;
  const filter = `url=${target}`;
  const fields = FIELDS.join(",");

  const list = (await trawl.json("urls", "last", "--filter", filter, "--fields", fields)).lines[0]! as unknown;
  const { total, rows, next } = list as { total: number; rows: Row[]; next: null };
  assert.deepEqual([total, rows.length, next], [1, 1, null]);
  const [row] = rows as [Row];
  assert.deepEqual(Object.keys(row), FIELDS);
  assert.deepEqual([row["foundOn"], row["indexable"], row["isPage"], row["redirectTo"]], [site.url, true, true, null]);
  assert.match(String(row["fetchedAt"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

  const server = trawl.start("serve", "--port", "0", "--no-update-check", "--json");
  t.after(() => server.kill("SIGTERM"));
  const { url, token } = (await linesOf(server).next()).value as { url: string; token: string };
  const get = async (path: string) => {
    const answer = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
    return (await answer.json()) as { rows: Row[] };
  };
  const query = new URLSearchParams({ filter, fields });
  assert.deepEqual(await get(`/crawls/1/urls?${query}`), list);

  const agent = new StdioAgent(home);
  t.after(() => agent.client.close());
  await agent.connect();
  const { structured } = await agent.call("query_urls", { crawl_id: "last", filter, fields: FIELDS });
  assert.partialDeepStrictEqual(structured, list as object);

  await using opened = await openCrawl("last", { home });
  for await (const found of opened.urls({ fields: FIELDS, filter: [filter] })) assert.deepEqual(found, row);

  const lines = await trawl.run("export", "last", "--format", "jsonl", "--filter", filter, "--fields", fields);
  assert.deepEqual(JSON.parse(lines.stdout), row);
  await trawl.run("export", "last", "-o", "urls.csv", "--filter", filter, "--fields", fields);
  const [head, cells] = readFileSync(join(trawl.folder, "urls.csv"), "utf8").split("\n");
  assert.equal(head, fields);
  assert.equal(cells, FIELDS.map((name) => row[name] ?? "").join(","));

  const crawls = (await trawl.json("crawls")).lines[0]! as unknown as { rows: Row[] };
  const { database: _, ...ofCommand } = crawls.rows[0]!;
  assert.deepEqual((await get("/crawls")).rows[0], ofCommand);
  const described = await opened.describe();
  const [ofProject] = (await get("/projects/1/crawls")).rows;
  for (const name of ["startedAt", "durationMs", "discovered", "crawled", "pages"] as const) {
    assert.equal(described[name], ofCommand[name], name);
    assert.equal(ofProject![name], ofCommand[name], name);
  }
  for (const name of ["discovered", "crawled", "errors"]) assert.equal(typeof end[name], "number", name);
});

test("names of 0.1 are understood by all of them, and answered as they were asked for", async (t) => {
  const site = await tableSite(t, { "/": '<title>Home</title><a href="/b">b</a>', "/b": "<title>B</title><p>Words" });
  const trawl = new Trawl();
  t.after(() => trawl.remove());
  await trawl.json("crawl", site.url, "--no-audit");
  const asked = ["--filter", "indexable=Yes", "--filter", "word_count>0", "--fields", "found_on,links_out"];
  const { rows } = (await trawl.json("urls", "last", ...asked, "--sort", "-word_count")).lines[0]! as { rows: Row[] };
  assert.deepEqual(rows.map(Object.keys), [
    ["found_on", "links_out"],
    ["found_on", "links_out"],
  ]);
  const { stdout } = await trawl.run("export", "last", ...asked);
  assert.match(stdout, /^found_on,links_out\n/);
});
