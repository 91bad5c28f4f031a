/** Event segments: what was appended is read back, torn ends are cut, damage is reported, and the cursor is that of the source. */
import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import type { Damage } from "../rca/format/bytes.ts";
import { decodeBatch, encodeBatch, type StoredEvent } from "./event-format.ts";
import { EventWriter, eventSegmentPath, readEvents } from "./event-segments.ts";

const blob = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));
const head = { seq: fc.nat(), seenAt: fc.nat(), did: fc.string() };
/** Objects as code makes them. */
const plain = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(model, { noNullPrototype: true });
const op = fc.oneof(
  plain({ action: fc.constant("delete" as const), path: fc.string(), record: fc.constant(null) }),
  plain({ action: fc.constantFrom("create" as const, "update" as const), path: fc.string(), record: blob }),
);
const event: fc.Arbitrary<StoredEvent> = fc.oneof(
  plain({
    kind: fc.constant("commit" as const),
    ...head,
    rev: fc.string(),
    since: fc.string(),
    commit: blob,
    ops: fc.array(op, { maxLength: 4 }),
  }),
  plain({ kind: fc.constant("sync" as const), ...head, rev: fc.string(), commit: blob }),
  plain({ kind: fc.constant("identity" as const), ...head, handle: fc.string() }),
  plain({ kind: fc.constant("account" as const), ...head, active: fc.boolean(), status: fc.string() }),
  plain({ kind: fc.constant("gap" as const), ...head, reason: fc.string() }),
  plain({
    kind: fc.constant("mark" as const),
    ...head,
    reason: fc.constant("gap" as const),
    rev: fc.string(),
    detail: fc.string(),
  }),
);

test("every event is read back as it was", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 6 }), fc.nat(), (events, cursor) => {
      assert.deepEqual(decodeBatch(encodeBatch({ cursor, events }, 1)), { cursor, events });
    }),
    { numRuns: 200 },
  );
});

const note = (seq: number): StoredEvent => ({
  kind: "identity",
  seq,
  seenAt: seq,
  did: "did:web:a.example",
  handle: "x",
});

function setUp(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "trawl-events-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const damage: Damage[] = [];
  const open = (source = "relay:https://one.example", targetBytes = 1_000_000) =>
    EventWriter.open({
      folder,
      source,
      verified: true,
      targetBytes,
      zstdLevel: 1,
      now: () => 1,
      onDamage: (found) => damage.push(found),
    });
  const seqs = async () => {
    const all: number[] = [];
    for await (const { events } of readEvents(folder, (found) => damage.push(found)))
      all.push(...events.map(({ seq }) => seq));
    return all;
  };
  return { folder, damage, open, seqs };
}

test("a batch that a crash cut off, at any byte, is gone with its cursor, and the next one is in its place", async (t) => {
  const { folder, open, seqs } = setUp(t);
  const path = eventSegmentPath(folder, 1);
  let writer = await open();
  await writer.append({ cursor: 1, events: [note(1)] });
  await writer.close();
  const whole = statSync(path).size;
  const batch = encodeBatch({ cursor: 2, events: [note(2)] }, 1);
  for (let cut = 1; cut < batch.length; cut += 7) {
    appendFileSync(path, batch.subarray(0, cut));
    writer = await open();
    assert.equal(writer.cursor, 1);
    await writer.append({ cursor: 3, events: [note(3)] });
    await writer.close();
    assert.deepEqual(await seqs(), [1, 3]);
    truncateSync(path, whole);
  }
});

test("damage in the middle costs its own batch, and is reported", async (t) => {
  const { folder, open, seqs, damage } = setUp(t);
  const writer = await open();
  const ends: number[] = [];
  for (const seq of [1, 2, 3]) ends.push((await writer.append({ cursor: seq, events: [note(seq)] })).offset);
  await writer.close();
  const path = eventSegmentPath(folder, 1);
  const bytes = readFileSync(path);
  bytes[ends[1]! - 3]! ^= 1;
  writeFileSync(path, bytes);
  assert.deepEqual(await seqs(), [1, 3]);
  assert.deepEqual(
    damage.map(({ offset, torn }) => [offset, torn]),
    [[ends[0], false]],
  );
  const next = await open();
  assert.equal(next.cursor, 3);
  await next.close();
});

test("each source has its own cursor, and large segments are followed by the next", async (t) => {
  const { open, seqs } = setUp(t);
  const one = await open("relay:https://one.example", 200);
  for (const seq of [1, 2, 3, 4, 5, 6]) await one.append({ cursor: seq, events: [note(seq)] });
  await one.close();
  const two = await open("relay:https://two.example");
  assert.equal(two.cursor, null);
  await two.append({ cursor: 900, events: [note(900)] });
  await two.close();
  const again = await open();
  assert.equal(again.cursor, 6);
  await again.append({ cursor: 7, events: [note(7)] });
  await again.close();
  assert.deepEqual(await seqs(), [1, 2, 3, 4, 5, 6, 900, 7]);
});
