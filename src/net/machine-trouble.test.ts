import assert from "node:assert/strict";
import { test } from "node:test";
import { drain, FakeClock } from "../kernel/testing/fake-clock.ts";
import { FetchError } from "./fetch-errors.ts";
import type { HttpResponse } from "./http-types.ts";
import { MACHINE_PATIENCE_MS, MachineTrouble } from "./machine-trouble.ts";

const PAGE = new URL("https://example.com/page");
const answerFrom = (remoteAddress: string): HttpResponse => ({ status: 200, remoteAddress }) as HttpResponse;
const failure = (code: string): FetchError => new FetchError("connect_failed", code);

/** A machine whose route and name server the test breaks. */
function machine() {
  const clock = new FakeClock();
  const said: (string | null)[] = [];
  const state = { isConnected: true, isResolving: true, freed: 0 };
  const trouble = new MachineTrouble({
    clock,
    monotonic: clock.now.bind(clock),
    lookup: async (hostname) => {
      if (!state.isResolving) throw Object.assign(new Error(hostname), { code: "EAI_AGAIN" });
      return [{ address: "93.184.216.34", family: 4 }];
    },
    hasRoute: async () => state.isConnected,
    onShortage: () => {
      state.freed++;
    },
    onChange: (text) => said.push(text),
  });
  /** One fetch that fails with these codes, one after the other, and then succeeds. */
  const run = (codes: string[], url = PAGE, signal?: AbortSignal) =>
    trouble.run(url, signal, async () => {
      const code = codes.shift();
      if (code !== undefined) throw failure(code);
      return answerFrom("93.184.216.34");
    });
  return { clock, said, state, trouble, run };
}

for (const code of ["EMFILE", "ENFILE", "ENOMEM", "ENOBUFS"]) {
  test(`machine trouble: ${code} is ours: the fetch waits and is sent again, and it is said`, async () => {
    const { clock, said, state, run } = machine();
    const response = run([code, code]);
    await clock.advance(1_000);
    assert.equal((await response).status, 200);
    assert.deepEqual([said.length, state.freed], [1, 2]);
    assert.match(said[0]!, new RegExp(code));
    await clock.advance(5_000);
    await run([]);
    assert.equal(said.at(-1), null);
  });
}

test("machine trouble: fewer at once after a shortage, and more again when it works", async () => {
  const { clock, trouble } = machine();
  let running = 0;
  let most = 0;
  let isShort = true;
  const fetches = Array.from({ length: 64 }, () =>
    trouble.run(PAGE, undefined, async () => {
      most = Math.max(most, ++running);
      await clock.sleep(10);
      running--;
      if (isShort) throw failure("EMFILE");
      return answerFrom("93.184.216.34");
    }),
  );
  await clock.advance(20);
  assert.equal(most, 64);
  isShort = false;
  most = 0;
  await clock.advance(20_000);
  await Promise.all(fetches);
  assert.ok(most < 32, String(most));
});

test("machine trouble: what does not pass ends with our error, not with the host's", async () => {
  const { clock, run } = machine();
  const codes = Array.from({ length: 1_000 }, () => "EMFILE");
  const ended = assert.rejects(run(codes), { code: "MACHINE_TROUBLE", message: /raise the limit with `ulimit -n`/ });
  await clock.advance(MACHINE_PATIENCE_MS + 10_000);
  await ended;
});

test("machine trouble: a network that is lost is ours; a host without a route is not", async () => {
  const { clock, state, said, run } = machine();
  await assert.rejects(run(["ENETUNREACH"]), { code: "connect_failed" }, "nobody has answered yet");
  await run([]);
  await assert.rejects(run(["ENETUNREACH"]), { code: "connect_failed" }, "others can be reached");
  state.isConnected = false;
  const response = run(["ENETUNREACH", "ENETDOWN"], new URL("https://other.test/"));
  await clock.advance(1_000);
  assert.equal((await response).status, 200);
  assert.deepEqual(said, ["This machine has lost its network."]);
});

test("machine trouble: a dead name server is ours; a name that it cannot look up is not", async () => {
  const { clock, state, run } = machine();
  await run([]);
  await assert.rejects(run(["EAI_AGAIN"], new URL("https://other.test/")), { detail: "EAI_AGAIN" });
  state.isResolving = false;
  const response = run(["EAI_AGAIN"], new URL("https://other.test/"));
  await clock.advance(1_000);
  assert.equal((await response).status, 200);
});

test("machine trouble: an address that cannot be had is ours only for a host that answered", async () => {
  const { clock, run } = machine();
  await assert.rejects(run(["EADDRNOTAVAIL"]), { detail: "EADDRNOTAVAIL" });
  await run([]);
  const response = run(["EADDRNOTAVAIL"]);
  await clock.advance(1_000);
  assert.equal((await response).status, 200);
});

test("machine trouble: what waits ends with its signal, and with its client", async () => {
  const { clock, trouble, run } = machine();
  const abort = new AbortController();
  const aborted = assert.rejects(run(["EMFILE"], PAGE, abort.signal), { code: "aborted" });
  await drain();
  abort.abort();
  await aborted;
  const closed = assert.rejects(run(["EMFILE"]), { code: "closed" });
  await drain();
  trouble.destroy(new FetchError("closed"));
  await closed;
  assert.equal(clock.timers, 0);
});
