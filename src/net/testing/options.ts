/** Client options for tests: generous limits, private addresses allowed, nothing else switched on. */
import type { TestContext } from "node:test";
import { systemClock } from "../../kernel/clock.ts";
import { type FetchLimits, HttpClient, type HttpClientOptions } from "../client.ts";

export const TEST_LIMITS: FetchLimits = {
  wireBytes: 4 << 20,
  decodedBytes: 8 << 20,
  totalMs: 20_000,
  connectMs: 10_000,
  headersMs: 10_000,
  idleMs: 10_000,
  minBytesPerSecond: 0,
  minRateGraceMs: 10_000,
  headerBytes: 16 << 10,
};

export type TestOverrides = Partial<Omit<HttpClientOptions, "limits">> & { limits?: Partial<FetchLimits> };

export function testOptions(overrides: TestOverrides = {}): HttpClientOptions {
  return {
    userAgent: "trawl-test",
    headers: {},
    cookies: null,
    proxy: null,
    connectTo: [],
    ca: null,
    insecure: false,
    http2: false,
    connectionsPerOrigin: 64,
    keepAliveMs: 5_000,
    allowPrivate: true,
    cacheDir: null,
    cacheMaxAgeMs: 60_000,
    clock: systemClock,
    ...overrides,
    limits: { ...TEST_LIMITS, ...overrides.limits },
  };
}

/** A client that is destroyed when the test ends. */
export function testClient(context: TestContext, overrides: TestOverrides = {}): HttpClient {
  const client = new HttpClient(testOptions(overrides));
  context.after(() => client.destroy());
  return client;
}
