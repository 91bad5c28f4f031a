/** Jetstream: records with the right CID are taken, all operations of a commit, and what does not match marks the repo. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { systemClock } from "../../kernel/clock.ts";
import { encodeCid } from "../repo/multibase.ts";
import { DEEPEST_RECORD } from "../repo/parsed-repo.ts";
import { encode } from "../repo/testing/cbor.ts";
import { FollowState } from "./follow-state.ts";
import { JetstreamCheck } from "./jetstream.ts";

const DID = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa";

function check(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "trawl-jetstream-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const state = new FollowState(folder);
  t.after(() => state.close());
  const made = new JetstreamCheck({
    state,
    storedRev: () => null,
    isWanted: () => true,
    speaksFor: null,
    clock: systemClock,
    random: Math.random,
    identities: null as never,
  });
  const take = (message: object) => {
    const prepared = made.prepare(Buffer.from(JSON.stringify(message)));
    if (prepared.kind !== "event") return prepared;
    const events = prepared.events();
    for (const event of events) state.apply(event);
    return events;
  };
  return { state, made, take };
}

const commit = (time: number, more: object) => ({
  did: DID,
  time_us: time,
  kind: "commit",
  commit: { rev: "3kaaaaaaaaaaa", collection: "app.bsky.feed.post", rkey: "a", ...more },
});

test("operations of one commit are all taken, with records as DAG-CBOR; older revs are not", (t) => {
  const { take, state } = check(t);
  const record = { $type: "app.bsky.feed.post", text: "ü", langs: ["en"] };
  const block = encode(record);
  const cid = encodeCid(hash("sha256", block, "buffer"), 0);
  const [first] = take(commit(1, { operation: "create", record, cid })) as never as { ops: { record: Buffer }[] }[];
  assert.deepEqual(Buffer.from(first!.ops[0]!.record), block);
  assert.equal((take(commit(2, { operation: "delete", rkey: "b" })) as unknown[]).length, 1);
  assert.deepEqual(take(commit(3, { operation: "delete", rev: "3kaaaaaaaaa2a" })), []);
  assert.equal(state.marked, 0);
});

test("a record with another CID is refused, and its repo is marked once", (t) => {
  const { take, state, made } = check(t);
  const wrong = { operation: "create", record: { text: "forged" }, cid: "bafyreiabc" };
  assert.equal((take(commit(1, wrong)) as { kind: string }[])[0]!.kind, "mark");
  assert.deepEqual(take(commit(2, wrong)), []);
  assert.deepEqual([state.marked, made.refused], [1, 2]);
});

test("accounts and identities are taken; what is not a message is unreadable", (t) => {
  const { take, state } = check(t);
  take({ did: DID, time_us: 5, kind: "account", account: { active: false, status: "takendown" } });
  assert.equal(state.account(DID)!.status, "takendown");
  assert.deepEqual(take({ did: DID, time_us: 6, kind: "weather" }), { kind: "unreadable", seq: 6 });
  assert.deepEqual(take({ did: "me", time_us: 7, kind: "identity" }), { kind: "unreadable", seq: null });
});

test("a message that is nested too deeply is unreadable, and a record of the deepest that are allowed is read", (t) => {
  const { made, take } = check(t);
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}"[{\\"["${"}".repeat(levels)}`;
  const message = (record: string) => {
    const text = JSON.stringify(commit(1, { operation: "create", cid: "b" }));
    return Buffer.from(text.replace(/\}\}$/, `,"record":${record}}}`));
  };
  assert.deepEqual(made.prepare(message(nested(100_000))), { kind: "unreadable", seq: null });
  assert.equal(made.prepare(message(nested(DEEPEST_RECORD))).kind, "event");
  const record = JSON.parse(nested(DEEPEST_RECORD)) as object;
  const block = encode(record);
  const cid = encodeCid(hash("sha256", block, "buffer"), 0);
  const [event] = take(commit(2, { operation: "create", record, cid })) as { kind: string }[];
  assert.equal(event?.kind, "commit");
});
