/** Hostile titles: formulas for spreadsheets, escape sequences for terminals, quotes and line breaks for CSV. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { type LoopbackServer, listenOnLoopback } from "../../src/demo/loopback.ts";
import { parseCsv } from "./parse-csv.ts";
import { type Line, PROGRAM, Trawl } from "./trawl.ts";

const TITLES = [
  "=HYPERLINK(1)",
  "+1",
  "-1",
  "@SUM(1)",
  'a "quoted", one',
  "\u001b[31mred\u001b]0;x\u0007 \u009b2J",
  "exe.\u202egnp \u200bx",
];

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
  assert.equal((await trawl.run("crawl", server.url, "--store-html")).code, 0);
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

/** In a terminal of its own, as a person runs it; `script` copies what it shows. */
const shown = async (...typed: string[]): Promise<string> => {
  const command = [process.execPath, PROGRAM, ...typed].map((word) => `'${word}'`).join(" ");
  const env = { ...process.env, TRAWL_HOME: join(trawl.folder, "home"), TERM: "xterm", NO_COLOR: "" };
  const child = spawn("script", ["-qec", command, "/dev/null"], { env, stdio: ["ignore", "pipe", "inherit"] });
  return text(child.stdout);
};

const hasScript = spawnSync("script", ["--version"]).status === 0;

test("in a real terminal, exports and JSON show escape sequences and turned text instead of obeying them", {
  skip: !hasScript,
}, async () => {
  for (const typed of [
    ["export", "1", "--fields", "url,title"],
    ["export", "1", "--format", "jsonl", "--fields", "url,title"],
    ["export", "1", "--what", "links"],
    ["urls", "1", "--json"],
    ["urls", "1", "--fields", "url,title"],
    ["show", "1"],
    ["text", "1", "/p5"],
    ["text", "1", "/p5", "--html"],
    ["show", "\u001b]0;x\u0007\u202e"],
  ]) {
    const printed = await shown(...typed);
    const output = printed.replace(/\u001b\[(?:1|2|22|31|32|33|39)m|\r\n|\t/g, "");
    assert.doesNotMatch(output, /[\p{Cc}\u202e\u200b\ufeff]/u, typed.join(" "));
    assert.ok(!printed.includes("\u001b[31mred"), typed.join(" "));
  }
  const jsonl = await shown("export", "1", "--format", "jsonl", "--fields", "title", "--filter", "url~/p");
  const titles = jsonl
    .trimEnd()
    .split("\r\n")
    .map((line) => (JSON.parse(line) as Line)["title"]);
  assert.deepEqual(titles.sort(), TITLES.toSorted());
});
