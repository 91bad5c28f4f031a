import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Order } from "./order.ts";
import { FakeClock } from "./testing/fake-clock.ts";

const PATIENCE = 10_000;

const setUp = () => {
  const clock = new FakeClock();
  const woken: number[] = [];
  let patience = PATIENCE;
  const order = new Order<string>({ clock, patienceMs: () => patience, wake: () => woken.push(clock.now()) });
  const applied = (): string[] => {
    const all: string[] = [];
    for (let next = order.next(); next !== null; next = order.next()) all.push(next);
    return all;
  };
  const setPatience = (ms: number) => {
    patience = ms;
  };
  return { clock, order, woken, applied, setPatience };
};

describe("outcomes are applied", () => {
  it("in the order their tasks left, whatever order they arrive in", () => {
    const arrivals = fc
      .integer({ min: 0, max: 400 })
      .chain((count) => fc.shuffledSubarray([...Array(count).keys()], { minLength: count, maxLength: count }));
    fc.assert(
      fc.property(arrivals, (places) => {
        const { order, applied } = setUp();
        const tickets = places.map(() => order.enter());
        const all: string[] = [];
        for (const place of places) {
          order.arrive(tickets[place]!, `${place}`);
          all.push(...applied());
        }
        assert.deepEqual(
          all,
          places.map((_, place) => `${place}`),
        );
        assert.equal(order.waiting, 0);
      }),
    );
  });

  it("without those that left without an outcome", () => {
    const { order, applied } = setUp();
    const [first, second, third] = [order.enter(), order.enter(), order.enter()];
    order.arrive(third, "third");
    order.leave(second);
    assert.deepEqual(applied(), []);
    order.leave(first);
    assert.deepEqual(applied(), ["third"]);
    assert.equal(order.waiting, 0);
  });

  it("at once when they have no place", () => {
    const { order, applied } = setUp();
    const first = order.enter();
    order.arriveLate("an image");
    assert.deepEqual(applied(), ["an image"]);
    order.arrive(first, "a page");
    assert.deepEqual(applied(), ["a page"]);
  });
});

describe("a straggler", () => {
  it("is waited for with patience, then passed, and applied when it comes", async () => {
    const { clock, order, woken, applied } = setUp();
    const slow = order.enter();
    await clock.advance(4_000);
    const quick = [order.enter(), order.enter()];
    for (const [i, ticket] of quick.entries()) order.arrive(ticket, `quick ${i}`);
    assert.deepEqual(applied(), []);
    await clock.advance(PATIENCE - 4_001);
    assert.deepEqual(woken, []);
    await clock.advance(1);
    assert.equal(woken.length, 1, "whoever applies is told to look again");
    assert.deepEqual(applied(), ["quick 0", "quick 1"]);
    order.arrive(slow, "slow");
    assert.deepEqual(applied(), ["slow"]);
    assert.equal(clock.timers, 0);
  });

  it("that nobody waits behind is not passed, and sets no timer", async () => {
    const { clock, order, applied } = setUp();
    const slow = order.enter();
    assert.deepEqual(applied(), []);
    await clock.advance(PATIENCE * 2);
    assert.deepEqual(applied(), []);
    assert.equal(clock.timers, 0);
    order.arrive(slow, "slow");
    assert.deepEqual(applied(), ["slow"]);
  });

  it("that only others under way are behind of keeps its place", async () => {
    const { clock, order, applied } = setUp();
    const [slow, other] = [order.enter(), order.enter()];
    await clock.advance(PATIENCE * 2);
    assert.deepEqual(applied(), []);
    assert.equal(clock.timers, 0);
    order.arrive(slow, "slow");
    order.arrive(other, "other");
    assert.deepEqual(applied(), ["slow", "other"]);
  });

  it("is passed sooner when patience runs short meanwhile", async () => {
    const { clock, order, woken, applied, setPatience } = setUp();
    order.enter();
    order.arrive(order.enter(), "quick");
    assert.deepEqual(applied(), []);
    setPatience(500);
    assert.deepEqual(applied(), []);
    await clock.advance(500);
    assert.equal(woken.length, 1);
    assert.deepEqual(applied(), ["quick"]);
    assert.equal(clock.timers, 0);
  });

  it("after a straggler has a patience of its own", async () => {
    const { clock, order, applied } = setUp();
    order.enter();
    await clock.advance(6_000);
    order.enter();
    order.arrive(order.enter(), "third");
    assert.deepEqual(applied(), []);
    await clock.advance(PATIENCE - 6_000);
    assert.deepEqual(applied(), [], "the second left later");
    await clock.advance(6_000);
    assert.deepEqual(applied(), ["third"]);
  });
});

it("leaves no timer when it is closed", () => {
  const { clock, order, applied } = setUp();
  order.enter();
  order.arrive(order.enter(), "second");
  applied();
  assert.equal(clock.timers, 1);
  order.close();
  assert.equal(clock.timers, 0);
});
