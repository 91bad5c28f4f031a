import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RecentFailures } from "./recent-failures.ts";

describe("recent failures", () => {
  const failure = (at: number) => ({ url: `https://example.com/${at}`, error: null, status: 404, at });
  const times = (failures: RecentFailures) => failures.list().map(({ at }) => at);

  it("are listed newest first, and at most fifty are kept", () => {
    const failures = new RecentFailures();
    assert.deepEqual(failures.list(), []);
    failures.add(failure(1));
    failures.add(failure(2));
    assert.deepEqual(times(failures), [2, 1]);
    for (let at = 3; at <= 130; at++) failures.add(failure(at));
    assert.deepEqual(
      times(failures),
      Array.from({ length: 50 }, (_, index) => 130 - index),
    );
  });
});
