import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type CrawlEvent, followNews, type NewsMode, POLL_MS, parseEvent, type Stream, staleAfter } from "./news.ts";

/** A stream and a clock that the test moves. */
function scene() {
  const streams: { isOpen: boolean; tell: (type: string, data?: unknown) => void }[] = [];
  const timers: { at: number; callback: () => void }[] = [];
  const modes: NewsMode[] = [];
  const events: CrawlEvent[] = [];
  let now = 0;
  let polls = 0;
  const stop = followNews({
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
    onEvent: (event) => events.push(event),
    onMode: (mode) => modes.push(mode),
    onPoll: () => polls++,
  });
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
  return { streams, timers, modes, events, pass, stop, polls: () => polls };
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

const event = (type: "crawl:progress" | "crawl:completed") => ({ type, crawlId: 7, projectId: 2 });

describe("staleAfter", () => {
  it("refetches only the progress while a crawl runs", () => {
    assert.deepEqual(staleAfter(event("crawl:progress"), false), [["active"], ["crawl", 7, "live"]]);
  });

  it("refetches its results now and then, but not the projects", () => {
    assert.deepEqual(staleAfter(event("crawl:progress"), true), [["active"], ["crawl", 7]]);
  });

  it("refetches everything that a finished crawl affects", () => {
    assert.deepEqual(staleAfter(event("crawl:completed"), false), [
      ["active"],
      ["crawl", 7],
      ["projects"],
      ["project", 2],
      ["schedules"],
    ]);
  });
});
