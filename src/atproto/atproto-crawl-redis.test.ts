/** A crawl whose state is in Redis: interrupted, resumed, and shared by two processes' worth of crawls. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it, type TestContext } from "node:test";
import { parseAtprotoConfig } from "./atproto-config.ts";
import { AtprotoCrawl } from "./atproto-crawl.ts";
import { atprotoStatus, resetAtproto } from "./atproto-status.ts";
import { RepoArchive } from "./rca/read/archive.ts";
import { startRedis } from "./state/testing/redis-server.ts";
import { didOf, fakePds, UNSIGNED } from "./testing/fake-pds.ts";

const redis = await startRedis();

async function stored(folder: string): Promise<string[]> {
  await using archive = await RepoArchive.open(folder, ({ reason }) => assert.fail(reason));
  const dids: string[] = [];
  for await (const { did } of archive.repos()) dids.push(did);
  return dids.sort();
}

describe("with Redis", { skip: redis === null && "redis-server is not installed" }, () => {
  after(() => redis?.stop());

  function place(t: TestContext) {
    const folder = mkdtempSync(join(tmpdir(), "trawl-at-redis-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const base = { outputDir: folder, allowPrivate: true, ...UNSIGNED, redisAddress: redis!.address };
    return { folder, config: (more: object) => parseAtprotoConfig({ ...base, ...more }) };
  }

  it("a crawl is complete, its DIDs are in the sets, and reset leaves neither keys nor segments", async (t) => {
    await redis!.flush();
    const { folder, config } = place(t);
    const pds = await fakePds(t, [0, 1, 2].map(didOf));
    const settings = config({ source: [`pds:${pds.origin}`] });
    const { state } = await (await AtprotoCrawl.start({ config: settings, threads: 1 })).ended;
    assert.equal(state, "completed");
    assert.deepEqual((await redis!.client.smembers("crawler:completed")).sort(), [0, 1, 2].map(didOf));
    assert.equal(await redis!.client.exists("crawler:cursor", "crawler:cursors", "crawler:owner"), 0);
    assert.equal((await atprotoStatus(settings)).stats.total_crawled, 3);
    assert.deepEqual(await stored(folder), [0, 1, 2].map(didOf));
    await resetAtproto(settings);
    assert.deepEqual(await redis!.client.keys("*"), []);
  });

  it("two crawls write into one folder, and no repo is fetched twice", async (t) => {
    await redis!.flush();
    const { folder, config } = place(t);
    const hosts = await Promise.all([0, 10, 20, 30].map((from) => fakePds(t, [from, from + 1].map(didOf))));
    const source = hosts.map(({ origin }) => `pds:${origin}`);
    const crawls = [0, 1].map(() => AtprotoCrawl.start({ config: config({ source }), threads: 1 }));
    const ends = await Promise.all(crawls.map(async (crawl) => (await crawl).ended));
    assert.deepEqual(
      ends.map(({ state }) => state),
      ["completed", "completed"],
    );
    assert.deepEqual(await stored(folder), [0, 1, 10, 11, 20, 21, 30, 31].map(didOf));
    assert.equal(
      hosts.reduce((sum, { asked }) => sum + asked.length, 0),
      8,
    );
  });
});
