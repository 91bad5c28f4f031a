import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { TrawlError } from "../../errors.ts";
import { drain, FakeClock } from "../../kernel/testing/fake-clock.ts";
import { Registry } from "../crawls/registry.ts";
import { isoTime } from "../operations/time.ts";
import type { Changes, CrawlEnding, CrawlHost } from "./crawl-host.ts";
import { ScheduleStore } from "./schedule-store.ts";
import { Scheduler } from "./scheduler.ts";
import { Schedules } from "./schedules.ts";
import { type Post, postJson, type Receiver, Webhooks } from "./webhooks.ts";

const HOUR = 3_600_000;
const MIDNIGHT = Date.parse("2026-11-16T00:00:00Z");

/** Stands for the app: crawls end when the test says so. */
class FakeHost implements CrawlHost {
  started: number[] = [];
  resumed: number[] = [];
  running = new Set<number>();
  failStart: Error | null = null;
  difference: Changes | null = null;
  #ends = new Map<number, (ending: CrawlEnding) => void>();
  #next = 1;

  project(id: number) {
    if (id !== 1) throw new TrawlError("PROJECT_NOT_FOUND");
    return { id, domain: "example.com", url: "https://example.com/" };
  }
  isRunning(projectId: number) {
    return this.running.has(projectId);
  }
  async checkStart(): Promise<void> {}

  async start(projectId: number) {
    if (this.failStart !== null) throw this.failStart;
    this.started.push(projectId);
    this.running.add(projectId);
    return this.#next++;
  }
  async resume(crawlId: number) {
    this.resumed.push(crawlId);
    this.running.add(1);
  }
  ended(crawlId: number) {
    return new Promise<CrawlEnding>((resolve) => this.#ends.set(crawlId, resolve));
  }
  async changes() {
    return this.difference;
  }
  end(crawlId: number, state: CrawlEnding["state"] = "completed", message: string | null = null) {
    this.running.clear();
    this.#ends.get(crawlId)!({ state, message, pagesCrawled: 5, durationMs: 1_000 });
  }
}

const DAILY = {
  ...{ cron: "0 6 * * *", timezone: "UTC", jitterSeconds: 0, isEnabled: true },
  ...{ webhook: null, notifyOn: ["changed", "failed"] as ("changed" | "failed")[] },
};

function registryPath(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "registry.db");
  const registry = new Registry(path);
  registry.project("https://example.com/", "example.com");
  registry.close();
  return path;
}

interface World {
  clock: FakeClock;
  host: FakeHost;
  store: ScheduleStore;
  scheduler: Scheduler;
  schedules: Schedules;
  problems: string[];
}

/** A process with a scheduler, on a registry that it may share with others. */
function startProcess(
  t: TestContext,
  path: string,
  clock: FakeClock,
  over: { post?: Post; random?: () => number } = {},
) {
  const random = over.random ?? (() => 0);
  const host = new FakeHost();
  const problems: string[] = [];
  const store = new ScheduleStore(path, () => clock.now());
  t.after(() => store.close());
  const webhooks = new Webhooks(store, clock, random, "trawl/test", over.post ?? (async () => 204));
  const onProblem = (problem: string) => void problems.push(problem);
  const scheduler = new Scheduler({ store, host, webhooks, clock, random, onProblem });
  const schedules = new Schedules({ store, host, scheduler, clock, random });
  scheduler.start();
  return { clock, host, store, scheduler, schedules, problems } satisfies World;
}

const lastRun = ({ schedules }: World) => schedules.list()[0]!.lastRuns[0]!;

test("schedule: a crawl starts when it is due, and its end is remembered", async (t) => {
  const world = startProcess(t, registryPath(t), new FakeClock(MIDNIGHT));
  const { clock, host, schedules } = world;
  const set = schedules.set({ projectId: 1, ...DAILY });
  assert.equal(set.nextRunAt, isoTime(MIDNIGHT + 6 * HOUR));
  assert.deepEqual(
    set.nextRuns.slice(0, 2),
    [6, 30].map((hours) => isoTime(MIDNIGHT + hours * HOUR)),
  );
  await clock.advance(6 * HOUR - 1);
  assert.deepEqual(host.started, []);
  await clock.advance(1);
  assert.deepEqual(host.started, [1]);
  assert.equal(lastRun(world).state, "started");
  host.end(1);
  await drain();
  const { state, crawlId, dueAt, at, message, webhook } = lastRun(world);
  assert.deepEqual([state, crawlId, message, webhook], ["completed", 1, null, null]);
  assert.deepEqual([dueAt, at], [isoTime(MIDNIGHT + 6 * HOUR), isoTime(MIDNIGHT + 6 * HOUR)]);
  assert.equal(schedules.list()[0]!.nextRunAt, isoTime(MIDNIGHT + 30 * HOUR));
});

