import assert from "node:assert/strict";
import { test } from "node:test";
import { Demo } from "./demo.ts";
import type { StartQuestion } from "./operations/crawling.ts";

test("the bundled site is served once, crawled with limits for its traps, and closed with the app", async () => {
  const asked: StartQuestion[] = [];
  const start = async (question: StartQuestion) => {
    asked.push(question);
    return { crawlId: asked.length, projectId: 1 };
  };
  const demo = new Demo({ start });
  await demo.start();
  assert.deepEqual(await demo.start(), { crawlId: 2, projectId: 1 });
  const [first, second] = asked;
  assert.equal(first!.url, second!.url);
  assert.deepEqual(first!.settings, { maxUrlsPerPattern: 30, maxQueryVariants: 30 });
  assert.equal((await fetch(first!.url!)).status, 200);
  await demo.close();
  await assert.rejects(fetch(first!.url!));
});
