/** A partition that is paused and resumed while its crawl still starts runs in the end, and one that is only paused does not. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { HeldPart, type PartCrawl } from "./held-part.ts";

function starting() {
  const started = Promise.withResolvers<PartCrawl>();
  const calls: string[] = [];
  const crawl: PartCrawl = {
    ended: new Promise(() => {}),
    progress: () => ({ crawled: 0, open: 0, errors: 0 }),
    hosts: () => [],
    parked: () => 0,
    pause: async () => void calls.push("pause"),
    resume: () => void calls.push("resume"),
    stop: async () => {},
  };
  const part = new HeldPart({ part: 0, token: "", commits: 0, isTakenOver: false });
  part.start(
    () => started.promise,
    () => {},
  );
  return { part, calls, start: () => started.resolve(crawl) };
}

it("a pause that was taken back before the crawl had started is forgotten", async () => {
  const { part, calls, start } = starting();
  const paused = part.pause();
  part.resume();
  start();
  await paused;
  assert.deepEqual(calls, []);
  await part.pause();
  part.resume();
  assert.deepEqual(calls, ["pause", "resume"]);
});

it("a crawl that starts while it is to be paused is paused", async () => {
  const { part, calls, start } = starting();
  const paused = part.pause();
  start();
  await paused;
  assert.deepEqual(calls, ["pause"]);
});
