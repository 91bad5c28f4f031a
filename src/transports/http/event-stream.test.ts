import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../kernel/testing/fake-clock.ts";
import { EventStream } from "./event-stream.ts";

const event = (crawlId: number) => ({ type: "crawl:progress" as const, crawlId, projectId: 1 });

/** Reads what is there; what a stream has not sent yet is not waited for. */
function reading(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  return { next: async () => decoder.decode((await reader.read()).value), reader };
}

test("an event carries its name, an id and who it is about", async () => {
  const events = new EventStream(new FakeClock(), "a1");
  const { next } = reading(events.open(null, assert.fail));
  assert.equal(await next(), "retry: 2000\n\n");
  events.send(event(7));
  assert.equal(await next(), 'id: a1-1\nevent: crawl:progress\ndata: {"crawlId":7,"projectId":1}\n\n');
});

test("a reader who was away gets what came after the last that it saw", async () => {
  const events = new EventStream(new FakeClock(), "a1");
  for (let id = 1; id <= 4; id++) events.send(event(id));
  const missed = await reading(events.open("a1-2", assert.fail)).next();
  assert.deepEqual(
    [...missed.matchAll(/^id: (.+)$/gm)].map(([, id]) => id),
    ["a1-3", "a1-4"],
  );
  for (const unknown of [null, "", "a1-", "b2-1", "a1-x", "a1-99", "-1"]) {
    assert.equal(await reading(events.open(unknown, assert.fail)).next(), "retry: 2000\n\n", String(unknown));
  }
});

test("only the last events are kept", async () => {
  const events = new EventStream(new FakeClock(), "a1");
  for (let id = 1; id <= 1_000; id++) events.send(event(id));
  const missed = await reading(events.open("a1-1", assert.fail)).next();
  assert.equal([...missed.matchAll(/^id: /gm)].length, 256);
});

test("silence is broken every fifteen seconds, while somebody listens", async () => {
  const clock = new FakeClock();
  const events = new EventStream(clock, "a1");
  const { next, reader } = reading(events.open(null, assert.fail));
  await next();
  for (let beat = 0; beat < 3; beat++) {
    await clock.advance(15_000);
    assert.equal(await next(), ": still here\n\n");
  }
  await reader.cancel();
  assert.equal(events.readers, 0);
  assert.equal(clock.timers, 0);
});

test("a reader that stops reading is dropped, and the others are not", async () => {
  const events = new EventStream(new FakeClock(), "a1");
  let dropped = 0;
  const stuck = events.open(null, () => dropped++);
  const { next } = reading(events.open(null, assert.fail));
  await next();
  for (let id = 1; id <= 2_000; id++) {
    events.send(event(id));
    await next();
  }
  assert.equal(dropped, 1);
  assert.equal(events.readers, 1);
  let waiting = 0;
  for await (const bytes of stuck) waiting += bytes.length;
  assert.ok(waiting <= 64 * 1024 + 100, String(waiting));
});

test("closing ends every stream", async () => {
  const clock = new FakeClock();
  const events = new EventStream(clock, "a1");
  const { next, reader } = reading(events.open(null, assert.fail));
  await next();
  events.close();
  assert.equal((await reader.read()).done, true);
  assert.equal(clock.timers, 0);
  const late = reading(events.open(null, assert.fail));
  await late.next();
  assert.equal((await late.reader.read()).done, true);
});
