/** Hostile titles: formulas for spreadsheets, escape sequences for terminals, quotes and line breaks for CSV. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type LoopbackServer, listenOnLoopback } from "../../src/demo/loopback.ts";
import { parseCsv } from "./parse-csv.ts";
import { type Line, Trawl } from "./trawl.ts";

const TITLES = ["=HYPERLINK(1)", "+1", "-1", "@SUM(1)", 'a "quoted", one', "\u001b[31mred\u001b]0;x\u0007 \u009b2J"];

const trawl = new Trawl();
let server: LoopbackServer;

before(async () => {
  server = await listenOnLoopback((request, response) => {
    const title = TITLES[Number(request.url?.slice(2))];
    const links = TITLES.map((_, index) => `<a href="/p${index}">x</a>`).join("");
    if (request.url !== "/" && title === undefined) response.writeHead(404).end();
    else
      response
        .writeHead(200, { "content-type": "text/html; charset=utf-8" })
        .end(`<title>${title ?? "Home"}</title>${links}`);
  });
  assert.equal((await trawl.run("crawl", server.url)).code, 0);
});
after(async () => {
  await server.close();
  trawl.remove();
});

async function exportedTitles(...flags: string[]): Promise<string[]> {
  const { stdout } = await trawl.run("export", "1", "--filter", "url~/p", "--fields", "url,title", ...flags);
  const [head, ...rows] = parseCsv(stdout);
  assert.deepEqual(head, ["url", "title"]);
  return rows.sort().map((row) => row[1]!);
}

test("cells that would be formulas are prefixed with '; --raw leaves them", async () => {
  const escaped = TITLES.map((title) => (/^[=+\-@]/.test(title) ? `'${title}` : title));
  assert.deepEqual(await exportedTitles(), escaped);
  assert.deepEqual(await exportedTitles("--raw"), TITLES);
});

test("JSON lines contain the text as it is, without control characters in the output", async () => {
  const { stdout } = await trawl.run("export", "1", "--format", "jsonl", "--filter", "url~/p", "--fields", "url,title");
  assert.doesNotMatch(stdout.replaceAll("\n", ""), /\p{Cc}/u);
  const titles = stdout
    .trimEnd()
    .split("\n")
    .sort()
    .map((line) => (JSON.parse(line) as Line)["title"]);
  assert.deepEqual(titles, TITLES);
});

test("no escape sequence reaches the terminal", async () => {
  const outputs = await Promise.all([
    trawl.run("urls", "1", "--fields", "url,title"),
    trawl.run("links", "1", "/p5"),
    trawl.run("show", "1"),
  ]);
  for (const { stdout, stderr } of outputs) assert.doesNotMatch((stdout + stderr).replaceAll("\n", ""), /\p{Cc}/u);
});
