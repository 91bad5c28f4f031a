/** Reports, sitemaps and accepted findings on the command line. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { findBrowser, isExecutable } from "../../src/render/find-browser.ts";
import { tableSite } from "../site/table-site.ts";
import { Trawl } from "./trawl.ts";

const trawl = new Trawl();
const folder = mkdtempSync(join(tmpdir(), "trawl-report-"));
after(() => {
  trawl.remove();
  rmSync(folder, { recursive: true, force: true });
});
const file = (name: string): string => join(folder, name);
const read = (name: string): string => readFileSync(file(name), "utf8");

const hostile = '"><script>alert(1)</script>';

test("reports are written, nothing in them is run, and accepted findings no longer fail a crawl", async (t) => {
  const { url, origin } = await tableSite(t, {
    "/": `<html lang="en"><title>Start of the small shop by the harbour</title><a href="/gone">${hostile}</a><a href="/b?x=%22%3E%3Cscript%3E">b</a><a href="/hidden">h</a>`,
    "/b?x=%22%3E%3Cscript%3E": "<html lang=en><title>&lt;script>alert(2)&lt;/script></title>",
    "/hidden": '<html lang=en><title>Hidden</title><meta name="robots" content="noindex">',
    "/robots.txt": { type: "text/plain", body: "User-agent: *\nDisallow:\n" },
  });
  const rule = "resp.4xx_internal";
  const files = ["--sarif", file("a.sarif"), "--junit", file("a.xml"), "--markdown", file("a.md")];
  const crawled = await trawl.run("crawl", url, "--fail-on", rule, ...files);
  assert.equal(crawled.code, 4);

  const sarif = JSON.parse(read("a.sarif"));
  const result = sarif.runs[0].results.find((each: { ruleId: string }) => each.ruleId === rule);
  assert.equal(result.locations[0].physicalLocation.artifactLocation.uri, `${origin}/gone`);
  assert.equal(sarif.runs[0].tool.driver.rules[result.ruleIndex].id, rule);
  assert.match(read("a.xml"), /<testcase classname="resp\.4xx_internal"[^>]*><failure type="error" message="1 URL">/);
  assert.match(read("a.md"), /\| error \| .*\| 1 \|/);

  await trawl.run("report", "last", "-o", file("a.html"));
  const html = read("a.html");
  assert.match(html, /resp\.4xx_internal/);
  assert.match(html, /<svg/);
  assert.doesNotMatch(html, /<script|<link|src=|url\(/i);

  const sitemap = await trawl.json("sitemap", "last", "-o", file("sitemap.xml"));
  assert.deepEqual(sitemap.lines[0]!["urls"], 2);
  assert.match(read("sitemap.xml"), /<loc>[^<]*\/<\/loc>/);
  assert.doesNotMatch(read("sitemap.xml"), /hidden|gone/);

  assert.equal((await trawl.run("accept", "last", rule, "--all")).code, 2, "a reason is required");
  const accepted = await trawl.json("accept", "last", rule, "--url", "/gone", "--reason", "it comes back in May");
  assert.equal((accepted.lines[0]!["rows"] as unknown[]).length, 1);
  const again = await trawl.run("crawl", url, "--fail-on", rule);
  assert.equal(again.code, 0);
  assert.match(again.stdout, /since crawl 1|score/);
  const issues = (await trawl.json("issues", "last")).lines[0]!["rows"] as { rule: string; open: number }[];
  assert.equal(issues.find((issue) => issue.rule === rule)!.open, 0);
});

const browser = findBrowser(null, process.env, isExecutable);
test("a report is printed as PDF", { skip: browser === null && !process.env["CI"] && "no Chromium" }, async () => {
  const { code } = await trawl.run("report", "last", "--pdf", file("a.pdf"));
  assert.equal(code, 0);
  assert.equal(readFileSync(file("a.pdf")).subarray(0, 5).toString(), "%PDF-");
});
