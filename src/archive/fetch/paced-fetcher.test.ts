import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { HttpRequest, HttpResponse } from "../../net/client.ts";
import { FetchError } from "../../net/fetch-errors.ts";
import { PacedFetcher } from "./paced-fetcher.ts";

/** A fetcher whose connections are opened, and whose requests are answered, by hand; and a lane that notes every turn. */
function setUp() {
  const log: string[] = [];
  const answers = new Map<string, PromiseWithResolvers<void>>();
  const openings = new Map<string, (openedMs: number) => void>();
  const connected = new Set<string>();
  const fetcher = {
    fetch: async ({ url, onSent }: HttpRequest) => {
      const { host, pathname: path } = new URL(url);
      const answer = Promise.withResolvers<void>();
      answers.set(path, answer);
      if (connected.has(host)) log.push(`sent ${path}`);
      else {
        log.push(`opens ${path}`);
        openings.set(path, (openedMs) => {
          connected.add(host);
          log.push(`sent ${path}`);
          onSent?.(openedMs);
        });
      }
      await answer.promise;
      return { response: { url } as HttpResponse, proxyId: null };
    },
    isConnected: (url: string) => connected.has(new URL(url).host),
    readyAt: () => 0,
  };
  const paced = new PacedFetcher({ fetcher, intervalMs: () => 1_000 });
  const pace = async (host: string) => void log.push(`turn ${host}`);
  return {
    log,
    answer: (path: string) => answers.get(path)!,
    fetch: (path: string, host = "a.test") => paced.fetch({ url: `https://${host}${path}` }, { pace }),
    open: (path: string, openedMs = 150) => openings.get(path)!(openedMs),
    close: () => connected.clear(),
  };
}

describe("a paced fetcher", () => {
  it("without a connection: one opens it; the others take another turn when it is sent, not when it is answered", async () => {
    const { fetch, log, answer, open } = setUp();
    const slow = fetch("/a");
    const others = [fetch("/b"), fetch("/c")];
    await setImmediate();
    assert.deepEqual(log, ["opens /a"], "nothing overtakes the request that waits for TLS");
    open("/a");
    await setImmediate();
    const turn = "turn a.test";
    assert.deepEqual(log, ["opens /a", "sent /a", turn, turn, turn, "sent /b", "sent /c"]);
    for (const path of ["/b", "/c"]) answer(path).resolve();
    await Promise.all(others);
    answer("/a").resolve();
    await slow;
  });

  it("with a connection requests go as they come; when all are closed, one opens again", async () => {
    const { fetch, log, answer, open, close } = setUp();
    void fetch("/a");
    open("/a");
    await setImmediate();
    log.length = 0;
    void fetch("/b");
    void fetch("/c");
    assert.deepEqual(log, ["sent /b", "sent /c"]);
    close();
    void fetch("/d");
    void fetch("/e");
    assert.deepEqual(log, ["sent /b", "sent /c", "opens /d"]);
    open("/d");
    await setImmediate();
    assert.equal(log.at(-1), "sent /e");
    for (const path of ["/a", "/b", "/c", "/d", "/e"]) answer(path).resolve();
  });

  it("when a connection cannot be opened, the error is reported and the next page tries again", async () => {
    const { fetch, log, answer } = setUp();
    const first = fetch("/a");
    const second = fetch("/b");
    answer("/a").reject(new FetchError("connect_refused"));
    await assert.rejects(first, { code: "connect_refused" });
    await setImmediate();
    assert.deepEqual(log, ["opens /a", "turn a.test", "opens /b"]);
    answer("/b").resolve();
    await second;
  });

  it("a host that cannot be connected to holds up no other host", async () => {
    const { fetch, log, answer, open } = setUp();
    const first = fetch("/a");
    const other = fetch("/b", "b.test");
    open("/b");
    answer("/b").resolve();
    await other;
    assert.deepEqual(log, ["opens /a", "opens /b", "sent /b", "turn b.test"]);
    answer("/a").resolve();
    await first;
  });

  it("a connection that opens quickly, seen from the interval, costs no turn", async () => {
    const { fetch, log, answer, open } = setUp();
    const first = fetch("/a");
    open("/a", 40);
    answer("/a").resolve();
    await first;
    assert.deepEqual(log, ["opens /a", "sent /a"]);
  });
});
