import assert from "node:assert/strict";
import { test } from "node:test";
import { draftOf, draftProblems, presetLabel, ruleOf } from "./schedule-draft.ts";

test("a new schedule can be saved as it stands", () => {
  const draft = draftOf(null);
  assert.deepEqual(draftProblems(draft), { timezone: null, jitter: null, webhook: null });
  assert.deepEqual(ruleOf(draft), {
    cron: "0 3 * * 1",
    timezone: null,
    jitterSeconds: 300,
    isEnabled: true,
    webhook: null,
    notifyOn: ["changed", "failed"],
  });
});

test("what is saved comes back the same", () => {
  const rule = {
    cron: "*/5 * * * *",
    timezone: "Europe/Berlin",
    jitterSeconds: 90,
    isEnabled: false,
    webhook: "https://hooks.example/x",
    notifyOn: ["failed" as const],
  };
  const schedule = {
    ...rule,
    projectId: 1,
    domain: "a",
    url: "https://a/",
    nextRunAt: null,
    nextRuns: [],
    lastRuns: [],
  };
  assert.deepEqual(ruleOf(draftOf(schedule)), rule);
});

test("problems are reported before anything is sent", () => {
  const draft = draftOf(null);
  assert.match(draftProblems({ ...draft, timezone: "Mars/Base" }).timezone!, /no such time zone/);
  assert.equal(draftProblems({ ...draft, timezone: " Europe/Berlin " }).timezone, null);
  assert.match(draftProblems({ ...draft, jitterMinutes: Number.NaN }).jitter!, /Between/);
  assert.match(draftProblems({ ...draft, jitterMinutes: 1_441 }).jitter!, /Between/);
  for (const webhook of ["ftp://x", "hooks.example", "javascript:alert(1)", "http://"]) {
    assert.notEqual(draftProblems({ ...draft, webhook }).webhook, null, webhook);
  }
  assert.equal(draftProblems({ ...draft, webhook: " https://hooks.example/a " }).webhook, null);
});

test("known expressions have words", () => {
  assert.equal(presetLabel(" 0 3 * * * "), "Every day at 3:00");
  assert.equal(presetLabel("1 2 3 4 5"), null);
});
