import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { Admission, Provisional } from "./admission.ts";
import type { Committer } from "./commit.ts";
import type { TaskState } from "./ledger.ts";
import { Meters } from "./meters.ts";
import type { CrawlContext, Product } from "./product.ts";
import { type Admitted, CRAWL, type Found, type Task, type Verdict } from "./task.ts";

const NOFOLLOW: Verdict = { action: "skip", reason: "NOFOLLOW", rule: "a link" };
const TOO_DEEP: Verdict = { action: "skip", reason: "TOO_DEEP", rule: "depth 3" };

/** Offers one key as often as there are verdicts, which the gate gives one after another. */
const offerWith = (...verdicts: Verdict[]) => offerAll({}, verdicts);

function offerAll(more: Partial<Found>, verdicts: Verdict[], states: TaskState[] = []) {
  const admitted: Admitted[] = [];
  const queued: Task[] = [];
  const meters = new Meters();
  const admission = new Admission<null>({
    product: {
      gate: () => verdicts.shift()!,
      provisionalReasons: new Set(["NOFOLLOW"]),
      laneOf: () => "lane",
    } as unknown as Product<null>,
    committer: { admit: (one: Admitted) => admitted.push(one), isSettling: () => false } as unknown as Committer<null>,
    meters,
    context: {} as CrawlContext,
    queue: (task) => queued.push(task),
    stateOf: () => states.shift() ?? null,
  });
  const found: Found = { key: "key", depth: 1, parent: 0, hops: 0, meta: null, ...more };
  const ids = verdicts.map(() => found).map((each) => admission.offer(each));
  const refetched = queued.filter(({ refetch }) => refetch).map(({ place }) => place);
  return {
    ids,
    verdicts: admitted.map(({ verdict }) => verdict),
    queued: queued.length,
    meters,
    unasked: verdicts,
    refetched,
  };
}

test("a final verdict is given once: later finds get the key's id, and the gate is not asked again", () => {
  const { ids, verdicts, queued, unasked } = offerWith(CRAWL, TOO_DEEP, CRAWL);
  assert.deepEqual([ids, verdicts, queued], [[1, 1, 1], [CRAWL], 1]);
  assert.equal(unasked.length, 2);
});

test("offered again, any refusal turns into crawl, once; what is crawled stays as it is", () => {
  const { ids, verdicts, queued, meters, unasked } = offerAll({ again: TOO_DEEP }, [TOO_DEEP, TOO_DEEP, CRAWL, CRAWL]);
  assert.deepEqual([ids, verdicts, queued], [[1, 1, 1, 1], [TOO_DEEP, CRAWL], 1]);
  assert.deepEqual([meters.skipped, meters.admitted, meters.reasons.get("TOO_DEEP")], [0, 1, 0]);
  assert.equal(unasked.length, 1, "the gate is not asked about a task");
});

test("offered again and refused for another reason: the new one counts", () => {
  const { ids, verdicts, queued, meters } = offerAll({ again: TOO_DEEP }, [TOO_DEEP, NOFOLLOW]);
  assert.deepEqual([ids, verdicts, queued], [[1, 1], [TOO_DEEP, NOFOLLOW], 0]);
  assert.deepEqual([meters.skipped, meters.reasons.get("TOO_DEEP"), meters.reasons.get("NOFOLLOW")], [1, 0, 1]);
});

test("a key to fetch again is queued again if it is settled and the gate allows it", () => {
  const first = offerAll({ refetch: true }, [CRAWL]);
  assert.deepEqual([first.queued, first.refetched], [1, []], "one that was not known is admitted as usual");
  const again = offerAll({ refetch: true }, [CRAWL, CRAWL, TOO_DEEP, CRAWL, CRAWL], ["open", "done", "done", "failed"]);
  assert.deepEqual([again.ids, again.queued, again.refetched], [[1, 1, 1, 1, 1], 3, [2, 3]]);
  assert.equal(again.unasked.length, 1, "the gate is not asked about a task that is open");
});

test("a provisional verdict turns into crawl, once; any other verdict changes nothing", () => {
  const { ids, verdicts, queued, meters } = offerWith(NOFOLLOW, TOO_DEEP, NOFOLLOW, CRAWL, NOFOLLOW);
  assert.deepEqual([ids, verdicts, queued], [[1, 1, 1, 1, 1], [NOFOLLOW, CRAWL], 1]);
  assert.deepEqual([meters.admitted, meters.skipped, meters.discovered], [1, 0, 1]);
});

describe("provisional verdicts", () => {
  const NOFOLLOW = { action: "record", reason: "NOFOLLOW", rule: "rel=nofollow" } as const;
  const TOO_DEEP = { action: "skip", reason: "TOO_DEEP", rule: null } as const;

  it("remembers whose verdict may still turn, and which it was", () => {
    const provisional = new Provisional();
    const count = 20_000;
    for (let id = 1; id <= count; id++) if (id % 3 > 0) provisional.add(id, id % 3 === 1 ? NOFOLLOW : TOO_DEEP);
    for (let id = 1; id <= count + 100; id++) assert.equal(provisional.has(id), id <= count && id % 3 > 0);
    assert.deepEqual(provisional.take(1), { ...NOFOLLOW, rule: null });
    assert.deepEqual(provisional.take(19_997), TOO_DEEP);
    assert.equal(provisional.has(1), false);
    assert.equal(provisional.has(4), true);
  });

  it("grows to an id far away", () => {
    const provisional = new Provisional();
    provisional.add(1, NOFOLLOW);
    provisional.add(3_000_000, TOO_DEEP);
    assert.equal(provisional.has(1), true);
    assert.equal(provisional.has(2_999_999), false);
    assert.deepEqual(provisional.take(3_000_000), TOO_DEEP);
  });
});
