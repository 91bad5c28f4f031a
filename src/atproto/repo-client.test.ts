import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { CarDisk } from "./car-disk.ts";
import { CarBudget, type CarShare } from "./repo-client.ts";

const KIBI = 2 ** 10;
const { signal } = new AbortController();

/** Whether a promise is settled once everything that can go on has. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const still = Symbol("pending");
  const after = new Promise((resolve) => setImmediate(resolve, still));
  return (await Promise.race([promise, after])) === still;
}

test("CARs grow until nothing is left, and one that is over makes room", async () => {
  const budget = new CarBudget(800 * KIBI, null, 1_000 * KIBI);
  const one = await budget.open("usual", signal);
  const other = await budget.open("usual", signal);
  assert.equal(budget.free, 488 * KIBI);
  assert.ok(one.grow(700 * KIBI));
  assert.ok(!other.grow(301 * KIBI), "no room");
  assert.deepEqual([one.isRefused, other.isRefused], [false, true]);
  one[Symbol.dispose]();
  assert.ok(other.grow(301 * KIBI));
  other[Symbol.dispose]();
  assert.equal(budget.free, 1_000 * KIBI);
});

test("what a CAR did not need is given back once it is whole", async () => {
  const budget = new CarBudget(800 * KIBI, null, 1_000 * KIBI);
  using share = await budget.open("largest", signal);
  assert.equal(budget.free, 200 * KIBI);
  assert.ok(share.settle(3 * KIBI));
  assert.equal(budget.free, 997 * KIBI);
});

test("one that needs much is not overtaken by those that need little", async () => {
  const budget = new CarBudget(800 * KIBI, null, 1_000 * KIBI);
  const first = await budget.open("usual", signal);
  const large = budget.open("largest", signal);
  const usual = budget.open("usual", signal);
  assert.ok((await isPending(large)) && (await isPending(usual)));
  first[Symbol.dispose]();
  const share = await large;
  assert.ok(share.grow(800 * KIBI), "the largest never finds itself without room");
  assert.ok(await isPending(usual));
  share[Symbol.dispose]();
  (await usual)[Symbol.dispose]();
  assert.equal(budget.free, 1_000 * KIBI);
});

test("one that is given up while it waits holds nobody up", async () => {
  const budget = new CarBudget(800 * KIBI, null, 1_000 * KIBI);
  const stop = new AbortController();
  using _first = await budget.open("usual", signal);
  const large = budget.open("largest", stop.signal);
  const usual = budget.open("usual", signal);
  stop.abort(new Error("stopped"));
  await assert.rejects(large, /stopped/);
  using _share = await usual;
  await assert.rejects(budget.open("usual", stop.signal), /stopped/);
});

test("a CAR larger than the budget gets all of it", async () => {
  const budget = new CarBudget(2_000 * KIBI, null, 1_000 * KIBI);
  using share = await budget.open("largest", signal);
  assert.ok(share.settle(2_000 * KIBI));
  assert.equal(budget.free, 0);
});

function diskOf(t: TestContext, free = 10_000_000): { disk: CarDisk; files: () => string[] } {
  const folder = mkdtempSync(join(tmpdir(), "car-budget-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return { disk: new CarDisk(folder, () => ({ free, total: 10_000_000 })), files: () => readdirSync(folder) };
}

test("a CAR that goes to a file holds no memory until it is read, and then waits for the largest", async (t) => {
  const { disk, files } = diskOf(t);
  const budget = new CarBudget(800 * KIBI, disk, 1_000 * KIBI);
  using share = await budget.open("usual", signal);
  assert.ok(!share.grow(1_001 * KIBI));
  const overflow = share.overflow()!;
  assert.deepEqual([share.isRefused, budget.free], [false, 1_000 * KIBI]);
  await overflow.write(Buffer.from("a C"));
  await overflow.write(Buffer.from("AR"));
  const other = await budget.open("usual", signal);
  const whole = overflow.read();
  assert.ok(await isPending(whole));
  other[Symbol.dispose]();
  assert.equal(`${await whole}`, "a CAR");
  assert.equal(budget.free, 200 * KIBI);
  assert.ok(share.settle(5));
  assert.equal(budget.free, 1_000 * KIBI - 5);
  assert.deepEqual(files(), []);
});

test("while one waits for memory, those that grow go to files, however slowly they come", async (t) => {
  const budget = new CarBudget(800 * KIBI, diskOf(t).disk, 1_000 * KIBI);
  const slow = await Promise.all([1, 2, 3].map(() => budget.open("usual", signal)));
  const large = budget.open("largest", signal);
  assert.ok(slow[0]!.grow(256 * KIBI), "what was set aside for it stays");
  for (const share of slow) assert.ok(!share.grow(257 * KIBI) && share.overflow() !== null);
  (await large)[Symbol.dispose]();
  for (const share of slow) share[Symbol.dispose]();
  assert.equal(budget.free, 1_000 * KIBI);
});

test("if the disk is almost full, nobody goes there, and those that fit into memory grow", async (t) => {
  const budget = new CarBudget(800 * KIBI, diskOf(t, 1_000_000).disk, 1_000 * KIBI);
  using share = await budget.open("usual", signal);
  const stop = new AbortController();
  const large = budget.open("largest", stop.signal);
  assert.ok(share.grow(500 * KIBI));
  assert.ok(!share.grow(1_001 * KIBI));
  assert.deepEqual([share.overflow(), share.isRefused], [null, true]);
  stop.abort(new Error("stopped"));
  await assert.rejects(large, /stopped/);
});

test("one that is stopped before it is read gives up; a disk that fails counts as no room", async (t) => {
  const budget = new CarBudget(800 * KIBI, diskOf(t).disk, 1_000 * KIBI);
  using _held = await budget.open("usual", signal);
  const stop = new AbortController();
  const share = await budget.open("usual", stop.signal);
  const overflow = share.overflow()!;
  await overflow.write(Buffer.from("x"));
  const whole = overflow.read();
  stop.abort(new Error("stopped"));
  await assert.rejects(whole, /stopped/);
  share[Symbol.dispose]();
  assert.equal(budget.free, 744 * KIBI);
  const gone = new CarDisk("/nowhere", () => ({ free: 10_000_000, total: 10_000_000 }));
  using failing = await new CarBudget(800 * KIBI, gone).open("usual", signal);
  const nowhere = failing.overflow()!;
  await assert.rejects(async () => nowhere.write(Buffer.alloc(2_000_000)), { code: "ENOENT" });
  assert.ok(failing.isRefused);
});

test("whatever CARs do, the budget is never exceeded, and all of it is returned", async () => {
  const move = fc.tuple(fc.constantFrom("open", "grow", "settle", "close"), fc.nat(20), fc.nat(900 * KIBI));
  await fc.assert(
    fc.asyncProperty(fc.array(move, { maxLength: 100 }), async (moves) => {
      const budget = new CarBudget(900 * KIBI, null, 2_000 * KIBI);
      const shares: CarShare[] = [];
      const opening: Promise<unknown>[] = [];
      for (const [kind, at, bytes] of moves) {
        const share = shares[at % Math.max(1, shares.length)];
        if (kind === "open") {
          const size = bytes % 4 === 0 ? "largest" : "usual";
          opening.push(budget.open(size, signal).then((opened) => shares.push(opened)));
        } else if (kind === "close") {
          share?.[Symbol.dispose]();
          shares.splice(shares.indexOf(share!), share === undefined ? 0 : 1);
        } else share?.[kind as "grow" | "settle"](bytes);
        await Promise.resolve();
        assert.ok(budget.free >= 0);
      }
      while (opening.length > 0) {
        const over = opening.pop()!;
        while (await isPending(over)) shares.shift()?.[Symbol.dispose]();
      }
      for (const share of shares) share[Symbol.dispose]();
      assert.equal(budget.free, 2_000 * KIBI);
    }),
    { numRuns: 50 },
  );
});
