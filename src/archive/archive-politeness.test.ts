import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { aTask } from "../kernel/testing/samples.ts";
import { CALM_DOWN, FetchError } from "../net/fetch-errors.ts";
import type { HeaderPairs } from "../net/headers.ts";
import type { HttpResponse } from "../net/http-types.ts";
import { archiveLanePolicy, hostSignal, retryAt, retryMs } from "./archive-politeness.ts";
import { archiveConfigSchema } from "./config/archive-config.ts";

const { limits } = archiveConfigSchema.parse({ user_agent: "test/1.0 (+https://example.com)" });
const NOW = Date.UTC(2026, 0, 1);
const answer = (status: number, headers: HeaderPairs = []): HttpResponse => ({ status, headers }) as HttpResponse;
const signal = (status: number, retryAfter?: string, random = 0) =>
  hostSignal(answer(status, retryAfter === undefined ? [] : [["retry-after", retryAfter]]), limits, NOW, () => random);

describe("what an answer says about its host", () => {
  it("429, and any refusal with a Retry-After, asks for a rest", () => {
    for (const [status, retryAfter] of [[429], [429, "10"], [503, "10"], [500, "10"], [403, "10"]] as const) {
      assert.equal(signal(status, retryAfter).kind, "throttled", `${status} ${retryAfter}`);
    }
    assert.deepEqual(
      [200, 404, 403, 500, 503].map((status) => signal(status).kind),
      ["ok", "neutral", "neutral", "neutral", "overloaded"],
    );
    assert.equal(hostSignal(new FetchError("reset", CALM_DOWN), limits, NOW, () => 0).kind, "throttled");
    assert.equal(hostSignal(new FetchError("reset"), limits, NOW, () => 0).kind, "unreachable");
  });

  it("a rest is never shorter than asked, and at most a quarter or the cap longer", () => {
    const forMs = (retryAfter: string, random: number) => {
      const told = signal(429, retryAfter, random);
      return told.kind === "throttled" ? told.forMs : assert.fail();
    };
    assert.equal(forMs("10", 0), 10_000);
    assert.equal(forMs("10", 0.9999), 10_000 + 2_500 * 0.9999);
    assert.equal(forMs("3600", 0.5), 3_604_000);
    assert.equal(forMs("Thu, 01 Jan 2026 00:05:00 GMT", 0), 300_000);
    assert.equal(forMs("0", 0), null, "then the back-off is ours");
    assert.equal(forMs("soon", 0), null);
  });

  it("our own back-off has a jitter of 0.75 to 1.25", () => {
    for (const [random, jitter] of [
      [0, 0.75],
      [0.5, 1],
      [0.9999, 1.24995],
    ] as const) {
      const told = signal(429, undefined, random);
      assert.ok(told.kind === "throttled" && Math.abs(told.jitter! - jitter) < 1e-9);
    }
    const { throttledMs, maxOwnThrottledMs } = archiveLanePolicy(limits, 0);
    assert.deepEqual([throttledMs, maxOwnThrottledMs], [limits.backoff_base_ms, limits.backoff_cap_ms]);
  });
});

describe("the wait before a retry", () => {
  it("doubles, times 0.75 to 1.25, and is never longer than the cap", () => {
    const waits = (random: number) => [1, 2, 3, 4, 5, 6].map((attempts) => retryMs(attempts, limits, () => random));
    assert.deepEqual(waits(0), [375, 750, 1_500, 3_000, 6_000, 6_000]);
    assert.deepEqual(waits(0.5), [500, 1_000, 2_000, 4_000, 8_000, 8_000]);
    assert.ok(waits(0.9999).every((ms) => ms <= limits.backoff_cap_ms));
  });

  it("ends with the last retry, and does not begin for what no retry can change", () => {
    const at = (attempt: number, status: number) =>
      retryAt(aTask(1, { attempt }), answer(status), limits, NOW, () => 0.5);
    assert.deepEqual([at(0, 500), at(2, 503), at(3, 503), at(0, 404)], [NOW + 500, NOW + 2_000, null, null]);
  });
});

it("a host that stops answering is probed for about as long as a host may rest", () => {
  assert.equal(archiveLanePolicy({ ...limits, max_rest_sec: 1 }, 0).giveUpAfter, 1);
  assert.equal(archiveLanePolicy({ ...limits, max_rest_sec: 150 }, 0).giveUpAfter, 4);
  assert.equal(archiveLanePolicy(limits, 0).giveUpAfter, 11);
});
