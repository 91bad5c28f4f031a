/** Failures end with the right exit code, a message and a hint; never with a stack trace. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { PLACES, type RunningDemoSite, startDemoSite } from "../../src/demo/index.ts";
import { PROGRAM, Trawl } from "./trawl.ts";

const trawl = new Trawl();
let site: RunningDemoSite;

before(async () => {
  site = await startDemoSite();
});
after(async () => {
  await site.close();
  trawl.remove();
});

const BAD_USAGE: [name: string, typed: string[], message: RegExp][] = [
  ["not a URL", ["crawl", "ftp://example.com"], /not an http or https URL/],
  ["no URL", ["crawl"], /An argument is missing: <url>/],
  ["a flag that does not exist", ["crawl", "example.com", "--max-url", "5"], /did you mean --max-urls\?/],
  ["a flag with a wrong value", ["crawl", "example.com", "--max-urls", "many"], /not a number/],
  ["a setting out of range", ["crawl", "example.com", "--parallelism", "0"], /parallelism: /],
  ["a command that does not exist", ["crawll"], /did you mean crawl or crawls\?/],
  ["a crawl that does not exist", ["show", "99"], /There is no crawl 99/],
  ["a path without a host", ["robots", "test", "/private"], /"\/private" is not a URL/],
  ["neither an id nor a site", ["resume", "abc"], /There is no crawl of "abc"/],
  ["a list that does not exist", ["list", "nowhere.txt"], /nowhere\.txt cannot be read/],
];

for (const [name, typed, message] of BAD_USAGE) {
  test(`${name} ends with 2`, async () => {
    const { code, stdout, stderr } = await trawl.run(...typed);
    assert.equal(code, 2);
    assert.match(stderr, message);
    assert.match(stderr, /^error: .*\n(?:.*\n)?hint: /);
    assert.doesNotMatch(stderr, / at .*\.ts:\d+/);
    assert.equal(stdout, "");
  });
}

test("with --json errors are JSON on standard output", async () => {
  const { code, lines } = await trawl.json("show", "99");
  assert.equal(code, 2);
  assert.deepEqual([lines[0]!.event, lines[0]!["code"]], ["error", "CRAWL_NOT_FOUND"]);
  assert.ok(lines[0]!["hint"]);
});

test("a start that does not answer ends with 1, and says what was wrong with it", async () => {
  // Not a port that was just closed: the server of another test may be given it.
  const { code, lines } = await trawl.json("crawl", "http://127.0.0.1:1/", "--retries", "0");
  assert.equal(code, 1);
  const [, error] = lines;
  assert.deepEqual([error!.event, error!["code"]], ["error", "START_UNREACHABLE"]);
  assert.match(String(error!["message"]), /refused the connection/);
  assert.match(String(error!["hint"]), /No program accepts connections on that port/);
  assert.deepEqual([lines.at(-1)!.event, lines.at(-1)!["state"]], ["end", "failed"]);
});

test("a start that robots.txt forbids ends with 1, and names the line", async () => {
  const { code, stderr } = await trawl.run(
    "crawl",
    new URL(PLACES.forbidden[0], site.url).href,
    "--discovery",
    "spider",
  );
  assert.equal(code, 1);
  assert.match(stderr, /was not crawled: robots\.txt disallows it\.\n.*line 3: Disallow: \/private\//);
});

test("a start that redirects out of scope ends with 1, names the next step, and does not claim success", async () => {
  const server = createServer((request, response) => {
    if (request.url === "/moved") response.writeHead(301, { location: "https://www.example.org/" });
    else response.writeHead(404);
    response.end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const moved = await trawl.run("crawl", `${origin}/moved`);
    assert.equal(moved.code, 1);
    assert.match(moved.stderr, /redirects to https:\/\/www\.example\.org\/.*\nhint: Crawl www\.example\.org instead\./);
    assert.doesNotMatch(moved.stdout, /Done|Nothing is broken|Next/);
    const { code, lines } = await trawl.json("crawl", `${origin}/gone`);
    assert.equal(code, 1);
    const end = lines.at(-1)!;
    assert.deepEqual([end["state"], (end["ending"] as { cause: string }).cause], ["failed", "error_status"]);
    assert.match((await trawl.run("show", String(end["id"]))).stdout, /: failed, .* answered 404\. Check the address/);
  } finally {
    server.close();
  }
});

test("a crawl that reached its limit ends with 0, and says how many URLs are left", async () => {
  const { code, stdout } = await trawl.run("crawl", site.url, "--max-urls", "3");
  assert.equal(code, 0);
  assert.match(stdout, /Limit reached after .*: 3 of \d+ URLs crawled/);
  assert.match(
    stdout.replaceAll("\n", " "),
    /The limit of 3 URLs was reached: \d+ URLs that the crawl found were left out/,
  );
  const again = await trawl.run("resume", "last");
  assert.equal(again.code, 0);
  assert.match(again.stderr, /had reached its limit already/);
});

test("help ends with 0 and fits 80 columns", async () => {
  for (const typed of [[], ["--help"], ["crawl", "--help"], ["urls", "--help"], ["help", "why"]]) {
    const { code, stdout, stderr } = await trawl.run(...typed);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^Examples:/m);
    for (const line of stdout.split("\n")) assert.ok(line.length <= 80, `${line.length}: ${line}`);
  }
});

test("a database that is damaged is named, with what to do about it", async () => {
  const own = new Trawl();
  try {
    await own.run("crawls");
    const registry = join(own.folder, "home", "registry.db");
    writeFileSync(registry, "no database ".repeat(1_000));
    const { code, stderr } = await own.run("crawls");
    assert.equal(code, 1);
    assert.equal(stderr.split("\n")[0], `error: ${registry} is damaged: file is not a database.`);
    assert.match(stderr, /^hint: Restore it from a backup/m);
  } finally {
    own.remove();
  }
});

test("output that cannot be written ends with 1", { skip: !existsSync("/dev/full") }, async () => {
  const full = openSync("/dev/full", "w");
  try {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, "config", "show"], {
      stdio: ["ignore", full, "pipe"],
    });
    assert.equal(status, 1);
    assert.match(String(stderr), /^error: The output cannot be written: ENOSPC/);
  } finally {
    closeSync(full);
  }
});
