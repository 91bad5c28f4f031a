import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import type { Known } from "./ledger.ts";
import { Meters } from "./meters.ts";
import { CRAWL, type Verdict } from "./task.ts";

const VERDICTS: Verdict[] = [
  CRAWL,
  { action: "crawl", reason: "ROBOTS_IGNORED", rule: null },
  { action: "record", reason: "NOFOLLOW", rule: null },
  { action: "skip", reason: "TOO_DEEP", rule: "max-depth 3" },
];

const key = fc.record({
  verdict: fc.constantFrom(...VERDICTS),
  end: fc.constantFrom("open", "done", "failed", "overruled"),
});

it("counts the same whether things happen or are read back from the ledger", () => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 60 }), (keys) => {
      const lived = new Meters();
      const readBack = new Meters();
      for (const [id, { verdict, end }] of keys.entries()) {
        lived.admit(verdict);
        const crawl = verdict.action === "crawl";
        const overruled = crawl && verdict.reason === null && end === "overruled";
        const known: Known = {
          id,
          place: id,
          key: "",
          lane: "",
          action: verdict.action,
          reason: verdict.reason,
          state: null,
        };
        if (overruled) {
          lived.settle("failed", VERDICTS[2]!);
          Object.assign(known, { action: "record", reason: "NOFOLLOW" });
        } else if (crawl) {
          known.state = end === "overruled" ? "open" : (end as Known["state"]);
          if (known.state === "done" || known.state === "failed") lived.settle(known.state, null);
        }
        readBack.recover(known);
      }
      assert.deepEqual([lived.settledNow, lived.failedNow], [lived.settled, lived.failed]);
      assert.deepEqual([readBack.settledNow, readBack.failedNow], [0, 0], "earlier processes did that");
      assert.deepEqual({ ...readBack, settledNow: lived.settled, failedNow: lived.failed }, { ...lived });
      const copy = lived.copy();
      assert.deepEqual({ ...copy }, { ...lived });
      assert.equal(lived.discovered, keys.length);
      assert.equal(lived.settled, lived.done + lived.failed);
      assert.equal(lived.open, lived.admitted - lived.settled);
    }),
  );
});

it("counts settled tasks that are open again, lived or read back", () => {
  const [lived, readBack] = [new Meters(), new Meters()];
  const known: Known = {
    id: 1,
    place: 1,
    key: "",
    lane: "",
    action: "crawl",
    reason: null,
    state: "open",
    again: true,
  };
  for (const end of ["open", "done", "refused"] as const) {
    lived.admit(CRAWL);
    lived.settle("done", null);
    lived.reopen("done");
    readBack.recover(known);
    assert.deepEqual([lived.again, readBack.again], [1, 1]);
    if (end === "open") assert.deepEqual({ ...readBack }, { ...lived, settledNow: 0 });
    for (const meters of [lived, readBack]) meters.settle("done", end === "refused" ? VERDICTS[3]! : null, true);
    assert.deepEqual([lived.again, readBack.again], [0, 0], end);
  }
});

it("counts a key that is admitted again as what it became", () => {
  const meters = new Meters();
  meters.admit(VERDICTS[2]!);
  meters.admit(VERDICTS[3]!);
  meters.withdraw({ ...VERDICTS[2]!, rule: null });
  meters.admit(CRAWL);
  assert.deepEqual([meters.admitted, meters.recorded, meters.skipped, meters.open], [1, 0, 1, 1]);
  assert.equal(meters.reasons.get("NOFOLLOW"), 0);
  assert.equal(meters.discovered, 2);
});
