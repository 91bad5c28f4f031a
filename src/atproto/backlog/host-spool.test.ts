import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { HostSpool } from "./host-spool.ts";
import { PageCursors } from "./page-cursors.ts";

function spoolFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-spool-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "backlog.tmp");
}

test("what is taken is what was put in, per host and in order, whatever is on disk", (t) => {
  const path = spoolFile(t);
  const step = fc.record({ host: fc.constantFrom("a", "b", "c"), push: fc.nat(30), take: fc.nat(30) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const spool = new HostSpool(path, 40);
      const model = new Map<string, string[]>();
      let number = 0;
      for (const { host, push, take } of steps) {
        const queue = model.get(host) ?? [];
        model.set(host, queue);
        for (let times = 0; times < push; times++) {
          queue.push(`line ${number}`);
          spool.push(host, `line ${number++}`);
        }
        assert.deepEqual(spool.take(host, take), queue.splice(0, take));
        assert.equal(spool.sizeOf(host), queue.length);
      }
      assert.equal(
        spool.size,
        [...model.values()].reduce((sum, queue) => sum + queue.length, 0),
      );
      for (const [host, queue] of model) assert.deepEqual(spool.take(host, 10_000), queue);
      spool.close();
      assert.deepEqual(readdirSync(dirname(path)), [], "the file is gone");
    }),
    { numRuns: 100 },
  );
});

test("room on disk is used again", (t) => {
  const path = spoolFile(t);
  const spool = new HostSpool(path);
  for (let round = 0; round < 50; round++) {
    for (let at = 0; at < 1_000; at++) spool.push("host", `did:plc:${String(at).padStart(24, "0")}`);
    assert.equal(spool.take("host", 1_000).length, 1_000);
  }
  assert.ok(spool.fileBytes > 0 && spool.fileBytes <= 40_000, `${spool.fileBytes} bytes for 1,000 DIDs at a time`);
  spool.close();
});

test("two spools of one folder have nothing to do with each other", (t) => {
  const path = spoolFile(t);
  const spools = [new HostSpool(path, 40), new HostSpool(path, 40)];
  for (let at = 0; at < 100; at++)
    for (const [number, spool] of spools.entries()) spool.push("host", `${number} ${at}`);
  for (const [number, spool] of spools.entries()) {
    assert.deepEqual(
      spool.take("host", 100),
      Array.from({ length: 100 }, (_, at) => `${number} ${at}`),
    );
    spool.close();
  }
});

test("a cursor is free when its page and all before it in the same source are used up", () => {
  const cursors = new PageCursors();
  const [first, second, other] = [cursors.add("a", "1", 2), cursors.add("a", "2", 1), cursors.add("b", "x", 1)];
  cursors.admitted(second);
  assert.equal(cursors.free(second), null, "the first page is not");
  cursors.admitted(other);
  assert.deepEqual(cursors.free(other), { source: "b", cursor: "x" }, "another source is not held up");
  cursors.admitted(first);
  assert.equal(cursors.free(first), null);
  cursors.admitted(first);
  assert.deepEqual(cursors.free(first), { source: "a", cursor: "2" }, "the newest one");
  const part = cursors.add("a", null, 0);
  assert.equal(cursors.free(part), null, "more of the same page follows");
  assert.deepEqual(cursors.free(cursors.add("a", "3", 0)), { source: "a", cursor: "3" });
});
