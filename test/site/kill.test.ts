/** kill -9 at random moments: every reachable page in the end, none recorded twice, and the rate holds over restarts. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { countingSite } from "../servers/index.ts";
import { seededRandom } from "../servers/random.ts";
import { query, temporaryFolder } from "./crawling.ts";

const TRAWL = fileURLToPath(new URL("../../bin/trawl.js", import.meta.url));

function trawl(home: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [TRAWL, ...args, "--json"], {
    env: { ...process.env, TRAWL_HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Resolves when the server has seen so many more requests, or the process has ended. */
async function untilRequests(child: ChildProcess, seen: () => number, more: number): Promise<void> {
  const goal = seen() + more;
  while (seen() < goal && child.exitCode === null) await new Promise((resolve) => setImmediate(resolve));
}

async function ended(child: ChildProcess): Promise<number | null> {
  child.stdout!.resume();
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.exitCode;
}

test("killed 20 times on a 2,000-page site, a crawl ends with exactly the reachable pages, each recorded once", async (t) => {
  const site = await countingSite({ pages: 2_000 });
  t.after(() => site.close());
  const home = temporaryFolder(t);
  const random = seededRandom(20261116);
  const seen = () => site.requests().length;
  let child = trawl(home, "crawl", site.url, "--parallelism", "20");
  for (let kill = 0; kill < 20; kill++) {
    child.stdout!.resume();
    await untilRequests(child, seen, 20 + random(120));
    assert.equal(child.exitCode, null, "the crawl ended before it was killed 20 times");
    child.kill("SIGKILL");
    await ended(child);
    child = trawl(home, "resume", "1");
  }
  assert.equal(await ended(child), 0);
  const database = join(home, "crawls", "1", "crawl.db");
  const pages = query<{ url: string; n: number }>(
    database,
    "SELECT url, count(*) AS n FROM pages JOIN urls USING (id) WHERE status = 200 GROUP BY url",
  );
  assert.deepEqual(pages.map((page) => new URL(page.url).pathname).sort(), [...site.paths].sort());
  assert.ok(pages.every((page) => page.n === 1));
  const links = query<{ source: number; n: number; said: number }>(
    database,
    `SELECT source, count(*) AS n, (SELECT link_count FROM pages WHERE id = source) AS said FROM links GROUP BY source`,
  );
  for (const { source, n, said } of links) assert.equal(n, said, `links of page ${source}`);
});

test("a host is never asked faster than its rate, over five kills", async (t) => {
  const interval = 40;
  const site = await countingSite({ pages: 120 });
  t.after(() => site.close());
  const home = temporaryFolder(t);
  const seen = () => site.requests().length;
  let child = trawl(home, "crawl", site.url, "--parallelism", "20", "--rate", String(1000 / interval));
  for (let kill = 0; kill < 5; kill++) {
    child.stdout!.resume();
    await untilRequests(child, seen, 10 + kill);
    child.kill("SIGKILL");
    await ended(child);
    child = trawl(home, "resume", "1");
  }
  assert.equal(await ended(child), 0);
  const times = site.requests().map((request) => request.at);
  // Departures are exactly spaced; a busy machine may deliver one late and the next in time, so runs of ten are held
  // against the rate, with room for an arrival that is late by three.
  for (let i = 0; i + 10 < times.length; i++) {
    const span = times[i + 10]! - times[i]!;
    assert.ok(span >= interval * 7, `requests ${i} to ${i + 10} came within ${span} ms`);
  }
});
