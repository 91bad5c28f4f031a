import assert from "node:assert/strict";
import { test } from "node:test";
import { Admission } from "./admission.ts";
import type { Committer } from "./commit.ts";
import { Meters } from "./meters.ts";
import type { CrawlContext, Product } from "./product.ts";
import type { Admitted, Found, Task } from "./task.ts";
import { CRAWL, type Verdict } from "./verdict.ts";

const NOFOLLOW: Verdict = { action: "skip", reason: "NOFOLLOW", rule: "a link" };
const TOO_DEEP: Verdict = { action: "skip", reason: "TOO_DEEP", rule: "depth 3" };

/** Offers one key as often as there are verdicts, which the gate gives one after another. */
function offerWith(...verdicts: Verdict[]) {
  const admitted: Admitted[] = [];
  const queued: Task[] = [];
  const meters = new Meters();
  const admission = new Admission<null>({
    product: {
      gate: () => verdicts.shift()!,
      provisionalReasons: new Set(["NOFOLLOW"]),
      laneOf: () => "lane",
    } as unknown as Product<null>,
    committer: { admit: (one: Admitted) => admitted.push(one) } as unknown as Committer<null>,
    meters,
    context: {} as CrawlContext,
    queue: (task) => queued.push(task),
  });
  const found: Found = { key: "key", depth: 1, parent: 0, hops: 0, meta: null };
  const ids = verdicts.map(() => found).map((each) => admission.offer(each));
  return { ids, verdicts: admitted.map(({ verdict }) => verdict), queued: queued.length, meters, unasked: verdicts };
}

test("a verdict that stands is given once: later finds get the key's id, and the gate is not asked", () => {
  const { ids, verdicts, queued, unasked } = offerWith(CRAWL, TOO_DEEP, CRAWL);
  assert.deepEqual([ids, verdicts, queued], [[1, 1, 1], [CRAWL], 1]);
  assert.equal(unasked.length, 2);
});

test("a provisional verdict turns into crawl, once; any other verdict changes nothing", () => {
  const { ids, verdicts, queued, meters } = offerWith(NOFOLLOW, TOO_DEEP, NOFOLLOW, CRAWL, NOFOLLOW);
  assert.deepEqual([ids, verdicts, queued], [[1, 1, 1, 1, 1], [NOFOLLOW, CRAWL], 1]);
  assert.deepEqual([meters.admitted, meters.skipped, meters.discovered], [1, 0, 1]);
});
