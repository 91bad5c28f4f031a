import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TrawlError } from "../../errors.ts";
import { nextTime, nextTimes } from "./cron.ts";

const at = (text: string): number => Date.parse(text);

test("cron: times in a time zone, and over the change to summer time", () => {
  const rule = { cron: "30 6 * * *", timezone: "Europe/Berlin" };
  assert.deepEqual(
    nextTimes(rule, at("2026-03-27T12:00:00Z"), 3).map((time) => new Date(time).toISOString()),
    ["2026-03-28T05:30:00.000Z", "2026-03-29T04:30:00.000Z", "2026-03-30T04:30:00.000Z"],
  );
});

test("cron: names of days, nicknames, and what never comes", () => {
  const utc = (cron: string) => ({ cron, timezone: "UTC" });
  assert.equal(nextTime(utc("0 9 * * MON"), at("2026-11-16T10:00:00Z")), at("2026-11-23T09:00:00Z"));
  assert.equal(nextTime(utc("@daily"), at("2026-11-16T10:00:00Z")), at("2026-11-17T00:00:00Z"));
  assert.equal(nextTime(utc("0 0 30 2 *"), at("2026-11-16T10:00:00Z")), null);
});

test("cron: errors say what is wrong, and only TrawlErrors are ever thrown", () => {
  const refused = (cron: string, timezone: string | null, message: RegExp) =>
    assert.throws(
      () => nextTime({ cron, timezone }, 0),
      (error) => error instanceof TrawlError && message.test(error.message),
    );
  refused("* * * * * *", null, /five fields/);
  refused("61 * * * *", null, /"61 \* \* \* \*" is not a valid schedule/);
  refused(
    "0 9 * * MON",
    "Mars/Olympus",
    /^There is no time zone "Mars\/Olympus"\. Use a name such as Europe\/Berlin or UTC\.$/,
  );
  fc.assert(
    fc.property(fc.string(), (cron) => {
      try {
        nextTime({ cron, timezone: "UTC" }, 0);
      } catch (error) {
        assert.ok(error instanceof TrawlError);
      }
    }),
  );
});
