/** Leases by simulated clocks: take-over after a worker's death, no two owners that may send, and balance among a thousand. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { seededRandom } from "../kernel/testing/random.ts";
import type { PartRow } from "./lease.ts";
import { LEASE_TIMES, Membership } from "./membership.ts";

/** A database in memory, and workers whose clocks a test drives. */
class Fleet {
  now = 0;
  readonly parts: PartRow[];
  readonly beats = new Map<string, number>();
  readonly workers = new Map<string, SimulatedWorker>();
  readonly #rows: { id: string; beat: number }[] = [];
  statements = 0;
  /** Time from a worker's last request to its successor's first, for every take-over from the dead. */
  readonly gaps: number[] = [];

  constructor(parts: number) {
    this.parts = Array.from({ length: parts }, (_, part) => {
      return { part, owner: null, token: `${part}`, commits: 0, open: 1, parked: 0, settled: 0 };
    });
  }

  join(id: string): SimulatedWorker {
    const worker = new SimulatedWorker(id, this);
    this.workers.set(id, worker);
    this.beats.set(id, 0);
    this.#rows.push({ id, beat: 0 });
    return worker;
  }

  /** Every worker that runs beats once per second, a little apart from each other. */
  pass(seconds: number): void {
    for (let end = this.now + seconds * 1_000; this.now < end; this.now += 1_000) {
      for (const worker of this.workers.values()) if (!worker.isStopped) worker.tick();
    }
  }

  /** Built once while nothing changes: a thousand workers would build a million of them. */
  answers(): { id: string; beat: number }[] {
    for (const row of this.#rows) row.beat = this.beats.get(row.id)!;
    return this.#rows;
  }

  owned(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { owner } of this.parts) if (owner !== null) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    return counts;
  }
}

class SimulatedWorker {
  isStopped = false;
  /** How far this machine's clocks are from the others', and how much its wall clock jumped. */
  skew: number;
  wallJump = 0;
  readonly held = new Set<number>();
  readonly membership: Membership;
  lastSentAt = Number.NEGATIVE_INFINITY;
  readonly #fleet: Fleet;

  constructor(id: string, fleet: Fleet, skew = id.length * 1_000_003) {
    this.#fleet = fleet;
    this.skew = skew;
    const monotonic = () => fleet.now + this.skew;
    this.membership = new Membership(id, { monotonic, wall: () => monotonic() + this.wallJump });
  }

  tick(): void {
    const { membership } = this;
    const fleet = this.#fleet;
    const sent = membership.beatSent();
    fleet.beats.set(membership.id, fleet.beats.get(membership.id)! + 1);
    fleet.statements++;
    membership.beatAnswered(sent, fleet.answers());
    for (const part of this.held) if (fleet.parts[part]!.owner !== membership.id) this.held.delete(part);
    const { take, surplus, strays } = membership.plan(fleet.parts, this.held);
    for (const { part } of strays) fleet.parts[part]!.owner = null;
    for (const part of [...this.held].slice(0, surplus)) {
      fleet.parts[part]!.owner = null;
      this.held.delete(part);
    }
    if (take.length > 0) fleet.statements++;
    for (const seen of take) this.#take(seen);
    if (membership.maySend() && this.held.size > 0) this.lastSentAt = fleet.now;
  }

  #take(part: PartRow): void {
    const fleet = this.#fleet;
    const before = part.owner === null ? undefined : fleet.workers.get(part.owner);
    if (before !== undefined && before !== this) {
      assert.ok(!before.membership.maySend(), "the owner before may not send any more");
      fleet.gaps.push(fleet.now - before.lastSentAt);
    }
    part.owner = this.membership.id;
    this.held.add(part.part);
  }
}

