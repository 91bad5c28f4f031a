import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type RunningDemoSite, startDemoSite } from "../../src/demo/index.ts";
import { type Finished, finished, jsonLines, Trawl } from "./trawl.ts";

const trawl = new Trawl();
let site: RunningDemoSite;

before(async () => {
  site = await startDemoSite();
});
after(async () => {
  await site.close();
  trawl.remove();
});

test("a list from standard input is crawled, and its links are not followed", async () => {
  const list = `# a comment\n${site.url}shop\n\nnot a url\n${site.url}blog\n${site.url}shop\n`;
  const { code, stdout, stderr } = await trawl.runWith(list, "list", "-", "--json");
  assert.equal(code, 0);
  assert.match(stderr, /line 4 is not a URL: not a url/);
  assert.equal(jsonLines(stdout).at(-1)!["crawled"], 2);
  const pages = site.requests().filter(({ target }) => target !== "/robots.txt");
  assert.deepEqual(pages.map(({ target }) => target).sort(), ["/blog", "/shop"]);
});

test("an empty list is bad usage, and leaves no crawl behind", async () => {
  const { code, stderr } = await trawl.runWith("\n# nothing\n", "list", "-");
  assert.equal(code, 2);
  assert.match(stderr, /contains no URLs/);
  assert.equal(((await trawl.json("crawls")).lines[0] as unknown as { total: number }).total, 1);
});

/** A list of which only the beginning has arrived, read by a command that waits for the rest. */
async function halfRead(): Promise<{ child: ReturnType<Trawl["start"]>; ended: Promise<Finished> }> {
  const child = trawl.start("list", "-");
  child.stdin.write(`${site.url}shop\n`);
  while (!(await newestIsList())) assert.equal(child.exitCode, null);
  return { child, ended: finished(child) };
}

async function newestIsList(): Promise<boolean> {
  const { rows } = (await trawl.json("crawls")).lines[0] as unknown as { rows: { startUrls: string[] }[] };
  const [newest] = rows;
  return newest?.startUrls[0] === "https://list.invalid/";
}

test("Ctrl-C while a list is read stores nothing, and sends no request", async () => {
  const already = site.requests().length;
  const { child, ended } = await halfRead();
  child.kill("SIGINT");
  const { code, stderr } = await ended;
  assert.equal(code, 1);
  assert.match(stderr, /^error: Interrupted while reading the list; nothing was stored\./);
  assert.equal(await newestIsList(), false);
  assert.equal(site.requests().length, already);
});

test("killed while a list is read: half of it is not crawled as if it were complete", async () => {
  const already = site.requests().length;
  const { child, ended } = await halfRead();
  child.kill("SIGKILL");
  await ended;
  const { code, stderr } = await trawl.run("resume", "last");
  assert.equal(code, 2);
  assert.match(stderr, /never read to its end/);
  assert.equal(site.requests().length, already);
});
