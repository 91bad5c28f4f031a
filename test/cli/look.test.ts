/** One crawl of the demo site, and every command that reads it. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { DEMO_PAGE_COUNT, PLACES, type RunningDemoSite, startDemoSite } from "../../src/demo/index.ts";
import { type Line, TRAP_LIMITS, Trawl } from "./trawl.ts";

const trawl = new Trawl();
let site: RunningDemoSite;
let crawl: { code: number | null; lines: Line[] };

before(async () => {
  site = await startDemoSite();
  crawl = await trawl.json("crawl", site.url, ...TRAP_LIMITS);
});
after(async () => {
  await site.close();
  trawl.remove();
});

const place = (path: string): string => new URL(path, site.url).href;

test("crawl --json begins with its id and ends with the summary", () => {
  const [start] = crawl.lines;
  const end = crawl.lines.at(-1)!;
  assert.equal(crawl.code, 0);
  assert.deepEqual([start!.event, start!["id"], start!["startUrls"]], ["start", 1, [site.url]]);
  assert.deepEqual([end.event, end["id"], end["state"], end["open"]], ["end", 1, "completed", 0]);
  assert.ok(Number(end["pages"]) >= DEMO_PAGE_COUNT);
  assert.ok(Number(end["durationMs"]) > 0);
  assert.equal(end["elapsedMs"], end["durationMs"], "the older name, understood until 0.3");
  assert.ok(Number(end["discovered"]) > Number(end["crawled"]));
  for (const { event } of crawl.lines.slice(1, -1)) assert.equal(event, "progress");
});

test("show counts by status and reason, and names the traps", async () => {
  const { code, stdout } = await trawl.run("show", "1");
  assert.equal(code, 0);
  for (const part of [/404 +3 +Not Found/, /\d+ +robots\.txt disallows it\./, /Traps\n.*calendar/]) {
    assert.match(stdout, part);
  }
  const { lines } = await trawl.json("show", "last");
  const { crawl: record, summary } = lines[0] as { crawl: Line; summary: Line };
  assert.equal(record["state"], "completed");
  assert.equal(summary["crawled"], crawl.lines.at(-1)!["crawled"]);
});

test("crawls lists it", async () => {
  const { lines } = await trawl.json("crawls");
  const [entry] = (lines[0] as unknown as { rows: Line[] }).rows;
  assert.deepEqual([entry!["id"], entry!["state"], entry!["settings"]], [1, "completed", undefined]);
});

test("urls are filtered, sorted and paged", async () => {
  const broken = ["urls", "1", "--filter", "status>=400", "--fields", "url,status", "--sort", "url"];
  const all = (await trawl.json(...broken)).lines[0] as { total: number; rows: Line[]; next: null };
  const expected = [...PLACES.missing, PLACES.gone, PLACES.failing].map(place).sort();
  assert.deepEqual(
    all.rows.map((row) => row["url"]),
    expected,
  );
  const first = (await trawl.json(...broken, "--limit", "2")).lines[0] as { rows: Line[]; next: string };
  const second = (await trawl.json(...broken, "--limit", "3", "--cursor", first.next)).lines[0] as { rows: Line[] };
  assert.deepEqual([...first.rows, ...second.rows], all.rows);
  const text = await trawl.run("urls", "1", "--search", "sheepshank");
  assert.match(text.stdout, /404 +\d+ +http\S+\/docs\/knots\/sheepshank\n/);
  assert.match(text.stderr, /^1 of 1$/m);
});

test("a filter on an unknown field is bad usage", async () => {
  const { code, stderr } = await trawl.run("urls", "1", "--filter", "statuz>=400");
  assert.equal(code, 2);
  assert.match(stderr, /There is no field "statuz"/);
});

test("why shows the reason, the rule, the setting and the path", async () => {
  const url = place(PLACES.forbidden[0]);
  const { stdout } = await trawl.run("why", "1", url);
  assert.match(stdout, /verdict +not crawled/);
  assert.match(stdout, /reason +robots\.txt disallows it\. \(robots_disallow\)/);
  assert.match(stdout, /rule +http\S+\/robots\.txt line 3: Disallow: \/private\//);
  assert.match(stdout, /setting +robots is "respect"; --robots changes it/);
  const { lines } = await trawl.json("why", "1", PLACES.forbidden[0]);
  const way = lines[0]!["path"] as Line[];
  assert.equal(way[0]!["url"], site.url);
  assert.equal(way.at(-1)!["url"], url);
  assert.equal(typeof way.at(-1)!["linkText"], "string");
});

test("why explains a trap and a URL that was never found", async () => {
  const trap = (await trawl.json("urls", "1", "--filter", "reason=max_urls_per_pattern", "--limit", "1")).lines[0];
  const { rows } = trap as unknown as { rows: Line[] };
  const { lines } = await trawl.json("why", "1", String(rows[0]!["url"]));
  assert.match(String(lines[0]!["rule"]), /calendar/);
  assert.equal((lines[0]!["setting"] as Line)["flag"], "--max-urls-per-pattern");
  const unknown = await trawl.run("why", "1", place("/nowhere/at/all"));
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /did not find/);
});

test("links go both ways", async () => {
  const { lines } = await trawl.json("links", "1", PLACES.gone, "--in");
  const { total, rows } = lines[0]!["in"] as { total: number; rows: Line[] };
  assert.ok(total > 0);
  assert.ok(rows.every((row) => String(row["url"]).startsWith(place("/blog"))));
  assert.equal(lines[0]!["out"], undefined);
  const page = (await trawl.json("links", "1", "/", "--limit", "3")).lines[0]! as Record<
    "in" | "out",
    { rows: Line[] }
  >;
  assert.equal(page.in.rows.length, 3);
  assert.equal(page.out.rows.length, 3);
});

test("export writes every URL, to a file or for another program", async () => {
  const { code, stdout } = await trawl.run("export", "1", "--output", "urls.csv", "--fields", "url,status");
  assert.equal(code, 0);
  const discovered = Number(crawl.lines.at(-1)!["discovered"]);
  assert.match(stdout, /^Wrote [\d,]+ rows to urls\.csv\.\n$/);
  const rows = readFileSync(join(trawl.folder, "urls.csv"), "utf8").trimEnd().split("\n");
  assert.equal(rows[0], "url,status");
  assert.equal(rows.length, discovered + 1);
  const { lines } = await trawl.json("export", "1", "--filter", "status=200", "--fields", "url,title");
  assert.deepEqual(Object.keys(lines[0]!), ["url", "title"]);
});

test("export writes every link, filtered by its target", async () => {
  const links = await trawl.run("export", "1", "--what", "links", "--format", "jsonl", "--filter", "status=410");
  const rows = links.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
  assert.ok(rows.length > 0);
  assert.ok(rows.every((row) => row["target"] === place(PLACES.gone) && row["status"] === 410));
});

test("an export without enough space says so", { skip: !existsSync("/dev/full") }, async () => {
  const { code, stderr } = await trawl.run("export", "1", "--output", "/dev/full");
  assert.equal(code, 2);
  assert.match(stderr, /^error: \/dev\/full cannot be written: ENOSPC/);
});

test("no field at all is bad usage", async () => {
  for (const command of ["urls", "export"]) {
    const { code, stderr } = await trawl.run(command, "1", "--fields", ",");
    assert.deepEqual([code, stderr.split("\n")[0]], [2, "error: --fields is empty."]);
  }
});

test("an unknown field leaves the file unchanged", async () => {
  const { code } = await trawl.run("export", "1", "--output", "kept.csv", "--fields", "nonsense");
  assert.equal(code, 2);
  assert.throws(() => readFileSync(join(trawl.folder, "kept.csv")), { code: "ENOENT" });
});

test("crawl --since last downloads only what changed", async () => {
  const already = site.requests().length;
  const { lines } = await trawl.json("crawl", site.url, ...TRAP_LIMITS, "--since", "last");
  const unchanged = site
    .requests()
    .slice(already)
    .filter(({ status }) => status === 304);
  assert.ok(unchanged.length >= DEMO_PAGE_COUNT, String(unchanged.length));
  assert.equal(lines.at(-1)!["pages"], crawl.lines.at(-1)!["pages"]);
});

test("crawls rm requires --yes without a terminal, and deletes the data", async () => {
  const refused = await trawl.run("crawls", "rm", "1");
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /--yes/);
  assert.equal((await trawl.run("crawls", "rm", "1", "99", "--yes")).code, 2, "a wrong id deletes nothing");
  const { code, lines } = await trawl.json("crawls", "rm", "last", "1", "2", "--yes");
  assert.deepEqual([code, lines], [0, [{ removed: [2, 1] }]], "each once, by whatever name");
  assert.equal((await trawl.run("show", "1")).code, 2);
});

test("a crawl is meant by its site too; `last`, or nothing, is the newest that did not fail", async () => {
  const shown = async (...typed: string[]) =>
    ((await trawl.json("show", ...typed)).lines[0] as { crawl: { id: number } }).crawl.id;
  const newest = Number((await trawl.json("crawl", site.url, "--max-urls", "3")).lines.at(-1)!["id"]);
  const { code, lines } = await trawl.json("crawl", "http://127.0.0.1:1/", "--retries", "0");
  assert.deepEqual([code, lines.at(-1)!["state"]], [1, "failed"]);
  for (const typed of [[], ["last"], [new URL(site.url).host], [site.url], [String(newest)]]) {
    assert.equal(await shown(...typed), newest, typed.join());
  }
  assert.equal((await trawl.run("urls", "--limit", "1")).code, 0);
  assert.match((await trawl.run("urls", "example.org")).stderr, /^error: There is no crawl of "example\.org"/);
  const withoutPort = (await trawl.run("urls", "127.0.0.1")).stderr;
  assert.match(withoutPort, /^error: There is no crawl of "127\.0\.0\.1"; did you mean 127\.0\.0\.1:\d+\?/);
});

test("text prints a page as Markdown, fetched now with a note if it was not stored; --html is what was stored", async () => {
  assert.equal((await trawl.run("crawl", site.url, "--max-urls", "3")).code, 0);
  const text = await trawl.run("text", "last", "/");
  assert.match(text.stdout, /^# .+\n/);
  assert.match(text.stderr, /fetched now/);
  const refused = await trawl.run("text", "last", "/", "--no-fetch");
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  const quiet = await trawl.run("crawl", site.url, "--max-urls", "3", "--store-html", "--quiet");
  assert.deepEqual(quiet, { code: 0, stdout: "", stderr: "" });
  assert.deepEqual(await trawl.run("text", "last", "/", "--no-fetch"), { ...text, stderr: "" });
  assert.match((await trawl.run("text", "last", "/", "--html")).stdout, /^<!doctype html>/i);
});

test("crawl --verbose prints every request, --quiet --json only the end", async () => {
  const { stderr } = await trawl.run("crawl", site.url, "--max-urls", "3", "--verbose");
  assert.match(stderr, new RegExp(`^200 {2}\\d+ ms {2}${site.url}robots.txt$`, "m"));
  const quiet = await trawl.json("crawl", site.url, "--max-urls", "3", "-q");
  assert.deepEqual(
    quiet.lines.map(({ event }) => event),
    ["end"],
  );
});