describe("leases", () => {
  it("a worker may send for ten seconds after the last answered beat, by whichever clock is first", () => {
    const clocks = { at: 0, jump: 0 };
    const membership = new Membership("a", { monotonic: () => clocks.at, wall: () => clocks.at + clocks.jump });
    assert.equal(membership.maySend(), false, "before its first beat is answered");
    const sent = membership.beatSent();
    clocks.at = 4_000;
    membership.beatAnswered(sent, [{ id: "a", beat: 1 }]);
    clocks.at = 9_999;
    assert.equal(membership.maySend(), true);
    clocks.at = 10_000;
    assert.equal(membership.maySend(), false, "counted from when it was sent, not answered");
    clocks.at = 5_000;
    clocks.jump = 6_000;
    assert.equal(membership.maySend(), false, "the monotonic clock stood still while the machine slept");
    clocks.jump = -3_600_000;
    assert.equal(membership.maySend(), true, "a wall clock that was set back proves nothing");
  });

  it("a dead worker's partitions are taken over, and never while it may still send", () => {
    const fleet = new Fleet(128);
    const [a, b] = [fleet.join("a"), fleet.join("b")];
    fleet.pass(20);
    assert.deepEqual([a.held.size, b.held.size], [64, 64]);
    a.isStopped = true;
    fleet.pass(14);
    assert.equal(b.held.size, 64, "not before its beat stood still for 15 s");
    fleet.pass(2);
    assert.equal(b.held.size, 128);
    assert.ok(Math.min(...fleet.gaps) >= LEASE_TIMES.deadMs - LEASE_TIMES.sendMs);
    // It comes back, as after SIGSTOP: it holds nothing any more, and gets its share again without a take-over.
    a.isStopped = false;
    assert.equal(a.membership.maySend(), false);
    fleet.pass(3);
    assert.deepEqual([a.held.size, b.held.size], [64, 64]);
  });

  it("what a worker has dropped and has no place for is taken by others", () => {
    const fleet = new Fleet(16);
    const a = fleet.join("a");
    fleet.pass(5);
    assert.equal(a.held.size, 16);
    // The database was away for so long that the lease ran out: the worker dropped everything, and could tell nobody.
    a.held.clear();
    const b = fleet.join("b");
    fleet.pass(6);
    assert.deepEqual([a.held.size, b.held.size], [8, 8]);
  });

  it("after a reconnect to a server that may have forgotten something nothing is taken while an unknown lease may last", () => {
    const clocks = { at: 0 };
    const membership = new Membership("a", { monotonic: () => clocks.at, wall: () => clocks.at });
    const free: PartRow = { part: 0, owner: null, token: "0", commits: 0, open: 1, parked: 0, settled: 0 };
    const takes = () => {
      membership.beatAnswered(membership.beatSent(), [{ id: "a", beat: clocks.at }]);
      return membership.plan([free], new Set()).take.length;
    };
    membership.reconnected(false);
    assert.equal(takes(), 1);
    membership.reconnected(true);
    for (; clocks.at < LEASE_TIMES.deadMs; clocks.at += 1_000) assert.equal(takes(), 0);
    assert.equal(takes(), 1);
  });

  it("after an outage of the database, no worker counts as dead for beats that could not be seen", () => {
    const fleet = new Fleet(16);
    const [a, b] = [fleet.join("a"), fleet.join("b")];
    fleet.pass(5);
    // Nobody beats for a minute; then only one does at first.
    fleet.now += 60_000;
    a.tick();
    assert.equal(a.membership.isDead("b"), false);
    fleet.pass(5);
    assert.deepEqual([a.held.size, b.held.size], [8, 8]);
    assert.deepEqual(fleet.gaps, [], "nothing was taken over");
  });

  it("a thousand workers share evenly, and a hundred deaths are made good in 17 s", () => {
    const random = seededRandom(3);
    const fleet = new Fleet(2_500);
    const workers = Array.from({ length: 1_000 }, (_, at) => fleet.join(`w${at}`));
    fleet.pass(5);
    const before = fleet.owned();
    assert.equal(before.size, 1_000);
    assert.deepEqual(new Set(before.values()), new Set([2, 3]));
    const steady = fleet.statements;
    fleet.pass(1);
    assert.equal(fleet.statements - steady, 1_000, "one statement per worker and second while nothing changes");
    for (let killed = 0; killed < 100; ) {
      const worker = workers[Math.floor(random() * workers.length)]!;
      if (worker.isStopped) continue;
      worker.isStopped = true;
      killed++;
    }
    fleet.pass(17);
    const after = fleet.owned();
    assert.ok([...after.keys()].every((id) => !fleet.workers.get(id)!.isStopped));
    assert.equal(
      [...after.values()].reduce((sum, count) => sum + count, 0),
      2_500,
    );
    assert.ok(Math.max(...after.values()) - Math.min(...after.values()) <= 1);
    assert.ok(Math.min(...fleet.gaps) >= 5_000);
  });
});
