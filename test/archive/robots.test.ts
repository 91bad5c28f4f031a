/** robots.txt over time: a change takes effect when the old one has expired, and one that cannot be read forbids all. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Clock, systemClock } from "../../src/kernel/clock.ts";
import { archive, archiveAll, linesOf, makeWorkspace, metadataOf, pathOf, startHost } from "./archiving.ts";

/** A clock that can be set forward. */
function movableClock(): { clock: Clock; forward: (ms: number) => void } {
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead, after: systemClock.after };
  return {
    clock,
    forward: (ms) => {
      ahead += ms;
    },
  };
}

test("a change of robots.txt takes effect when the old one expires, for queued and for new URLs", async (t) => {
  const host = await startHost(t, { repos: 4 });
  const workspace = await makeWorkspace(t, {
    limits: { global_concurrency: 1, per_host_concurrency: 1 },
    robots: { cache_ttl_sec: 600 },
  });
  const { clock, forward } = movableClock();
  let records = 0;
  const onRecord = () => {
    records++;
    if (records === 3) host.setRobots("User-agent: *\nDisallow: /*/*/issues\n");
    // Two of the four repos are read, so some issues are queued and others are not found yet.
    if (records === 6) forward(601_000);
  };
  await archiveAll(workspace, host, { clock, events: { onRecord } });
  const robots = host.requests().filter((request) => request.path === "/robots.txt");
  assert.equal(robots.length, 2, "asked again once, after its time");
  assert.ok(metadataOf(workspace).every((record) => record.page_type !== "issues"));
  const refused = linesOf(workspace.paths.ledger.refused).map((line) => JSON.parse(line) as Record<string, string>);
  const issues = refused.filter(({ url }) => url!.endsWith("/issues"));
  assert.deepEqual(
    issues.map(({ reason }) => reason),
    Array(4).fill("robots_disallow"),
  );
  const cached = linesOf(workspace.paths.ledger.robots).map(
    (line) => JSON.parse(line) as { domain: string; content: string },
  );
  assert.equal(cached.at(-1)!.domain, "github.com");
  assert.match(cached.at(-1)!.content, /issues/);
});

test("robots.txt survives a restart", async (t) => {
  const host = await startHost(t);
  const workspace = await makeWorkspace(t);
  await archiveAll(workspace, host, { seeds: ["https://github.com/trending"] });
  await archiveAll(workspace, host);
  assert.equal(host.counts().get("/robots.txt"), 1);
});

test("while robots.txt cannot be read nothing is fetched, and nothing is lost", async (t) => {
  const host = await startHost(t);
  const workspace = await makeWorkspace(t, { limits: { max_retries: 0 } });
  host.setRobotsStatus(503);
  const { clock, forward } = movableClock();
  const { crawl } = await archive(workspace, host, { clock });
  await host.until(1);
  await crawl.pause();
  assert.equal(crawl.progress().open, 1, "the seed waits");
  await crawl.stop();
  assert.deepEqual([...host.counts().keys()], ["/robots.txt"]);
  host.setRobotsStatus(200);
  forward(3_600_000);
  await archiveAll(workspace, host, { clock });
  assert.equal(
    metadataOf(workspace).filter((record) => host.pages.includes(pathOf(record.url))).length,
    host.pages.length,
  );
});

test("a host that refuses connections still has its rules: this is reported, and the seed waits", async (t) => {
  const host = await startHost(t);
  const workspace = await makeWorkspace(t, { limits: { max_retries: 0 } });
  const told = Promise.withResolvers<string>();
  const { clock, forward } = movableClock();
  const { crawl } = await archive(workspace, host, {
    clock,
    // Nothing listens there.
    reach: { connectTo: [{ host: "github.com", port: 443, address: "127.0.0.1", toPort: 1 }], ca: null },
    events: { onNotice: told.resolve },
  });
  assert.match(await told.promise, /^github\.com waits: robots\.txt could not be read: /);
  await crawl.stop();
  assert.deepEqual(metadataOf(workspace), []);
  forward(3_600_000);
  await archiveAll(workspace, host, { clock });
  assert.ok(metadataOf(workspace).length > 0);
});

for (const [name, answer] of [
  ["answers 401", { status: 401 }],
  ["answers 403", { status: 403 }],
  ["is a page of HTML", { status: 200, body: "<!doctype html><title>Welcome</title>" }],
  ["is binary data", { status: 200, body: "\u0000\u0001GIF89a" }],
  ["is prose", { status: 200, body: "Please be nice to this server." }],
] as const) {
  test(`robots.txt that ${name} means that nothing is fetched: the run ends at once, and the seed waits`, async (t) => {
    let isFixed = false;
    const host = await startHost(t, { instead: (path) => (path === "/robots.txt" && !isFixed ? answer : null) });
    const workspace = await makeWorkspace(t);
    const { clock, forward } = movableClock();
    const crawl = await archiveAll(workspace, host, { clock });
    assert.deepEqual((await crawl.ended).parked, ["github.com"]);
    assert.deepEqual([...host.counts()], [["/robots.txt", 1]]);
    assert.equal(crawl.progress().open, 1);
    assert.match(crawl.resting()[0]!.why, /^robots\.txt .*: nothing is fetched$/);
    isFixed = true;
    forward(61_000);
    await archiveAll(workspace, host, { clock });
    assert.equal(crawl.progress().failed, 0);
    assert.ok(metadataOf(workspace).length > 10);
  });
}

test("robots.txt that is empty, missing or only comments allows everything", async (t) => {
  for (const answer of [{ status: 200, body: "" }, { status: 404 }, { status: 200, body: "# hello\n\n" }]) {
    const host = await startHost(t, { repos: 1, instead: (path) => (path === "/robots.txt" ? answer : null) });
    const workspace = await makeWorkspace(t);
    await archiveAll(workspace, host);
    assert.ok(metadataOf(workspace).length > 10);
  }
});
