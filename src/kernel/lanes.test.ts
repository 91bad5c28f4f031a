import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { freshLane, type LanePolicy } from "./lane.ts";
import { type Lane, Lanes } from "./lanes.ts";
import { aPolicy, aTask } from "./testing/samples.ts";

const NOW = 1_700_000_000_000;

function setUp(policies: Record<string, Partial<LanePolicy>> = {}): Lanes {
  return new Lanes((key) => aPolicy(policies[key]));
}

let nextPlace = 1;
const offer = (lanes: Lanes, lane: string, count = 1): void => {
  for (let i = 0; i < count; i++) lanes.offer(aTask(nextPlace++, { lane }), NOW);
};

/** Sends all that is due, and tells the lanes in the order of sending. */
const sendDue = (lanes: Lanes, now: number): string[] => {
  const sent: string[] = [];
  for (let lane = lanes.due(now); lane !== null; lane = lanes.due(now)) {
    lanes.takeTask(lane, now);
    sent.push(lane.key);
  }
  return sent;
};

const giveUp = (lanes: Lanes, lane: Lane): void => {
  lane.state = { ...lane.state, blocks: lane.policy.giveUpAfter + 1 };
  lanes.arrange(lane, NOW);
};

describe("lanes", () => {
  it("send as many at once as each may, and the next when one lands", () => {
    const lanes = setUp({ a: { concurrency: 2 }, b: { concurrency: 1 } });
    offer(lanes, "a", 5);
    offer(lanes, "b", 5);
    assert.deepEqual(sendDue(lanes, NOW).sort(), ["a", "a", "b"]);
    assert.equal(lanes.nextDue(), Number.POSITIVE_INFINITY, "nothing is due before one lands");
    lanes.land(lanes.get("a"), { kind: "ok" }, NOW);
    assert.deepEqual(sendDue(lanes, NOW), ["a"]);
  });

  it("send when their interval is over, the one that waits longest first", () => {
    const lanes = setUp({ a: { intervalMs: 100 }, b: { intervalMs: 30 } });
    offer(lanes, "a", 3);
    offer(lanes, "b", 3);
    assert.deepEqual(sendDue(lanes, NOW).sort(), ["a", "b"]);
    assert.equal(lanes.nextDue(), NOW + 30);
    assert.deepEqual(sendDue(lanes, NOW + 30), ["b"]);
    assert.equal(lanes.nextDue(), NOW + 60);
    assert.deepEqual(sendDue(lanes, NOW + 200), ["b", "a"]);
  });

  it("with an interval release nothing while a request waits for its connection, and count from when it left", () => {
    const leaving = new Set<string>();
    const lanes = new Lanes(
      (key) => aPolicy({ concurrency: 9, intervalMs: key === "slow" ? 100 : 0 }),
      (key) => leaving.has(key),
    );
    offer(lanes, "slow", 3);
    assert.deepEqual(sendDue(lanes, NOW), ["slow"]);
    leaving.add("slow");
    const turns: string[] = [];
    const turn = { inFlight: true, grant: () => turns.push("granted"), refuse: () => {} };
    lanes.addTurn(lanes.get("slow"), turn);
    assert.deepEqual(sendDue(lanes, NOW + 250), []);
    assert.equal(lanes.grantTurn(NOW + 250), false);
    assert.equal(lanes.nextTurnDue(), Number.POSITIVE_INFINITY);
    leaving.delete("slow");
    lanes.left("slow", true, NOW + 250);
    assert.equal(lanes.nextDue(), NOW + 350);
    assert.equal(lanes.grantTurn(NOW + 349), false);
    assert.equal(lanes.grantTurn(NOW + 350), true);
    // One that failed before it left uses up nothing.
    leaving.add("slow");
    assert.deepEqual(sendDue(lanes, NOW + 450), []);
    leaving.delete("slow");
    lanes.left("slow", false, NOW + 460);
    assert.deepEqual(sendDue(lanes, NOW + 460), ["slow"]);
    // Without an interval there is nothing to keep apart.
    leaving.add("fast");
    offer(lanes, "fast", 2);
    assert.deepEqual(sendDue(lanes, NOW + 460), ["fast", "fast"]);
  });

  it("that are new after a restart wait for an interval: what was sent to them may have left no trace", () => {
    const lanes = setUp({ a: { intervalMs: 100 } });
    lanes.resumed(NOW);
    offer(lanes, "a");
    offer(lanes, "b");
    assert.deepEqual(sendDue(lanes, NOW), ["b"]);
    assert.equal(lanes.nextDue(), NOW + 100);
  });

  it("come back after a restart with the clock they had", () => {
    const lanes = setUp();
    lanes.revive("a", { ...freshLane(), nextAt: NOW + 700, pace: 0.5, spent: 9 }, 0, NOW);
    offer(lanes, "a", 2);
    assert.deepEqual(sendDue(lanes, NOW + 699), []);
    assert.equal(lanes.nextDue(), NOW + 700);
    assert.deepEqual(sendDue(lanes, NOW + 700), ["a"]);
    const { pace, spent } = lanes.get("a").state;
    assert.deepEqual([pace, spent], [0.5, 10]);
  });

  it("send a retry when its time has come, before the next task, and not earlier", () => {
    const lanes = setUp();
    offer(lanes, "a", 2);
    const lane = lanes.get("a");
    const first = lanes.takeTask(lane, NOW);
    lanes.land(lane, { kind: "neutral" }, NOW);
    lanes.retry(lane, { ...first, attempt: 1, notBefore: NOW + 50 }, NOW);
    const second = lanes.takeTask(lane, NOW);
    assert.notEqual(second.id, first.id);
    assert.equal(lanes.due(NOW), null);
    assert.equal(lanes.nextDue(), NOW + 50);
    offer(lanes, "a", 1);
    assert.deepEqual(lanes.takeTask(lane, NOW + 50), { ...first, attempt: 1, notBefore: NOW + 50 });
  });

  it("send retries in the order of their times", () => {
    const lanes = setUp();
    const lane = lanes.get("a");
    for (const ms of [30, 10, 20]) lanes.retry(lane, aTask(ms, { lane: "a", notBefore: NOW + ms }), NOW);
    const sent = [10, 20, 30].map((ms) => lanes.takeTask(lane, NOW + ms).id);
    assert.deepEqual(sent, [10, 20, 30]);
  });

  it("follow a policy that changes", () => {
    const policies: Record<string, Partial<LanePolicy>> = { a: { concurrency: 1 } };
    const lanes = setUp(policies);
    offer(lanes, "a", 5);
    assert.equal(sendDue(lanes, NOW).length, 1);
    policies["a"] = { concurrency: 3 };
    lanes.refreshPolicy("a", NOW);
    assert.equal(sendDue(lanes, NOW).length, 2);
    lanes.refreshPolicy("never met", NOW);
    assert.deepEqual(
      [...lanes.all()].map((lane) => lane.key),
      ["a"],
    );
  });
});

