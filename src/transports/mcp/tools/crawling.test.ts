import assert from "node:assert/strict";
import { test } from "node:test";
import type { App } from "../../../app/app.ts";
import type { AppEvent, EventListener } from "../../../app/events.ts";
import { drain, FakeClock } from "../../../kernel/testing/fake-clock.ts";
import { waitForChange } from "./crawling.ts";

/** An app with one crawl, whose state a test changes. */
function crawlOf(state: string) {
  const progress = { state, urlsCrawled: 0, open: 10 };
  const listeners = new Set<EventListener>();
  const app = {
    activeCrawls: { live: () => ({ progress: { ...progress } }) },
    events: {
      subscribe(listener: EventListener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
  } as unknown as App;
  const emit = (type: AppEvent["type"]) => {
    for (const listener of [...listeners]) listener({ type, crawlId: 7, projectId: 1 });
  };
  return { app, progress, emit, listeners };
}

function waiting(app: App, ms: number) {
  const clock = new FakeClock();
  const abort = new AbortController();
  const told: number[] = [];
  const progress = async (done: number) => void told.push(done);
  const ended = waitForChange({ app, clock, signal: abort.signal, progress }, [7], ms);
  return { clock, abort, told, ended };
}

test("a crawl that rests is not waited for", async () => {
  const { app } = crawlOf("paused");
  await waiting(app, 60_000).ended;
});

test("the end of an own crawl is told by its event", async () => {
  const { app, progress, emit, listeners } = crawlOf("running");
  const { ended, told } = waiting(app, 60_000);
  await drain();
  progress.state = "completed";
  emit("crawl:completed");
  await ended;
  assert.deepEqual(told, [0]);
  assert.equal(listeners.size, 0);
});

test("a crawl of another process is looked at every second, and progress only grows", async () => {
  const { app, progress } = crawlOf("running");
  const { ended, told, clock } = waiting(app, 60_000);
  await drain();
  for (const pages of [3, 3, 8]) {
    progress.urlsCrawled = pages;
    await clock.advance(1_000);
  }
  progress.state = "completed";
  await clock.advance(1_000);
  await ended;
  assert.equal(clock.timers, 0);
  assert.deepEqual(told, [0, 3, 8]);
});

test("the time that was given is not exceeded", async () => {
  const { app } = crawlOf("running");
  const { ended, clock } = waiting(app, 2_500);
  const began = clock.now();
  await clock.settle(ended);
  assert.equal(clock.now() - began, 2_500);
});

test("a caller that goes away ends the waiting, and nothing is left behind", async () => {
  const { app, listeners } = crawlOf("running");
  const { ended, abort, clock } = waiting(app, 60_000);
  await drain();
  abort.abort();
  await assert.rejects(ended, { name: "AbortError" });
  assert.deepEqual([listeners.size, clock.timers], [0, 0]);
});

/** An app with several crawls, each in the state that a test gives it. */
function crawlsOf(states: Record<number, string>): App {
  const live = (id: number) => ({ progress: { crawlId: id, state: states[id], urlsCrawled: id, open: 1 } });
  return { activeCrawls: { live }, events: { subscribe: () => () => {} } } as unknown as App;
}

test("of several crawls, the first that ends is told, and the others are not waited for", async () => {
  const states: Record<number, string> = { 1: "running", 2: "running" };
  const clock = new FakeClock();
  const told: [number, number, string][] = [];
  const progress = async (...said: [number, number, string]) => void told.push(said);
  const { signal } = new AbortController();
  const changed = waitForChange({ app: crawlsOf(states), clock, signal, progress }, [1, 2], 60_000);
  await drain();
  states[2] = "completed";
  await clock.advance(1_000);
  assert.deepEqual(
    (await changed).map(({ crawlId, state }) => [crawlId, state]),
    [[2, "completed"]],
  );
  assert.deepEqual(told, [[3, 5, "2 crawls running"]]);
});

test("without crawls there is nothing to wait for", async () => {
  const { signal } = new AbortController();
  const context = { app: crawlsOf({}), clock: new FakeClock(), signal, progress: async () => {} };
  assert.deepEqual(await waitForChange(context, [], 60_000), []);
});
