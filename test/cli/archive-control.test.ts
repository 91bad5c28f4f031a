/** A running archive: Ctrl-C, signals, and other commands at the same time. */
import assert from "node:assert/strict";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../../src/net/testing/until.ts";
import { askedTwice, startArchiving } from "./archiving.ts";
import { finished, type Line, linesOf } from "./trawl.ts";

/** The events of a running command, each waited for in turn. */
function eventsOf(child: ChildProcessWithoutNullStreams): (wanted: (line: Line) => boolean) => Promise<Line> {
  const lines = linesOf(child);
  return async (wanted) => {
    for (;;) {
      const { value, done } = await lines.next();
      assert.ok(!done, "it ended before that came");
      if (wanted(value)) return value;
    }
  };
}

test("Ctrl-C pauses with exit code 3; after resuming, every page was requested once", async (t) => {
  const { trawl, host, reach, set } = await startArchiving(t);
  set({ limits: { req_per_sec: 50 } });
  const child = trawl.start("archive", "run", ...reach);
  const ended = finished(child);
  await host.until(12);
  child.kill("SIGINT");
  const { code, stdout } = await ended;
  assert.equal(code, 3);
  assert.match(stdout, /^Paused after .*; [1-9]\d* open\.\s+Nothing is lost\./m);
  const command = /^ {2}trawl archive (resume .*) {2}continues where it stopped$/m.exec(stdout)?.[1];
  assert.deepEqual(command?.split(" "), ["resume", ...reach], "the command reaches the same host in the same way");
  set({});
  const { lines } = await trawl.json("archive", "resume", ...reach);
  assert.equal(lines.at(-1)!["state"], "completed");
  assert.deepEqual(askedTwice(host), []);
  const status = (await trawl.json("archive", "status")).lines[0]!;
  assert.equal(status["blobs"], host.pages.length);
});

test("while it runs: busy, metrics, status, reload, pause, unpause and stop", async (t) => {
  const { trawl, host, reach, set } = await startArchiving(t);
  // Slow enough to outlast the test, whatever else the machine does.
  set({ limits: { req_per_sec: 0.5 } });
  const child = trawl.start("archive", "run", ...reach, "--json", "--metrics-port", "0");
  const ended = finished(child);
  const next = eventsOf(child);
  const metrics = String((await next(({ event }) => event === "metrics"))["text"]).replace(/^.* /, "");
  await next(({ event, fetched }) => event === "progress" && Number(fetched) > 0);
  assert.match(await (await fetch(metrics)).text(), /^trawl_archive_frontier_push_total [1-9]/m);

  for (const typed of [["run", ...reach], ["scrape"], ["verify", "--repair"], ["reset", "--yes"]]) {
    const { code, stderr } = await trawl.run("archive", ...typed);
    assert.equal(code, 1, typed[0]);
    assert.match(stderr, /^error: Another process is working in .*workspace\.\nhint: /);
  }
  assert.deepEqual((await trawl.json("archive", "status")).lines[0]!["running"], ["crawl", "store"]);

  child.kill("SIGUSR1");
  const status = await next(({ event }) => event === "status");
  assert.ok((status["metrics"] as Record<string, number>)["fetch_ok"]! > 0);
  set({ limits: { req_per_sec: 0.4, http2: false } });
  child.kill("SIGHUP");
  assert.deepEqual(await next(({ event }) => event === "reload"), {
    event: "reload",
    applied: [{ setting: "limits.req_per_sec", before: 0.5, after: 0.4 }],
    later: [{ setting: "limits.http2", before: true, after: false }],
  });
  set({ limits: { req_per_sec: -1 } });
  child.kill("SIGHUP");
  assert.equal((await next(({ event }) => event === "error"))["code"], "BAD_CONFIG");
  set({});

  assert.match((await trawl.run("archive", "pause")).stdout, /^It pauses within a second or two\./);
  assert.match(String((await next(({ event }) => event === "pause"))["text"]), /pause\.\* file/);
  await next(({ event, state }) => event === "progress" && state === "paused");
  const before = host.requests().length;
  await next(({ event }) => event === "progress");
  assert.equal(host.requests().length, before, "nothing is requested while it is paused");
  assert.equal((await trawl.run("archive", "unpause")).stdout, "Removed pause.archive.\n");
  await next(({ event, text }) => event === "pause" && text === "Continuing.");
  assert.equal((await trawl.run("archive", "stop")).stdout, "Stopped. Nothing is lost.\n");
  assert.equal((await ended).code, 3);
  assert.match((await trawl.run("archive", "stop")).stdout, /^Nothing is running in /);
});

