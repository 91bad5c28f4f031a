/** What event segments promise, on every state that a power cut could leave: while they are appended, and while they are written again. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import type { FileSystem } from "../../storage/file-system.ts";
import { assertCrashSafe } from "../../storage/testing/replay-crashes.ts";
import type { StoredEvent } from "./event-format.ts";
import { EventWriter, readEvents } from "./event-segments.ts";
import { rewriteEvents } from "./rewrite-events.ts";

const [KEPT, FORGOTTEN] = ["did:web:kept.example", "did:web:forgotten.example"] as const;
const EVENTS = 9;

/** Every third is of the account that is forgotten. */
const note = (seq: number): StoredEvent => ({
  kind: "identity",
  seq,
  seenAt: seq,
  did: seq % 3 === 0 ? FORGOTTEN : KEPT,
  handle: `x${seq}`,
});

/** Two batches in each segment. */
const optionsOf = (folder: string) => ({
  folder,
  source: "relay:https://one.example",
  verified: true,
  targetBytes: 250,
  zstdLevel: 1,
  now: () => 1,
  onDamage: ({ reason }: { reason: string }) => assert.fail(reason),
});

async function stored(folder: string): Promise<StoredEvent[]> {
  const all: StoredEvent[] = [];
  const onDamage = ({ torn, reason }: { torn: boolean; reason: string }) => assert.ok(torn, reason);
  for await (const { events } of readEvents(folder, onDamage)) all.push(...events);
  return all;
}

/** What is read of the source from where the segments end. */
async function follow(writer: EventWriter, onStored: (seq: number) => void = () => {}): Promise<void> {
  for (let seq = (writer.cursor ?? 0) + 1; seq <= EVENTS; seq++) {
    await writer.append({ cursor: seq, events: [note(seq)] });
    onStored(seq);
  }
  await writer.close();
}

test("appended events are there once they were acknowledged, and each is there once", async (t) => {
  await assertCrashSafe<number>(t, {
    work: async ({ folder, fs, promise }) => follow(await EventWriter.open(optionsOf(folder), fs), promise),
    async recover({ folder, fs, promised }) {
      const writer = await EventWriter.open(optionsOf(folder), fs);
      const cursor = writer.cursor ?? 0;
      await follow(writer);
      assert.ok(cursor >= (promised.at(-1) ?? 0), `read on from ${cursor}`);
      assert.deepEqual(
        (await stored(folder)).map(({ seq }) => seq),
        Array.from({ length: EVENTS }, (_, index) => index + 1),
      );
    },
  });
});

test("events that are kept survive a rewrite, and those that were dropped do not come back", async (t) => {
  const rewrite = (folder: string, fs: FileSystem) =>
    rewriteEvents({
      folder,
      keep: (event) => (event.did === FORGOTTEN ? null : event),
      onDamage: ({ reason }) => assert.fail(reason),
      fs,
    });
  await assertCrashSafe<string>(t, {
    prepare: async (folder) => follow(await EventWriter.open(optionsOf(folder))),
    async work({ folder, fs, promise }) {
      await rewrite(folder, fs);
      promise("rewritten");
    },
    async recover({ folder, fs, promised }) {
      const events = await stored(folder);
      const kept = Array.from({ length: EVENTS }, (_, index) => note(index + 1)).filter(({ did }) => did === KEPT);
      assert.deepEqual(
        events.filter(({ did }) => did === KEPT),
        kept,
      );
      if (promised.length > 0) assert.deepEqual(events, kept);
      await rewrite(folder, fs);
      assert.deepEqual(await stored(folder), kept);
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.endsWith(".partial")),
        [],
      );
    },
  });
});
