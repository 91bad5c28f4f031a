/** Hosts that throttle, or are in distress: they rest, and no page is lost by it, however long it lasts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../src/kernel/clock.ts";
import type { CodeHost, Instead } from "../servers/code-host.ts";
import { seededRandom } from "../servers/random.ts";
import {
  archiveAll,
  linesOf,
  makeWorkspace,
  metadataOf,
  PATIENT,
  quickClock,
  startHost,
  storedPaths,
} from "./archiving.ts";
import { killed } from "./killing.ts";

const MINUTE = 60_000;

/** The host answers this instead, for so long from its 20th request on. */
function spell(answer: Instead, clock: Clock, lengthMs: number): (path: string, request: number) => Instead | null {
  let since: number | null = null;
  return (path, request) => {
    if (path === "/robots.txt") return null;
    if (request >= 20) since ??= clock.now();
    return since !== null && clock.now() - since < lengthMs ? answer : null;
  };
}

const statuses = (host: CodeHost): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const { status } of host.requests()) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
};

const SPELLS: [name: string, answer: Instead][] = [
  ["429", { status: 429 }],
  ["429 with Retry-After in seconds", { status: 429, headers: { "retry-after": "30" } }],
  ["429 with Retry-After: 0", { status: 429, headers: { "retry-after": "0" } }],
  ["503 with Retry-After", { status: 503, headers: { "retry-after": "45" } }],
  ["403 with a used-up limit", { status: 403, headers: { "retry-after": "60" } }],
  ["503 on every page", { status: 503 }],
  ["500 on every page", { status: 500 }],
  ["bot checks", { status: 403, headers: { "cf-mitigated": "challenge" } }],
  [
    "bot checks with 200",
    { status: 200, body: "<script>sucuri_cloudproxy_js=''</script><a href='/owner-9/repo-9'>x</a>" },
  ],
  ["resets of every request", { status: 0, resets: 8 }],
];

const isDistress = ({ status, headers }: Instead): boolean => headers === undefined && (status === 0 || status >= 500);

for (const [name, answer] of SPELLS) {
  test(`ten minutes of ${name}: no page is lost, and none has spent a try in the end`, async (t) => {
    // Whether a host is in distress shows in failures close together: on a busy machine a quicker clock would pull them apart.
    const clock = quickClock(isDistress(answer) ? 150 : 1_000);
    const host = await startHost(t, { repos: 3, instead: spell(answer, clock, 10 * MINUTE) });
    const workspace = await makeWorkspace(t, {
      limits: { ...PATIENT, backoff_base_ms: 500, backoff_cap_ms: 8_000, req_per_sec: 50 },
    });
    const crawl = await archiveAll(workspace, host, { clock });
    assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
    assert.equal(crawl.progress().failed, 0);
    assert.ok(metadataOf(workspace).every(({ http_status }) => http_status < 400 && http_status > 0));
    const { pages } = host;
    const refused = host.requests().length - pages.length;
    assert.ok(refused < 250, `${refused} requests more than pages: ${[...statuses(host)]}`);
  });
}

test("Retry-After as a date is obeyed", async (t) => {
  const clock = quickClock(1_000);
  let until = 0;
  let early = 0;
  const host = await startHost(t, {
    repos: 1,
    instead: (path, request) => {
      if (path === "/robots.txt") return null;
      if (request === 5) until = Math.ceil(clock.now() / 1_000) * 1_000 + 5 * MINUTE;
      if (request > 5 && clock.now() < until) early++;
      return request === 5 ? { status: 429, headers: { "retry-after": new Date(until).toUTCString() } } : null;
    },
  });
  const workspace = await makeWorkspace(t, { limits: { ...PATIENT, global_concurrency: 1, per_host_concurrency: 1 } });
  await archiveAll(workspace, host, { clock });
  assert.ok(until > 0);
  assert.equal(early, 0);
  assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
});

test("one page that is always out of order is given up, while the host is fine", async (t) => {
  const broken = "/owner-0/repo-0/blob/main/src/file-1.ts";
  for (const answer of [{ status: 503 }, { status: 500 }, { status: 0, resets: 8 }]) {
    const clock = quickClock(1_000);
    const host = await startHost(t, { repos: 1, instead: (path) => (path === broken ? answer : null) });
    const workspace = await makeWorkspace(t, { limits: PATIENT });
    const crawl = await archiveAll(workspace, host, { clock });
    assert.deepEqual(storedPaths(workspace), host.pages.filter((path) => path !== broken).sort());
    assert.equal(crawl.progress().failed, 1);
    assert.equal(host.counts().get(broken), 4, "a request and three retries");
    assert.equal(metadataOf(workspace).find(({ url }) => url.endsWith(broken))!.retries, 3);
  }
});

