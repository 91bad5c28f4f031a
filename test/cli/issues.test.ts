/** What the audit of a crawl found, on the command line: at its end, as a list, one rule at a time, and as an exit code. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { type TableSite, tableSite } from "../site/table-site.ts";
import { Trawl } from "./trawl.ts";

const trawl = new Trawl();
after(() => trawl.remove());

const site = (t: Parameters<typeof tableSite>[0]): Promise<TableSite> =>
  tableSite(t, {
    "/": '<html lang="en"><title>Start of the small shop by the harbour</title><a href="/gone">An old page</a><a href="/gone">The same</a>',
    "/robots.txt": { type: "text/plain", body: "User-agent: *\nDisallow:\n" },
  });

test("a crawl ends with its issues, and `issues` lists them, with the URLs of one and who links there", async (t) => {
  const { url, origin } = await site(t);
  const { code, stdout } = await trawl.run("crawl", url);
  assert.equal(code, 0);
  assert.match(stdout, /^Issues: \d+ errors, \d+ warnings, \d+ notices; score [\d.]+ of 100\n {2}error +1 /m);

  const list = await trawl.json("issues", "last");
  const issues = list.lines[0]!["rows"] as { rule: string; found: number; applies: number; severity: string }[];
  const broken = issues.find(({ rule }) => rule === "resp.4xx_internal")!;
  assert.deepEqual([broken.found, broken.severity], [1, "error"]);
  const weights = issues.map(({ severity }) => ["error", "warning", "notice"].indexOf(severity));
  assert.deepEqual(weights, [...weights].sort(), "the worst first");

  const { rows, why, fix } = (await trawl.json("issues", "last", "resp.4xx_internal")).lines[0] as {
    rows: { url: string; evidence: string; linkedFrom: { url: string; text: string }[] }[];
    why: string;
    fix: string;
  };
  assert.deepEqual([rows.length, rows[0]!.url], [1, `${origin}/gone`]);
  assert.deepEqual(rows[0]!.linkedFrom, [{ url, text: "An old page" }]);
  assert.ok(why.length > 0 && fix.length > 0);
  const shown = await trawl.run("issues", "last", "resp.4xx_internal");
  assert.match(shown.stdout, /linked from \S+ \(“An old page”\)/);
});

test("--fail-on: 4 when the audit finds what it names, and a mistyped rule is refused before the crawl", async (t) => {
  const { url, asked } = await site(t);
  assert.equal((await trawl.run("crawl", url, "--fail-on", "error")).code, 4);
  assert.equal((await trawl.run("crawl", url, "--fail-on", "resp.4xx_internal")).code, 4);
  assert.equal((await trawl.run("crawl", url, "--fail-on", "resp.5xx_internal")).code, 0);
  const ignored = ["--ignore-rules", "resp.4xx_internal"];
  assert.equal((await trawl.run("crawl", url, "--fail-on", "resp.4xx_internal", ...ignored)).code, 0);
  const before = asked().length;
  const mistyped = await trawl.run("crawl", url, "--fail-on", "resp.4xx_internl");
  assert.equal(mistyped.code, 2);
  assert.match(mistyped.stderr, /did you mean resp\.4xx_internal\?/);
  const threshold = await trawl.run("crawl", url, "--thresholds", "titleMaxChar=70");
  assert.equal(threshold.code, 2);
  assert.match(threshold.stderr, /did you mean titleMaxChars\?/);
  assert.equal(asked().length, before);
  const off = await trawl.run("crawl", url, "--no-audit", "--fail-on", "error");
  assert.equal(off.code, 1, "what was not audited has not passed");
});

test("audit judges a crawl again, with other thresholds and without a request", async (t) => {
  const { url, asked } = await site(t);
  assert.equal((await trawl.run("crawl", url, "--no-audit")).code, 0);
  assert.match((await trawl.run("issues", "last")).stdout, /was not audited yet/);
  const before = asked().length;
  const rules = async (...flags: string[]): Promise<string[]> => {
    const { lines } = await trawl.json("audit", "last", ...flags);
    return (lines[0]!["rows"] as { rule: string }[]).map(({ rule }) => rule);
  };
  assert.ok(!(await rules()).includes("title.too_long"));
  assert.ok((await rules("--thresholds", "titleMaxChars=20")).includes("title.too_long"));
  assert.ok(!(await rules("--thresholds", "titleMaxChars=20", "--ignore-rules", "title")).includes("title.too_long"));
  assert.equal(asked().length, before);
});

test("audit asks Google only when a flag says so, and takes keys from a file or the environment alone", async (t) => {
  const { url } = await site(t);
  assert.equal((await trawl.run("crawl", url)).code, 0);
  const keys = { TRAWL_CRUX_KEY: "key", TRAWL_SEARCH_CONSOLE_TOKEN: "token" };
  const audit = (env: Record<string, string>, ...flags: string[]) =>
    trawl.runIn(env, "audit", "last", ...flags).then(({ code, stderr }) => [code, stderr.trim()] as const);
  assert.deepEqual(await audit(keys), [0, ""], "a key in the environment may be for another command");

  const file = join(trawl.folder, "key");
  writeFileSync(file, "two words\n");
  const refused: [env: Record<string, string>, flags: string[], says: RegExp][] = [
    [{}, ["--crux", "5"], /--crux needs a key\.\n.*TRAWL_CRUX_KEY.*--crux-key-file/],
    [{}, ["--search-console", "sc-domain:a.test"], /--search-console needs a key\.\n.*TRAWL_SEARCH_CONSOLE_TOKEN/],
    [keys, ["--crux", "abc"], /it is not a number/],
    [keys, ["--crux", "5", "--crux-key-file", file], /key must hold one key: letters, digits and punctuation/],
    [keys, ["--crux", "5", "--crux-key-file", `${file}.none`], /key\.none cannot be read/],
    [keys, ["--crux-key-file", file], /--crux-key-file is for use with --crux\./],
    [keys, ["--crux-key", "secret"], /There is no option --crux-key\./],
  ];
  for (const [env, flags, says] of refused) {
    const [code, stderr] = await audit(env, ...flags);
    assert.ok(code !== 0, flags.join(" "));
    assert.match(stderr, says);
  }
});
