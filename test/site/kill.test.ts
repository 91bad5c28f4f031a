/** kill -9 at random moments: in the end every reachable page is recorded once, and the rate holds across restarts. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { type CountingSite, countingSite } from "../servers/index.ts";
import { seededRandom } from "../servers/random.ts";
import { query, temporaryFolder } from "./crawling.ts";

const TRAWL = fileURLToPath(new URL("../../bin/trawl.js", import.meta.url));

/** The crawl counts whole milliseconds. */
const ROUNDING_MS = 2;

function trawl(home: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [TRAWL, ...args, "--json"], {
    env: { ...process.env, TRAWL_HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function ended(child: ChildProcess): Promise<number | null> {
  child.stdout!.resume();
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.exitCode;
}

/** Kills the crawl once the server has answered this many more requests. It answers no others, so the crawl cannot finish. */
async function killAfter(answers: number, site: CountingSite, child: ChildProcess): Promise<void> {
  const exited = once(child, "exit").then(() => assert.fail("the crawl ended before it was killed"));
  exited.catch(() => {});
  await Promise.race([site.answerOnly(answers), exited]);
  child.kill("SIGKILL");
  await ended(child);
  site.answerAll();
}

test("killed 20 times on a 2,000-page site, a crawl ends with exactly the reachable pages, each recorded once", async (t) => {
  const site = await countingSite({ pages: 2_000 });
  t.after(() => site.close());
  const home = temporaryFolder(t);
  const random = seededRandom(20261116);
  let child = trawl(home, "crawl", site.url, "--parallelism", "20");
  for (let kill = 0; kill < 20; kill++) {
    // 1,502 answers in total: fewer than there are pages.
    await killAfter(20 + random(120), site, child);
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

test("a host never gets requests faster than its rate, across four kills", async (t) => {
  const interval = 400;
  const site = await countingSite({ pages: 15 });
  t.after(() => site.close());
  const home = temporaryFolder(t);
  const arrivals = () => site.requests().flatMap(({ path, at }) => (path === "/robots.txt" ? [] : [at]));
  // One at a time: each request leaves after the one before it has arrived.
  let child = trawl(home, "crawl", site.url, "--parallelism", "1", "--rate", String(1000 / interval));
  const restarts: { at: number; requestsBefore: number }[] = [];
  for (let kill = 0; kill < 4; kill++) {
    await killAfter(3, site, child);
    restarts.push({ at: performance.now(), requestsBefore: arrivals().length });
    child = trawl(home, "resume", "1");
  }
  assert.equal(await ended(child), 0);
  const times = arrivals();
  for (const { at, requestsBefore } of restarts) {
    const pause = times[requestsBefore]! - at;
    assert.ok(pause >= interval, `the first request came ${pause} ms after the restart`);
  }
  // A busy machine delivers late, never early. The first of a row may have left as soon as the one before it arrived, so a
  // row of n gaps spans n - 1 intervals at least.
  for (let first = 0; first < times.length; first++) {
    for (let last = first + 2; last < times.length; last++) {
      const span = times[last]! - times[first]!;
      const least = (last - first - 1) * interval - ROUNDING_MS;
      assert.ok(span >= least, `requests ${first} to ${last} came within ${span} ms`);
    }
  }
});
