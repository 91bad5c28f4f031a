import assert from "node:assert/strict";
import { after, test } from "node:test";
import { DEMO_PAGE_COUNT } from "../../src/demo/index.ts";
import { readPage } from "../../tools/doc-samples.ts";
import { finished, linesOf, Trawl } from "./trawl.ts";

const trawl = new Trawl();
after(() => trawl.remove());

test("demo crawls the bundled site to its end and says what to type next", async () => {
  const { code, stdout } = await trawl.run("demo", "--port", "0");
  assert.equal(code, 0);
  assert.match(stdout, /^Crawl 1 of http:\/\/127\.0\.0\.1:\d+\/\nData in \S+crawl\.db\n\nDone in /);
  for (const section of ["Status", "Not crawled", "Traps", "Broken", "Slowest", "Next"]) {
    assert.match(stdout, new RegExp(`^${section}`, "m"));
  }
  assert.match(stdout, /^Done in .*\n(?:.*\n)?Data in \S+crawl\.db\n\nStatus\n/m, "where the data is, at the end too");
  assert.match(stdout, / trawl why 1 <url> /);
  const pages = /(\d+) pages/.exec(stdout)![1]!;
  assert.ok(Number(pages) >= DEMO_PAGE_COUNT);
  for (const page of ["README.md", "docs/getting-started.md", "docs/reference/cli.md"]) {
    assert.ok(readPage(page).includes(`${pages} pages`), `${page} has another number of pages than ${pages}`);
  }
});

test("demo --serve only serves, until it is interrupted", async () => {
  const child = trawl.start("demo", "--serve", "--port", "0", "--json");
  const ended = finished(child);
  for await (const { event, url } of linesOf(child)) {
    assert.equal(event, "serving");
    assert.equal((await fetch(String(url))).status, 200);
    child.kill("SIGINT");
  }
  assert.equal((await ended).code, 0);
});
