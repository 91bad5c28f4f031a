/** Ctrl-C in the middle of a crawl: it can be resumed, and ends with the same URLs as an uninterrupted one. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { type RunningDemoSite, startDemoSite } from "../../src/demo/index.ts";
import { listenOnLoopback } from "../../src/demo/loopback.ts";
import { finished, linesOf, PROGRAM, TRAP_LIMITS, Trawl } from "./trawl.ts";

const trawl = new Trawl();
let site: RunningDemoSite;

before(async () => {
  site = await startDemoSite();
});
after(async () => {
  await site.close();
  trawl.remove();
});

/** Every URL with its verdict, in one order. */
async function verdicts(id: number): Promise<string[]> {
  const { lines } = await trawl.json("export", String(id), "--fields", "url,verdict,reason,status");
  return lines.map((line) => JSON.stringify(line)).sort();
}

/** Starts a crawl, sends signals once it has progressed, and returns how it ended. */
async function interrupted(signals: NodeJS.Signals[], ...flags: string[]) {
  const child = trawl.start("crawl", site.url, ...TRAP_LIMITS, "--json", ...flags);
  const ended = finished(child);
  for await (const { event } of linesOf(child)) {
    if (event === "progress") for (const signal of signals.splice(0)) child.kill(signal);
  }
  return ended;
}

test("Ctrl-C pauses with exit code 3; resumed, the crawl ends with the same URLs and verdicts", async () => {
  const whole = await trawl.json("crawl", site.url, ...TRAP_LIMITS);
  assert.equal(whole.code, 0);
  const already = site.requests().length;
  const { code } = await interrupted(["SIGINT"], "--rate", "100");
  assert.equal(code, 3);
  const paused = (await trawl.json("show", "2")).lines[0] as { crawl: { state: string }; summary: { open: number } };
  assert.equal(paused.crawl.state, "paused");
  assert.ok(paused.summary.open > 0);
  const before = site.requests().length;
  const resumed = await trawl.json("resume", "2");
  assert.equal(resumed.code, 0);
  assert.equal(resumed.lines.at(-1)!["state"], "completed");
  assert.deepEqual(await verdicts(2), await verdicts(1));
  const fetched = site
    .requests()
    .slice(already, before)
    .map(({ target }) => target);
  const again = site
    .requests()
    .slice(before)
    .filter(({ target, status }) => fetched.includes(target) && status < 500);
  assert.deepEqual(
    again.map(({ target }) => target),
    [],
    "nothing stored is fetched again",
  );
});

test("SIGTERM does the same, and the text output says how to continue", async () => {
  const child = trawl.start("crawl", site.url, ...TRAP_LIMITS, "--rate", "5");
  const ended = finished(child);
  child.stdout.once("data", () => child.kill("SIGTERM"));
  const { code, stdout } = await ended;
  assert.equal(code, 3);
  assert.match(stdout, /^Paused after .*Nothing is lost\.\n +trawl resume 3 /m);
});

test("a reader that closes the pipe pauses the crawl silently", async () => {
  const child = trawl.start("crawl", site.url, ...TRAP_LIMITS, "--rate", "20", "--json");
  const ended = once(child, "close");
  const errors = text(child.stderr);
  child.stdout.once("data", () => child.stdout.destroy());
  assert.deepEqual([(await ended)[0], await errors], [3, ""]);
});

test("a second interrupt does not wait for a page that never arrives", async (context) => {
  const asked = Promise.withResolvers<void>();
  const server = await listenOnLoopback((request, response) => {
    if (request.url === "/robots.txt") response.writeHead(404).end();
    else asked.resolve();
  });
  context.after(() => server.close());
  const child = trawl.start("crawl", server.url, "--discovery", "spider");
  const ended = finished(child);
  await asked.promise;
  child.kill("SIGINT");
  await once(child.stderr, "data");
  child.kill("SIGTERM");
  const { code, stderr } = await ended;
  assert.equal(code, 3);
  assert.match(stderr, /^Pausing; waiting for 1 request\. Press Ctrl-C again to stop at once\.\nStopping at once\./m);
});

test("a crawl that npx started pauses when npx's shell is ended, as by timeout or a build server", async () => {
  const typed = ["crawl", site.url, ...TRAP_LIMITS, "--rate", "2"];
  // npx starts `sh -c`; with a second command, no shell replaces itself by the first.
  const shell = spawn("sh", ["-c", '"$0" "$@"; true', process.execPath, PROGRAM, ...typed], {
    env: { ...process.env, TRAWL_HOME: join(trawl.folder, "home"), NO_COLOR: "1", npm_command: "exec" },
  });
  let said = "";
  // The crawl has the output too: it is closed when both have ended.
  const closed = once(shell, "close");
  for await (const part of shell.stdout) {
    if (said === "") shell.kill("SIGTERM");
    said += part;
  }
  await closed;
  assert.match(said, /^Paused after .*Nothing is lost\.\n +npx trawl resume /m);
});
