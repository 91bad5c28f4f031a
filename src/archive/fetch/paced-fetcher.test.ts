import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { HttpRequest, HttpResponse } from "../../net/client.ts";
import { FetchError } from "../../net/fetch-errors.ts";
import { PacedFetcher } from "./paced-fetcher.ts";

/** A fetcher that is answered by hand, and a lane that notes every turn. */
function setUp(connectMs = 150) {
  const log: string[] = [];
  const answers = new Map<string, PromiseWithResolvers<void>>();
  let sockets = 0;
  const fetcher = {
    fetch: async (request: HttpRequest) => {
      const url = new URL(request.url).host;
      log.push(`sent ${url}`);
      sockets = 1;
      const answer = Promise.withResolvers<void>();
      answers.set(url, answer);
      await answer.promise;
      const timings = { dns: 0, connect: connectMs / 3, tls: (connectMs * 2) / 3 };
      return { response: { url, timings } as HttpResponse, proxyId: null };
    },
    openSockets: () => sockets,
    readyAt: () => 0,
  };
  const paced = new PacedFetcher({ fetcher, intervalMs: () => 1_000 });
  const pace = async (host: string) => void log.push(`turn ${host}`);
  return {
    log,
    answers,
    fetch: (url: string) => paced.fetch({ url: `https://${url}/` }, { pace }),
    closeAll: () => {
      sockets = 0;
    },
  };
}

describe("a paced fetcher", () => {
  it("without a connection: one opens it, and the others take another turn after its answer", async () => {
    const { fetch, log, answers } = setUp();
    const first = fetch("a");
    const others = [fetch("b"), fetch("c")];
    await setImmediate();
    assert.deepEqual(log, ["sent a"], "nothing overtakes the request that waits for TLS");
    answers.get("a")!.resolve();
    await first;
    await setImmediate();
    assert.deepEqual(log, ["sent a", "turn a", "turn b", "turn c", "sent b", "sent c"]);
    for (const url of ["b", "c"]) answers.get(url)!.resolve();
    await Promise.all(others);
  });

  it("with a connection requests go as they come; when all are closed, one opens again", async () => {
    const { fetch, log, answers, closeAll } = setUp();
    const first = fetch("a");
    answers.get("a")!.resolve();
    await first;
    log.length = 0;
    const both = [fetch("b"), fetch("c")];
    assert.deepEqual(log, ["sent b", "sent c"]);
    for (const url of ["b", "c"]) answers.get(url)!.resolve();
    await Promise.all(both);
    closeAll();
    const [opener, waits] = [fetch("d"), fetch("e")];
    assert.deepEqual(log, ["sent b", "sent c", "sent d"]);
    answers.get("d")!.resolve();
    await opener;
    await setImmediate();
    answers.get("e")!.resolve();
    await waits;
  });

  it("when it could not be opened the error is told, and the next one tries", async () => {
    const { fetch, log, answers, closeAll } = setUp();
    const first = fetch("a");
    const second = fetch("b");
    closeAll();
    answers.get("a")!.reject(new FetchError("connect_refused"));
    await assert.rejects(first, { code: "connect_refused" });
    await setImmediate();
    assert.deepEqual(log, ["sent a", "turn b", "sent b"]);
    answers.get("b")!.resolve();
    await second;
  });

  it("a connection that opens quickly, seen from the interval, costs no turn", async () => {
    const { fetch, log, answers } = setUp(40);
    const first = fetch("a");
    answers.get("a")!.resolve();
    await first;
    assert.deepEqual(log, ["sent a"]);
  });
});
