/** A SourceClient for tests: real requests to loopback, turns without waiting, and time that passes at once. */
import type { TestContext } from "node:test";
import type { LaneSignal } from "../../../kernel/lane.ts";
import { testClient } from "../../../net/testing/options.ts";
import type { DidPage, DidSource } from "../did-page.ts";
import { SourceClient } from "../source-client.ts";

export interface TestSourceClient {
  client: SourceClient;
  /** The signals to the lanes, in order. */
  signals: LaneSignal["kind"][];
  waits: number[];
}

export function testSourceClient(context: TestContext): TestSourceClient {
  const http = testClient(context);
  const signals: LaneSignal["kind"][] = [];
  const waits: number[] = [];
  const client = new SourceClient({
    fetch: (request) => http.fetch(request),
    turn: async () => ({ done: ({ kind }) => void signals.push(kind) }),
    clock: {
      now: () => Date.now(),
      after: (ms, callback) => {
        waits.push(ms);
        const timer = setImmediate(callback);
        return () => clearImmediate(timer);
      },
    },
  });
  return { client, signals, waits };
}

export async function readAll(
  source: DidSource,
  from: (name: string) => string | null = () => null,
): Promise<DidPage[]> {
  const pages: DidPage[] = [];
  for await (const page of source.pages(from)) pages.push(page);
  return pages;
}
