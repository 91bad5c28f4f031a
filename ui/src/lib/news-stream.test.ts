import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type CrawlEvent,
  followNews,
  hearNews,
  NewsHub,
  type NewsListener,
  type NewsMode,
  type NewsSource,
  POLL_MS,
  parseEvent,
  type Stream,
} from "./news-stream.ts";

/** Streams and a clock that the test moves. */
function fakeSource() {
  const streams: { isOpen: boolean; tell: (type: string, data?: unknown) => void }[] = [];
  const timers: { at: number; callback: () => void }[] = [];
  let now = 0;
  const source: NewsSource = {
    open: (): Stream => {
      const listeners = new Map<string, (event: { data?: unknown }) => void>();
      const stream = { isOpen: true, tell: (type: string, data?: unknown) => listeners.get(type)?.({ data }) };
      streams.push(stream);
      return {
        addEventListener: (type, listener) => listeners.set(type, listener),
        close: () => {
          stream.isOpen = false;
        },
      };
    },
    after: (ms, callback) => {
      const timer = { at: now + ms, callback };
      timers.push(timer);
      return () => timers.splice(timers.indexOf(timer), timers.includes(timer) ? 1 : 0);
    },
    random: () => 1,
  };
  const pass = (ms: number) => {
    const end = now + ms;
    for (;;) {
      const next = timers.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      timers.splice(timers.indexOf(next), 1);
      now = next.at;
      next.callback();
    }
    now = end;
  };
  return { source, streams, timers, pass };
}

function fakeListener() {
  const modes: NewsMode[] = [];
  const events: CrawlEvent[] = [];
  let polls = 0;
  const listener: NewsListener = {
    onEvent: (event) => events.push(event),
    onMode: (mode) => modes.push(mode),
    onPoll: () => polls++,
  };
  return { listener, modes, events, polls: () => polls };
}

function scene() {
  const source = fakeSource();
  const heard = fakeListener();
  return { ...source, ...heard, stop: followNews(source.source, heard.listener) };
}

describe("followNews", () => {
  it("passes on events while the stream is up, and does not poll", () => {
    const { streams, modes, events, pass, polls } = scene();
    streams[0]!.tell("open");
    streams[0]!.tell("crawl:progress", '{"crawlId":3,"projectId":1}');
    pass(60_000);
    assert.deepEqual(modes, ["connecting", "live"]);
    assert.deepEqual(events, [{ type: "crawl:progress", crawlId: 3, projectId: 1 }]);
    assert.equal(polls(), 0);
  });

  it("polls every two seconds without a stream, and reconnects later each time", () => {
    const { streams, modes, pass, polls } = scene();
    streams[0]!.tell("error");
    assert.equal(modes.at(-1), "polling");
    pass(POLL_MS * 3);
    assert.equal(polls(), 3);
    assert.equal(streams.length, 2, "tried again after one second");
    streams[1]!.tell("error");
    pass(1_999);
    assert.equal(streams.length, 2);
    pass(1);
    assert.equal(streams.length, 3, "tried again after two");
    for (let failure = 0; failure < 10; failure++) {
      streams.at(-1)!.tell("error");
      pass(30_000);
    }
    assert.equal(streams.length, 13, "never more than 30 seconds apart");
  });

  it("catches up once when the stream is back, and stops polling", () => {
    const { streams, modes, pass, polls } = scene();
    streams[0]!.tell("error");
    pass(1_000);
    streams[1]!.tell("open");
    assert.equal(modes.at(-1), "live");
    assert.equal(polls(), 1);
    pass(60_000);
    assert.equal(polls(), 1);
  });

  it("ends with nothing open and nothing pending", () => {
    const { streams, timers, stop, pass } = scene();
    streams[0]!.tell("error");
    pass(1_000);
    stop();
    assert.deepEqual(
      streams.map(({ isOpen }) => isOpen),
      [false, false],
    );
    assert.equal(timers.length, 0);
    streams[1]!.tell("error");
    assert.equal(timers.length, 0, "a late error of a closed stream starts nothing");
  });
});

describe("parseEvent", () => {
  it("accepts only events", () => {
    for (const data of ["", "null", "{}", '{"crawlId":"1","projectId":2}', "<html>", undefined]) {
      assert.equal(parseEvent("crawl:started", data), null);
    }
  });
});

describe("NewsHub", () => {
  const tab = (hub: NewsHub) => {
    const heard = fakeListener();
    return { ...heard, leave: hub.join((message) => hearNews(message, heard.listener)) };
  };

  it("opens one stream for any number of tabs, and all of them hear its events", () => {
    const { source, streams } = fakeSource();
    const hub = new NewsHub(source);
    const first = tab(hub);
    streams[0]!.tell("open");
    const second = tab(hub);
    streams[0]!.tell("crawl:started", '{"crawlId":3,"projectId":1}');
    assert.equal(streams.length, 1);
    assert.deepEqual(first.modes, ["connecting", "live"]);
    assert.deepEqual(second.modes, ["live"], "a tab that comes later learns how things are");
    assert.equal(first.events.length, 1);
    assert.deepEqual(second.events, first.events);
  });

  it("keeps the stream while there is a tab, closes it after the last one, and opens another for the next", () => {
    const { source, streams, timers } = fakeSource();
    const hub = new NewsHub(source);
    const first = tab(hub);
    const second = tab(hub);
    first.leave();
    first.leave();
    streams[0]!.tell("crawl:started", '{"crawlId":3,"projectId":1}');
    assert.equal(first.events.length, 0);
    assert.equal(second.events.length, 1);
    second.leave();
    assert.equal(streams[0]!.isOpen, false);
    assert.equal(timers.length, 0);
    const third = tab(hub);
    assert.equal(streams.length, 2);
    assert.deepEqual(third.modes, ["connecting"]);
  });

  it("has every tab poll while the stream is down", () => {
    const { source, streams, pass } = fakeSource();
    const hub = new NewsHub(source);
    const tabs = [tab(hub), tab(hub)];
    streams[0]!.tell("error");
    pass(POLL_MS);
    assert.deepEqual(
      tabs.map(({ polls }) => polls()),
      [1, 1],
    );
  });
});