describe("turns", () => {
  const turn = (granted: string[], name: string, inFlight = false) => ({
    inFlight,
    grant: () => void granted.push(name),
    refuse: () => void granted.push(`${name} refused`),
  });

  it("are granted by the lane's clock and concurrency, and count in both", () => {
    const lanes = setUp({ a: { intervalMs: 100, concurrency: 2 } });
    const lane = lanes.get("a");
    const granted: string[] = [];
    for (const name of ["1", "2", "3"]) lanes.addTurn(lane, turn(granted, name));
    assert.equal(lanes.grantTurn(NOW), true);
    assert.equal(lanes.grantTurn(NOW), false);
    assert.equal(lanes.nextTurnDue(), NOW + 100);
    assert.equal(lanes.grantTurn(NOW + 100), true);
    assert.equal(lanes.grantTurn(NOW + 500), false, "two are under way");
    assert.equal(lanes.nextTurnDue(), Number.POSITIVE_INFINITY);
    lanes.land(lane, { kind: "ok" }, NOW + 500);
    assert.equal(lanes.grantTurn(NOW + 500), true);
    assert.deepEqual(granted, ["1", "2", "3"]);
    assert.equal(lane.state.spent, 3);
  });

  it("take the lane's time before its tasks do", () => {
    const lanes = setUp({ a: { intervalMs: 100 } });
    offer(lanes, "a", 1);
    lanes.addTurn(lanes.get("a"), turn([], "1"));
    lanes.grantTurn(NOW);
    assert.equal(lanes.due(NOW), null);
    assert.equal(lanes.nextDue(), NOW + 100);
  });

  it("of a task under way wait for the clock only", () => {
    const lanes = setUp({ a: { concurrency: 1, intervalMs: 100 } });
    offer(lanes, "a", 1);
    const lane = lanes.get("a");
    lanes.takeTask(lane, NOW);
    const granted: string[] = [];
    lanes.addTurn(lane, turn(granted, "another request"));
    lanes.addTurn(lane, turn(granted, "a redirect of the task", true));
    assert.equal(lanes.nextTurnDue(), NOW + 100);
    assert.equal(lanes.grantTurn(NOW + 100), true);
    assert.equal(lanes.grantTurn(NOW + 900), false, "the other one waits for the task to land");
    lanes.land(lane, { kind: "ok" }, NOW + 900);
    assert.equal(lane.inFlight, 0);
    assert.equal(lanes.grantTurn(NOW + 900), true);
    assert.deepEqual(granted, ["a redirect of the task", "another request"]);
  });

  it("alternate with tasks where the policy says so, but never wait for a task that may not be sent", () => {
    const every = { intervalMs: 10, concurrency: 9 };
    const lanes = setUp({ a: { ...every, fairTurns: true }, b: every });
    const order: string[] = [];
    for (const key of ["a", "b"]) {
      offer(lanes, key, 3);
      for (let number = 0; number < 3; number++) lanes.addTurn(lanes.get(key), turn(order, `${key} turn`));
    }
    for (let step = 0; step < 6; step++) {
      const now = NOW + step * 10;
      while (lanes.grantTurn(now, true));
      order.push(...sendDue(lanes, now).map((key) => `${key} task`));
    }
    const of = (key: string) => order.filter((entry) => entry.startsWith(key)).map((entry) => entry.slice(2));
    assert.deepEqual(of("a"), ["turn", "task", "turn", "task", "turn", "task"]);
    assert.deepEqual(of("b"), ["turn", "turn", "turn", "task", "task", "task"]);
    offer(lanes, "a");
    for (const name of ["x", "y"]) lanes.addTurn(lanes.get("a"), turn(order, name));
    for (const step of [10, 11]) while (lanes.grantTurn(NOW + step * 10, false));
    assert.deepEqual(order.slice(-2), ["x", "y"], "no task may be taken now");
  });

  it("are all refused when the crawl ends", () => {
    const lanes = setUp();
    const granted: string[] = [];
    for (const key of ["a", "b"]) lanes.addTurn(lanes.get(key), turn(granted, key));
    lanes.refuseTurns();
    assert.deepEqual(granted, ["a refused", "b refused"]);
    assert.equal(lanes.grantTurn(NOW), false);
  });
});