test("discovering and scraping side by side archive the target pages once each", async (t) => {
  const { trawl, host, root, reach, set } = await startArchiving(t, { repos: 2 });
  set({ limits: { req_per_sec: 60 } });
  const scrape = trawl.start("archive", "scrape", "--follow", "--json", ...reach);
  const scraped = finished(scrape);
  const next = eventsOf(scrape);
  await next(({ event }) => event === "start");
  const discover = await trawl.json("archive", "run", "--discover", ...reach);
  assert.equal(discover.code, 0);
  const targets = host.pages.filter((path) => /^\/owner-\d/.test(path));
  await next(({ event, read, open }) => event === "progress" && Number(read) >= targets.length && open === 0);
  const stop = await trawl.run("archive", "stop");
  assert.equal(stop.code, 0);
  assert.equal((await scraped).code, 3);
  const status = (await trawl.json("archive", "status")).lines[0]!;
  assert.equal(status["blobs"], targets.length);
  assert.deepEqual(
    [...host.counts()].filter(([path, count]) => targets.includes(path) && count !== 2),
    [],
    "once for its links, once for the store",
  );
  await trawl.run("archive", "reset", "--yes");
  for (const folder of ["state", "logs", "spool/discoveries"]) assert.deepEqual(readdirSync(join(root, folder)), []);
});

test("one stop ends both halves", async (t) => {
  // More pages than the slowest machine fetches before the stop.
  const { trawl, host, reach, set } = await startArchiving(t, { repos: 100 });
  set({ limits: { req_per_sec: 1 } });
  const halves = [
    trawl.start("archive", "scrape", "--follow", ...reach),
    trawl.start("archive", "run", "--discover", ...reach),
  ];
  const ended = halves.map(finished);
  await host.until(2);
  assert.equal((await trawl.run("archive", "stop")).stdout, "Stopped. Nothing is lost.\n");
  assert.deepEqual(
    (await Promise.all(ended)).map(({ code }) => code),
    [3, 3],
  );
});

test("killed before its seeds were queued: resume knows them, and one that knows nothing does not say it is done", async (t) => {
  const answered = Promise.withResolvers<void>();
  let isHeld = true;
  const instead = (path: string) =>
    path === "/robots.txt" && isHeld ? { status: 200, body: "", after: answered.promise } : null;
  const { trawl, host, reach, root, read } = await startArchiving(t, { repos: 1, instead });
  const child = trawl.start("archive", "run", ...reach);
  const ended = finished(child);
  await until(() => existsSync(join(root, "state/commits.jsonl")) && read("state/commits.jsonl").includes('"seeds"'));
  child.kill("SIGKILL");
  await ended;
  isHeld = false;
  answered.resolve();
  const { code, stderr } = await trawl.run("archive", "resume", ...reach);
  assert.equal(code, 0, stderr);
  assert.equal((await trawl.json("archive", "status")).lines[0]!["blobs"], host.pages.length);

  rmSync(join(root, "state"), { recursive: true });
  rmSync(join(root, "metadata"), { recursive: true });
  writeFileSync(join(root, "seeds.txt"), "");
  await trawl.run("archive", "run", "--refresh", ...reach);
  const nothing = await trawl.run("archive", "resume", ...reach);
  assert.equal(nothing.code, 2);
  assert.match(nothing.stderr, /^error: Nothing has been archived in .* yet\. Start with `trawl archive run`\.$/m);
});