test("schedule: of two processes that both found a run due, one claims it", (t) => {
  const path = registryPath(t);
  const clock = new FakeClock(MIDNIGHT);
  const [first, second] = [startProcess(t, path, clock), startProcess(t, path, clock)];
  first.schedules.set({ projectId: 1, ...DAILY });
  const [seenByFirst, seenBySecond] = [first.store.all()[0]!, second.store.all()[0]!];
  const next = { dueAt: MIDNIGHT + 30 * HOUR, nextRunAt: MIDNIGHT + 30 * HOUR };
  assert.equal(second.store.claim(seenBySecond, next), true);
  assert.equal(first.store.claim(seenByFirst, next), false);
});

test("schedule: jitter starts it later by chance, and never moves the times themselves", async (t) => {
  const { clock, host, schedules } = startProcess(t, registryPath(t), new FakeClock(MIDNIGHT), { random: () => 0.5 });
  const { nextRunAt } = schedules.set({ projectId: 1, ...DAILY, jitterSeconds: 600 });
  assert.equal(nextRunAt, isoTime(MIDNIGHT + 6 * HOUR + 300_000));
  await clock.advance(6 * HOUR + 300_000);
  assert.deepEqual(host.started, [1]);
  assert.equal(schedules.list()[0]!.nextRunAt, isoTime(MIDNIGHT + 30 * HOUR + 300_000));
});

test("schedule: runs missed while nothing ran are caught up once", async (t) => {
  const path = registryPath(t);
  const before = startProcess(t, path, new FakeClock(MIDNIGHT));
  before.schedules.set({ projectId: 1, ...DAILY });
  await drain();
  await before.scheduler.close();
  const weekLater = new FakeClock(MIDNIGHT + 7 * 24 * HOUR);
  const after = startProcess(t, path, weekLater);
  await drain();
  assert.deepEqual(after.host.started, [1]);
  after.host.end(1);
  await weekLater.advance(6 * HOUR - 1);
  assert.deepEqual(after.host.started, [1], "once for the week");
  await weekLater.advance(1);
  assert.deepEqual(after.host.started, [1, 1], "and then at its time again");
});

test("schedule: of two processes one runs it", async (t) => {
  const path = registryPath(t);
  const clock = new FakeClock(MIDNIGHT);
  const one = startProcess(t, path, clock);
  const two = startProcess(t, path, clock);
  one.schedules.set({ projectId: 1, ...DAILY });
  // The other's crawl shows in the registry, as it does in life.
  two.host.running = one.host.running;
  await clock.advance(7 * HOUR);
  assert.equal(one.host.started.length + two.host.started.length, 1);
});

test("schedule: a run is skipped while a crawl of the project is running", async (t) => {
  const world = startProcess(t, registryPath(t), new FakeClock(MIDNIGHT));
  world.schedules.set({ projectId: 1, ...DAILY });
  world.host.running.add(1);
  await world.clock.advance(6 * HOUR);
  assert.deepEqual(world.host.started, []);
  assert.equal(lastRun(world).state, "skipped");
  assert.match(lastRun(world).message!, /was running/);
});

test("schedule: a run cut short by a restart is resumed, and counts as one run", async (t) => {
  const path = registryPath(t);
  const clock = new FakeClock(MIDNIGHT);
  const before = startProcess(t, path, clock);
  before.schedules.set({ projectId: 1, ...DAILY });
  await clock.advance(6 * HOUR);
  const closing = before.scheduler.close();
  before.host.end(1, "paused");
  await closing;
  const after = startProcess(t, path, clock);
  await drain();
  assert.deepEqual(after.host.resumed, [1]);
  after.host.end(1);
  await drain();
  assert.deepEqual(
    after.schedules.list()[0]!.lastRuns.map(({ state, crawlId }) => [state, crawlId]),
    [["completed", 1]],
  );
});

test("schedule: switched off, changed and removed", async (t) => {
  const { clock, host, schedules } = startProcess(t, registryPath(t), new FakeClock(MIDNIGHT));
  assert.equal(schedules.set({ projectId: 1, ...DAILY, isEnabled: false }).nextRunAt, null);
  await clock.advance(24 * HOUR);
  assert.deepEqual(host.started, []);
  schedules.set({ projectId: 1, ...DAILY, cron: "0 3 * * *" });
  await clock.advance(3 * HOUR);
  assert.deepEqual(host.started, [1]);
  assert.deepEqual(schedules.remove(1), { done: true });
  assert.deepEqual(schedules.list(), []);
  assert.throws(() => schedules.remove(1), { code: "SCHEDULE_NOT_FOUND" });
  assert.throws(() => schedules.set({ projectId: 2, ...DAILY }), { code: "PROJECT_NOT_FOUND" });
  assert.throws(() => schedules.set({ projectId: 1, ...DAILY, cron: "whenever" }), { code: "BAD_SCHEDULE" });
});