describe("a lane that was given up", () => {
  it("keeps its tasks when they are to be parked", () => {
    const lanes = setUp({ a: { onGiveUp: "park" } });
    offer(lanes, "a", 3);
    giveUp(lanes, lanes.get("a"));
    assert.equal(lanes.due(NOW), null);
    offer(lanes, "a", 1);
    assert.equal(lanes.nextDue(), Number.POSITIVE_INFINITY);
    assert.equal(lanes.get("a").window.size, 4);
  });

  it("gives all of them at once when they are to fail, without counting them as sent", () => {
    const lanes = setUp({ a: { onGiveUp: "fail", intervalMs: 1_000, concurrency: 1 } });
    offer(lanes, "a", 3);
    const lane = lanes.get("a");
    lanes.retry(lane, aTask(99, { lane: "a", notBefore: NOW + 60_000 }), NOW);
    giveUp(lanes, lane);
    const before = lane.state;
    const given: number[] = [];
    while (lanes.due(NOW) !== null) {
      given.push(lanes.takeTask(lane, NOW).id);
      lanes.land(lane, null, NOW);
    }
    assert.equal(given.length, 4);
    assert.equal(given.at(-1), 99);
    assert.deepEqual(lane.state, before);
  });

  it("comes back when an answer arrives after all", () => {
    const lanes = setUp({ a: { onGiveUp: "park" } });
    offer(lanes, "a", 2);
    const lane = lanes.get("a");
    lanes.takeTask(lane, NOW);
    giveUp(lanes, lane);
    lanes.land(lane, { kind: "ok" }, NOW);
    assert.equal(lanes.due(NOW), lane);
  });
});

