import assert from "node:assert/strict";
import { test } from "node:test";
import { type AppEvent, AppEvents } from "./events.ts";

const started: AppEvent = { type: "crawl:started", crawlId: 1, projectId: 2 };

test("events: every listener hears, until it ends its own subscription", () => {
  const events = new AppEvents();
  const heard: string[] = [];
  const listener = () => void heard.push("twice");
  const endFirst = events.subscribe(listener);
  events.subscribe(listener);
  events.subscribe(({ type }) => void heard.push(type));
  events.emit(started);
  assert.deepEqual(heard.splice(0), ["twice", "twice", "crawl:started"]);
  endFirst();
  endFirst();
  events.emit(started);
  assert.deepEqual(heard, ["twice", "crawl:started"]);
});

test("events: a listener that throws affects neither the crawl nor other listeners", () => {
  const problems: unknown[] = [];
  const events = new AppEvents((error) => problems.push(error));
  const wrong = new Error("wrong");
  let heard = 0;
  events.subscribe(() => {
    throw wrong;
  });
  events.subscribe(() => void heard++);
  events.emit(started);
  assert.deepEqual([heard, problems], [1, [wrong]]);
});

test("events: a listener that unsubscribes during an event gets no further events", () => {
  const events = new AppEvents();
  let heard = 0;
  const end = events.subscribe(() => {
    heard++;
    end();
  });
  events.emit(started);
  events.emit(started);
  assert.equal(heard, 1);
});