test("schedule: the webhook is called when something changed, and not otherwise", async (t) => {
  const sent: { url: string; body: unknown; event: string | undefined }[] = [];
  const post: Post = async (url, body, headers) => {
    sent.push({ url, body: JSON.parse(body), event: headers["x-trawl-event"] });
    return 200;
  };
  const world = startProcess(t, registryPath(t), new FakeClock(MIDNIGHT), { post });
  const { clock, host, schedules } = world;
  schedules.set({ projectId: 1, ...DAILY, webhook: "https://hooks.test/1" });
  host.difference = { previousId: 9, added: 0, gone: 0, notCrawled: 0, changed: 0, removed: 0 };
  await clock.advance(6 * HOUR);
  host.end(1);
  await drain();
  assert.deepEqual(sent, []);
  host.difference = { previousId: 1, added: 2, gone: 0, notCrawled: 0, changed: 1, removed: 0 };
  await clock.advance(24 * HOUR);
  host.end(2);
  await drain();
  assert.deepEqual(sent, [
    {
      url: "https://hooks.test/1",
      event: "changed",
      body: {
        event: "changed",
        project: { id: 1, domain: "example.com", url: "https://example.com/" },
        crawl: { id: 2, state: "completed", message: null, pagesCrawled: 5, durationMs: 1_000 },
        changes: { previousId: 1, added: 2, gone: 0, notCrawled: 0, changed: 1, removed: 0 },
        dueAt: "2026-11-17T06:00:00.000Z",
      },
    },
  ]);
  assert.equal(lastRun(world).webhook, "sent (200)");
});

test("schedule: a message is tried again with growing pauses, survives a restart, and is given up in the end", async (t) => {
  const path = registryPath(t);
  const clock = new FakeClock(MIDNIGHT);
  const tries: number[] = [];
  const post: Post = async () => {
    tries.push(clock.now() - MIDNIGHT - 6 * HOUR);
    throw new Error("connect ECONNREFUSED");
  };
  const before = startProcess(t, path, clock, { post });
  before.schedules.set({ projectId: 1, ...DAILY, webhook: "https://hooks.test/1" });
  await clock.advance(6 * HOUR);
  before.host.end(1, "failed", "nothing answered");
  await drain();
  await clock.advance(60_000);
  await before.scheduler.close();
  const after = startProcess(t, path, clock, { post });
  await clock.advance(2 * HOUR);
  assert.deepEqual(tries, [0, 10_000, 50_000, 210_000, 850_000, 3_410_000]);
  assert.equal(lastRun(after).webhook, "given up after 6 attempts: connect ECONNREFUSED");
});

test("schedule: a receiver that refuses gets no further attempt", async (t) => {
  let asked = 0;
  const post: Post = async () => {
    asked++;
    return 410;
  };
  const world = startProcess(t, registryPath(t), new FakeClock(MIDNIGHT), { post });
  world.schedules.set({ projectId: 1, ...DAILY, webhook: "https://hooks.test/1" });
  world.host.failStart = new Error("no such site");
  await world.clock.advance(10 * HOUR);
  assert.equal(asked, 1);
  assert.equal(lastRun(world).webhook, "given up after 1 attempt: answered 410");
  assert.deepEqual(world.problems, ["schedule of project 1: no such site"]);
});

test("webhook: posts JSON to a real server", async (t) => {
  let got = "";
  const server = createServer(async (request, response) => {
    for await (const chunk of request) got += chunk;
    got += ` ${request.method} ${request.headers["content-type"]} ${request.headers["x-trawl-event"]}`;
    response.writeHead(202).end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const learned: string[] = [];
  const receiver = { classes: null, learn: (classes: readonly string[]) => void learned.push(...classes) };
  const url = `http://127.0.0.1:${port}/hook`;
  assert.equal(await postJson(url, '{"a":1}', { "x-trawl-event": "changed" }, receiver), 202);
  assert.equal(got, '{"a":1} POST application/json changed');
  assert.deepEqual(learned, ["loopback"]);
});

test("webhook: a receiver on the internet that turns up at a private address is refused", async (t) => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked++;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const receiver = { classes: ["public" as const], learn: () => assert.fail("it must not answer") };
  await assert.rejects(postJson(`http://localhost:${port}/`, "{}", {}, receiver), { code: "private_address" });
  assert.equal(asked, 0);
});

test("webhook: where a receiver first answered is remembered, until a person names it again", async (t) => {
  const seen: Receiver["classes"][] = [];
  const post: Post = async (_url, _body, _headers, receiver) => {
    seen.push(receiver.classes);
    receiver.learn([seen.length > 2 ? "private" : "public"]);
    return 500;
  };
  const world = startProcess(t, registryPath(t), new FakeClock(MIDNIGHT), { post });
  const rule = { projectId: 1, ...DAILY, webhook: "https://hooks.test/1" };
  world.schedules.set(rule);
  world.host.failStart = new Error("no such site");
  await world.clock.advance(6 * HOUR + 60_000);
  assert.deepEqual(seen, [null, ["public"], ["public"]]);
  world.schedules.set(rule);
  await world.clock.advance(HOUR);
  assert.deepEqual(seen.slice(3), [null, ["private"], ["private"]]);
});
