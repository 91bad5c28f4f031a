import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type RunningDemoSite, startDemoSite } from "../../src/demo/index.ts";
import { jsonLines, Trawl } from "./trawl.ts";

const trawl = new Trawl();
let site: RunningDemoSite;

before(async () => {
  site = await startDemoSite();
});
after(async () => {
  await site.close();
  trawl.remove();
});

test("a list from standard input is crawled, and nothing that it links to", async () => {
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
  assert.match(stderr, /holds no URL/);
  assert.equal(((await trawl.json("crawls")).lines[0] as unknown as unknown[]).length, 1);
});
