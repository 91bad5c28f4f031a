import assert from "node:assert/strict";
import { test } from "node:test";
import { TrawlError } from "../../errors.ts";
import { FakeClock } from "../../kernel/testing/fake-clock.ts";
import { Governor } from "./governor.ts";
import type { ClientLimits } from "./limits.ts";

const governed = (limits: Partial<ClientLimits>) => {
  const clock = new FakeClock();
  const crawling = new Set<number>();
  return { clock, crawling, governor: new Governor({ clock, isCrawling: (id) => crawling.has(id), limits }) };
};
const codeOf = (error: unknown): string => (error instanceof TrawlError ? error.code : String(error));
const resultOf = (call: Promise<unknown>): Promise<unknown> => call.catch(codeOf);
const thrownBy = (call: () => unknown): string => {
  try {
    call();
    return "";
  } catch (error) {
    return codeOf(error);
  }
};
const ok = async () => "ok";

test("a client that calls too often waits, and others do not", async () => {
  const { governor, clock } = governed({ burst: 2, callsPerSecond: 10 });
  const calls = () => Promise.all([1, 2, 3].map(() => resultOf(governor.call("a", ok))));
  assert.deepEqual(await calls(), ["ok", "ok", "TOO_MANY_REQUESTS"]);
  assert.equal(await governor.call("b", ok), "ok");
  await clock.advance(100);
  assert.deepEqual(await calls(), ["ok", "TOO_MANY_REQUESTS", "TOO_MANY_REQUESTS"]);
  await clock.advance(60_000);
  assert.deepEqual(await calls(), ["ok", "ok", "TOO_MANY_REQUESTS"]);
});

test("calls under way are limited per client, and for all together", async () => {
  const { governor } = governed({ callsAtOnce: 1, allCallsAtOnce: 2 });
  const end = Promise.withResolvers<string>();
  const waiting = [governor.call("a", () => end.promise), governor.call("b", () => end.promise)];
  assert.equal(await resultOf(governor.call("a", ok)), "TOO_MANY_REQUESTS");
  assert.equal(await resultOf(governor.call("c", ok)), "SERVER_BUSY");
  end.reject(new Error("failed"));
  await Promise.allSettled(waiting);
  assert.equal(await governor.call("a", ok), "ok");
});

test("streams are counted until they are closed, and closing one twice counts once", () => {
  const { governor } = governed({ streams: 2, allStreams: 3 });
  const close = governor.openStream("a");
  governor.openStream("a");
  assert.equal(
    thrownBy(() => governor.openStream("a")),
    "TOO_MANY_REQUESTS",
  );
  close();
  close();
  governor.openStream("a");
  assert.equal(
    thrownBy(() => governor.openStream("a")),
    "TOO_MANY_REQUESTS",
  );
  governor.openStream("b");
  assert.equal(
    thrownBy(() => governor.openStream("b")),
    "SERVER_BUSY",
  );
});

test("crawls count for the client whose request starts them, from the first moment to their end", async () => {
  const { governor, crawling } = governed({ crawls: 2, allCrawls: 3 });
  const start = (client: string, id: number | null) =>
    resultOf(
      governor.call(client, async () => {
        const started = governor.admitCrawl();
        await null;
        if (id !== null) crawling.add(id);
        started(id);
        return id;
      }),
    );
  assert.deepEqual(await Promise.all([start("a", 1), start("a", 2), start("a", 3)]), [1, 2, "TOO_MANY_REQUESTS"]);
  crawling.delete(1);
  // One that could not be started counts no longer.
  assert.deepEqual([await start("a", null), await start("a", 4), await start("a", 5)], [null, 4, "TOO_MANY_REQUESTS"]);
  assert.deepEqual([await start("b", 6), await start("b", 7)], [6, "SERVER_BUSY"]);
  // Outside a request, such as for a schedule, nothing is counted.
  governor.admitCrawl()(8);
});

test("clients without anything under way are forgotten, so that their number does not matter", async () => {
  const { governor } = governed({ streams: 1 });
  governor.openStream("kept");
  for (let client = 0; client < 5_000; client++) await governor.call(`client ${client}`, ok);
  assert.equal(
    thrownBy(() => governor.openStream("kept")),
    "TOO_MANY_REQUESTS",
  );
});