for (const concurrency of [1, 8]) {
  test(`one page that is always sent away, ${concurrency} at once: all others are archived, and it stays queued`, async (t) => {
    const clock = quickClock(1_000);
    const refused = "/topics/tides";
    const host = await startHost(t, { repos: 5, instead: (path) => (path === refused ? { status: 429 } : null) });
    const workspace = await makeWorkspace(t, {
      limits: {
        ...PATIENT,
        global_concurrency: concurrency,
        per_host_concurrency: concurrency,
        backoff_base_ms: 500,
        backoff_cap_ms: 8_000,
        max_rest_sec: 900,
      },
    });
    const crawl = await archiveAll(workspace, host, { clock });
    assert.deepEqual((await crawl.ended).parked, ["github.com"]);
    const { open, failed, resting } = crawl.progress();
    assert.deepEqual([open, failed, resting.length], [1, 0, 1]);
    assert.deepEqual(storedPaths(workspace), host.pages.filter((path) => path !== refused).sort());
    assert.ok(host.counts().get(refused)! < 150, `${host.counts().get(refused)} requests`);
  });
}

test("a host that rests for longer than the limit: the run ends, paused, and the queue is kept for the next", async (t) => {
  const clock = quickClock(1_000);
  let isBusy = true;
  const host = await startHost(t, {
    repos: 2,
    instead: (path, request) =>
      isBusy && request >= 10 && path !== "/robots.txt" ? { status: 429, headers: { "retry-after": "7200" } } : null,
  });
  const workspace = await makeWorkspace(t, { limits: { ...PATIENT, max_rest_sec: 600 } });
  const first = await archiveAll(workspace, host, { clock });
  const end = await first.ended;
  assert.deepEqual(end.parked, ["github.com"]);
  const { open, resting, failed } = first.progress();
  assert.ok(open > 0 && failed === 0);
  assert.equal(resting.length, 1);
  assert.equal(resting[0]!.host, "github.com");
  assert.match(resting[0]!.why, /429/);
  assert.ok(resting[0]!.until! * 1_000 > clock.now() + 6_000_000, "two hours from then");
  isBusy = false;
  const asked = host.requests().length;
  const again = await archiveAll(workspace, host, { clock });
  assert.equal((await again.ended).parked.length, 1, "the rest is not over");
  assert.equal(host.requests().length, asked);
  const later = { now: () => clock.now() + 7_200_000, after: clock.after };
  await archiveAll(workspace, host, { clock: later });
  assert.deepEqual(storedPaths(workspace), [...host.pages].sort());
  assert.deepEqual(linesOf(workspace.paths.ledger.frontier), []);
});

test("killed 20 times while the host throttles, with and without Retry-After, in spells: the URLs are those of a calm run", async (t) => {
  const after0 = { "retry-after": "0" };
  const answers: Instead[] = [{ status: 429 }, { status: 503, headers: after0 }, { status: 403, headers: after0 }];
  // Every 60 requests, 20 to 40 of them are refused, in one way after another.
  const instead = (path: string, request: number): Instead | null => {
    if (path === "/robots.txt" || request % 60 >= 20 + 10 * (request % 3)) return null;
    return request < 60 ? null : answers[Math.floor(request / 60) % answers.length]!;
  };
  const size = { repos: 34, files: 6, issues: 5, pulls: 3 };
  const [calm, rough] = [await startHost(t, size), await startHost(t, { ...size, instead })];
  const [before, after] = [await makeWorkspace(t), await makeWorkspace(t)];
  await archiveAll(before, calm);
  const random = seededRandom(429);
  await killed(after, rough, 20, () => 15 + random(30));
  assert.deepEqual(storedPaths(after), storedPaths(before));
  const urls = metadataOf(after).map(({ url }) => url);
  assert.equal(new Set(urls).size, urls.length, "no URL has two lines");
  assert.ok(metadataOf(after).every(({ http_status }) => http_status === 200 || http_status === 301));
  const refused = [...statuses(rough)].filter(([status]) => status >= 400).reduce((sum, [, count]) => sum + count, 0);
  t.diagnostic(`${rough.requests().length} requests, ${refused} refused, for ${urls.length} URLs; 0 lost`);
  assert.ok(refused > 50);
});
