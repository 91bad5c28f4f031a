/** `trawl serve` and `trawl open` as a user runs them. */
import assert from "node:assert/strict";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { startDemoSite } from "../../src/demo/index.ts";
import { finished, type Line, linesOf, Trawl } from "../cli/trawl.ts";

const trawl = new Trawl();
const children: ChildProcessWithoutNullStreams[] = [];
after(() => {
  // What a failed test left running.
  for (const child of children) child.kill("SIGKILL");
  trawl.remove();
});

interface Started {
  child: ChildProcessWithoutNullStreams;
  lines: AsyncGenerator<Line>;
  /** Its exit code. Listened for from the start: a process may end before the test asks. */
  code: Promise<number | null>;
}

function start(...typed: string[]): Started {
  const child = trawl.start(...typed);
  children.push(child);
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, code, lines: linesOf(child) };
}

const SERVE = ["serve", "--port", "0", "--no-ui", "--no-update-check", "--json"];

type ServeStarted = Started & { url: string; line: Line; ask: (path: string, init?: RequestInit) => Promise<Response> };

async function serve(...more: string[]): Promise<ServeStarted> {
  const started = start(...SERVE, ...more);
  const { value: line } = await started.lines.next();
  assert.equal(line?.event, "serving");
  const url = String(line["url"]);
  const authorization = `Bearer ${line["token"]}`;
  const ask: ServeStarted["ask"] = (path, init) =>
    fetch(url + path, { ...init, headers: { authorization, "content-type": "application/json" } });
  return { ...started, url, line, ask };
}

test("Ctrl-C pauses the crawls that the server runs, and they can be resumed", async (t) => {
  const site = await startDemoSite();
  t.after(() => site.close());
  const { child, code, lines, ask } = await serve();
  const events = await ask("/api/v1/events");
  const started = await ask("/api/v1/crawl", {
    method: "POST",
    body: JSON.stringify({ url: site.url, settings: { rate: 10, maxUrls: 30 } }),
  });
  assert.equal(started.status, 200);
  const { crawlId } = (await started.json()) as { crawlId: number };
  const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let seen = ""; !seen.includes("crawl:progress"); ) seen += (await reader.read()).value;
  assert.equal((await ask(`/api/v1/crawls/${crawlId}`, { method: "DELETE" })).status, 409);

  child.kill("SIGINT");
  const { value: end } = await lines.next();
  assert.deepEqual([end.event, end["paused"]], ["end", [crawlId]]);
  assert.equal(await code, 3);
  for (let done = false; !done; ) ({ done } = await reader.read());
  assert.ok(!existsSync(join(trawl.folder, "home", "server.json")));
  const resumed = await trawl.json("resume", String(crawlId));
  assert.equal(resumed.code, 0);
  assert.equal(resumed.lines.at(-1)!["state"], "limit_reached");
});

test("open finds the running server, and signs in once", async () => {
  writeFileSync(join(trawl.folder, "secret"), "0123456789abcdef\n");
  const { child, code, url, line } = await serve("--token-file", "secret");
  assert.equal(line["token"], "0123456789abcdef");
  assert.equal((await fetch(`${url}/api/v1/version`)).status, 401);
  const found = await trawl.json("open");
  assert.equal(found.code, 0);
  const opened = found.lines[0]!;
  assert.deepEqual([opened.event, opened["opened"]], ["open", false]);
  const address = String(opened["url"]);
  assert.ok(address.startsWith(`${url}/?token=`));
  assert.equal((await fetch(address)).status, 200);
  assert.equal((await fetch(address)).status, 401);
  child.kill("SIGTERM");
  assert.equal(await code, 0);
});

test("open starts a server when none is running", async () => {
  const { child, code, lines } = start("open", "--port", "0", "--no-ui", "--no-update-check", "--json");
  assert.equal((await lines.next()).value.event, "serving");
  const { value: opened } = await lines.next();
  assert.equal(opened.event, "open");
  assert.equal((await fetch(String(opened["url"]))).status, 200);
  child.kill("SIGINT");
  assert.equal(await code, 0);
  const missing = await trawl.run("open", "99");
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /There is no crawl 99/);
});

test("a port in use, a weak token and a wrong origin are reported with what to do", async () => {
  const { child, code, line } = await serve();
  const taken = await trawl.run("serve", "--port", String(line["port"]), "--no-ui");
  assert.equal(taken.code, 2);
  assert.match(taken.stderr, /is in use by another program.*\n.*--port 0/);
  child.kill("SIGINT");
  await code;
  writeFileSync(join(trawl.folder, "weak"), "abc\n");
  const weak = await trawl.run("serve", "--port", "0", "--no-ui", "--token-file", "weak");
  assert.deepEqual([weak.code, /weak: .*16 characters/.test(weak.stderr)], [2, true]);
  const missing = await trawl.run("serve", "--port", "0", "--no-ui", "--token-file", "missing");
  assert.deepEqual([missing.code, /missing/.test(missing.stderr)], [2, true]);
  const shown = await trawl.run("serve", "--port", "0", "--no-ui", "--token", "0123456789abcdef");
  assert.equal(shown.code, 2);
  assert.match(shown.stderr, /every user of this machine.*\n.*--token-file.*TRAWL_TOKEN/);
  const origin = await trawl.run("serve", "--cors", "https://example.com/");
  assert.deepEqual([origin.code, /--cors/.test(origin.stderr)], [2, true]);
});

test("the token is made once, in a file that only its owner can read, and the printed link contains it", async () => {
  const file = join(trawl.folder, "home", "token");
  rmSync(file, { force: true });
  const tokens: string[] = [];
  for (const host of ["0.0.0.0", "127.0.0.1"]) {
    const child = trawl.start("serve", "--port", "0", "--host", host, "--no-ui", "--no-update-check");
    children.push(child);
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += String(chunk);
      if (printed.includes("metrics:")) child.kill("SIGINT");
    });
    assert.equal((await finished(child)).code, 0);
    assert.match(printed, /it signs you in: http:\/\/127\.0\.0\.1:\d+\/\?token=\S{32}\n/);
    assert.ok(printed.includes(`the token is in ${file}\n`));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    tokens.push(readFileSync(file, "utf8").trim());
    assert.ok(tokens[0]!.length >= 32 && printed.includes(`/?token=${tokens[0]}\n`));
  }
  assert.equal(tokens[0], tokens[1], "the same after a restart");
});
