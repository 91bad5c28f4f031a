import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  badAnswers,
  hostReasonLabel,
  hostStateLabel,
  reasonLabel,
  statusShares,
  timeLeft,
  waitText,
} from "./live-figures.ts";

describe("the live screen", () => {
  it("counts every answer once", () => {
    const shares = statusShares(
      [
        { value: 200, count: 7 },
        { value: 204, count: 1 },
        { value: 404, count: 2 },
      ],
      3,
    );
    assert.deepEqual(
      shares.filter(({ value }) => value > 0).map(({ id, value }) => [id, value]),
      [
        ["2xx", 8],
        ["4xx", 2],
        ["error", 3],
      ],
    );
  });

  it("does not count failures twice when they come as status 0", () => {
    const shares = statusShares([{ value: 0, count: 3 }], 3);
    assert.equal(shares.find(({ id }) => id === "error")?.value, 3);
  });

  it("guesses the time left only when it can", () => {
    assert.equal(timeLeft(100, 10), 10_000);
    assert.equal(timeLeft(100, 0), null);
    assert.equal(timeLeft(0, 10), null);
  });

  it("says how long a host waits", () => {
    assert.equal(waitText({ nextAt: 61_000, state: "throttled" }, 1_000), "1 min to go");
    assert.equal(waitText({ nextAt: 1_200, state: "waiting" }, 1_000), "");
    assert.equal(waitText({ nextAt: 61_000, state: "given_up" }, 1_000), "");
    assert.equal(hostStateLabel("throttled"), "Told to slow down");
    assert.match(hostReasonLabel("crawl_delay"), /robots\.txt/);
    assert.equal(hostReasonLabel("something new"), "something new");
    assert.equal(hostReasonLabel(null), "");
  });

  it("reads codes as words", () => {
    assert.equal(reasonLabel("max_urls_per_host"), "Max URLs per host");
    assert.equal(reasonLabel("robots_disallow"), "robots.txt disallow");
    assert.equal(reasonLabel("dns_not_found"), "DNS not found");
  });
});

it("counts answers that say something is wrong", () => {
  assert.equal(
    badAnswers([
      { value: 200, count: 5 },
      { value: 404, count: 2 },
      { value: 503, count: 1 },
    ]),
    3,
  );
});
