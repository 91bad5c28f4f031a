/** What is typed without a crawl is about the last one. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { tableSite } from "../site/table-site.ts";
import { Trawl } from "./trawl.ts";

const trawl = new Trawl();
after(() => trawl.remove());
let origin: string;

test("a crawl to ask about; the site is gone afterwards", async (t) => {
  const table = { "/": '<title>Home</title><a href="/about">about</a>', "/about": "<p>We mend nets." };
  const site = await tableSite(t, table);
  origin = site.origin;
  assert.equal((await trawl.run("crawl", site.url, "--store-html", "--quiet")).code, 0);
});

test("a URL or its path alone: why, links and text", async () => {
  const url = `${origin}/about`;
  for (const typed of [["/about"], [url], ["last", "/about"], ["1", url]]) {
    assert.equal((await trawl.json("why", ...typed)).lines[0]!["url"], url, typed.join(" "));
  }
  assert.equal((await trawl.json("links", "/about", "--in")).lines[0]!["url"], url);
  assert.match((await trawl.run("text", "/about")).stdout, /We mend nets/);
});

test("a crawl without a URL is a mistake, and said to be one", async () => {
  for (const typed of [["why"], ["why", "last"], ["links", "1"], ["text", "last"]]) {
    const { code, stderr } = await trawl.run(...typed);
    assert.deepEqual([code, stderr.split("\n")[0]], [2, "error: An argument is missing: <url>."], typed.join(" "));
  }
});

test("a rule alone, and a query alone", async () => {
  const { rule, rows } = (await trawl.json("issues", "title.missing")).lines[0] as unknown as {
    rule: string;
    rows: { url: string }[];
  };
  assert.deepEqual([rule, rows.map((row) => row.url)], ["title.missing", [`${origin}/about`]]);
  const query = "SELECT count(*) AS n FROM urls WHERE url LIKE '%/about'";
  assert.deepEqual((await trawl.json("sql", query)).lines[0]!["rows"], [[1]]);
});

test("help says that the crawl may be left out", async () => {
  assert.match((await trawl.run("why", "--help")).stdout, /^Usage: trawl why \[options\] \[id\] <url>$/m);
  assert.match((await trawl.run("--help")).stdout, /^ {2}why \[id\] <url> /m);
});

test("an HTML report is not written under the name of another form", async () => {
  const { code, stderr } = await trawl.run("report", "--output", "site.pdf");
  assert.equal(code, 2);
  assert.match(stderr, /--output writes HTML\.\nhint: For this file: `--pdf site\.pdf`\./);
});

test("a setting out of range is named as it was typed", async () => {
  const { code, stderr } = await trawl.run("crawl", origin, "--max-urls", "-3", "--parallelism", "0");
  assert.equal(code, 2);
  assert.match(stderr, /^error: --max-urls: must be at least 0\n {2}--parallelism: must be at least 1\n/);
});
