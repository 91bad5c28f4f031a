import assert from "node:assert/strict";
import { test } from "node:test";
import { END_STATES } from "../../site/crawl-end.ts";
import { messageOf, type RunReport } from "./webhooks.ts";

const RULE = {
  ...{ cron: "0 3 * * *", timezone: "UTC", jitterSeconds: 0, isEnabled: true, webhook: "https://hook.test/" },
  notifyOn: ["changed", "failed", "completed"] as ("changed" | "failed" | "completed")[],
};
const PROJECT = { id: 1, domain: "a.test", url: "https://a.test/" };
const CHANGES = { previousId: 1, added: 1, gone: 0, notCrawled: 0, changed: 0, removed: 0 };

const eventFor = (state: (typeof END_STATES)[number], changes: RunReport["changes"] = null) => {
  const ending = { state, message: null, pagesCrawled: 1, durationMs: 1 };
  return messageOf(RULE, { project: PROJECT, crawlId: 2, dueAt: 0, ending, changes })?.event ?? null;
};

test("webhooks: each way to end a crawl has its event, and a stopped crawl has none", () => {
  assert.deepEqual(Object.fromEntries(END_STATES.map((state) => [state, eventFor(state)])), {
    completed: "completed",
    limit_reached: "completed",
    stopped: null,
    paused: "failed",
    blocked: "failed",
    failed: "failed",
  });
  assert.deepEqual([eventFor("completed", CHANGES), eventFor("limit_reached", CHANGES)], ["changed", "changed"]);
});