describe("refills", () => {
  it("put aside what must not be tried yet", () => {
    const lanes = setUp();
    const lane = lanes.get("a", true);
    const { after, asked } = lanes.startRefill(lane);
    assert.equal(after, 0);
    const tasks = [aTask(1, { notBefore: NOW + 10 }), aTask(2), aTask(3, { notBefore: NOW - 10 })];
    lanes.refill(lane, tasks, asked, NOW);
    assert.deepEqual([lanes.takeTask(lane, NOW).id, lanes.takeTask(lane, NOW).id], [2, 3]);
    assert.equal(lanes.due(NOW), null);
    assert.equal(lanes.nextDue(), NOW + 10);
    assert.equal(lanes.takeTask(lane, NOW + 10).id, 1);
  });

  it("ask for less when many lanes hold much, before and after they are answered", () => {
    const lanes = setUp();
    const all = Array.from({ length: 100 }, (_, i) => lanes.get(`lane ${i}`, true));
    const asked = all.map((lane) => lanes.startRefill(lane).asked);
    assert.ok(asked[0]! > asked[99]!);
    const sum = asked.reduce((a, b) => a + b);
    assert.ok(sum < 25_000, `${sum} asked for`);
    for (const [i, lane] of all.entries()) lanes.refill(lane, [], asked[i]!, NOW);
    assert.equal(lanes.windowCapacity, asked[0], "and what was asked for in vain does not count");
  });

  it("are needed when half the window is used and the ledger has more", () => {
    const lanes = setUp();
    const capacity = lanes.windowCapacity;
    offer(lanes, "a", capacity);
    const lane = lanes.get("a");
    assert.equal(lanes.needsRefill(lane), false);
    offer(lanes, "a", 1);
    assert.equal(lanes.needsRefill(lane), false, "it is still full");
    for (let i = 0; i < capacity / 2; i++) {
      lanes.takeTask(lane, NOW);
      lanes.land(lane, { kind: "ok" }, NOW);
    }
    assert.equal(lanes.needsRefill(lane), true);
    lanes.startRefill(lane);
    assert.equal(lanes.needsRefill(lane), false, "it is under way");
  });
});

describe("drained lanes", () => {
  const visit = (lanes: Lanes, key: string): void => {
    offer(lanes, key, 1);
    const lane = lanes.get(key);
    lanes.takeTask(lane, NOW);
    lanes.land(lane, { kind: "ok" }, NOW);
  };
  const count = (lanes: Lanes): number => [...lanes.all()].length;

  it("are forgotten when there are many and they have nothing to remember", () => {
    const lanes = setUp();
    for (let i = 0; i < 20_000; i++) visit(lanes, `host ${i}`);
    assert.ok(count(lanes) < 3_000, `${count(lanes)} lanes`);
  });

  it("are kept while their clocks matter", () => {
    const lanes = setUp();
    const minute = 60_000;
    const states = {
      slow: { nextAt: NOW + minute },
      failing: { streak: 2 },
      paced: { pace: 0.5 },
      throttled: { throttles: 2, throttledUntil: NOW - minute },
    };
    for (const [key, state] of Object.entries(states)) lanes.get(key).state = { ...freshLane(), ...state };
    lanes.get("open in the ledger", true);
    offer(lanes, "with a task", 1);
    lanes.addTurn(lanes.get("with a turn"), { inFlight: false, grant() {}, refuse() {} });
    for (let i = 0; i < 5_000; i++) visit(lanes, `host ${i}`);
    const kept = new Set([...lanes.all()].map((lane) => lane.key));
    for (const key of [...Object.keys(states), "open in the ledger", "with a task", "with a turn"]) {
      assert.ok(kept.has(key), `the lane ${key} is forgotten`);
    }
  });
});
