/**
 * How many events of the firehose one core verifies and stores: frames in memory, in; event segments, synced, out. Keys of accounts are known.
 * `node bench/atproto-follow.ts [--accounts 100] [--rounds 10]`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BatchBuilder } from "../src/atproto/follow/batch-builder.ts";
import { EventWriter } from "../src/atproto/follow/event-segments.ts";
import type { FollowIdentities } from "../src/atproto/follow/follow-identities.ts";
import { FollowState } from "../src/atproto/follow/follow-state.ts";
import { FrameCheck } from "../src/atproto/follow/frame-check.ts";
import { systemClock } from "../src/kernel/clock.ts";
import { makeAccount } from "../test/servers/at-network/accounts.ts";
import { Firehose } from "../test/servers/at-network/firehose.ts";
import { circumstances, table, writeSection } from "./results.ts";

const { values } = parseArgs({
  options: { accounts: { type: "string", default: "100" }, rounds: { type: "string", default: "10" } },
});

/** A small repo each, so that the slice of a commit has a few nodes of the tree, as most commits do. */
const RECORDS_BEFORE = 30;

const firehose = new Firehose();
const keys = new Map<string, string>();
const post = (text: string) => ({
  $type: "app.bsky.feed.post",
  text,
  langs: ["en"],
  createdAt: "2026-11-18T12:00:00.000Z",
});
for (let index = 0; index < Number(values.accounts); index++) {
  const account = await makeAccount({ index, host: "pds", fault: null, records: 0, seed: 5 });
  keys.set(account.did, account.key.did());
  const write = (name: string) =>
    ["create", `app.bsky.feed.post/${name}`, post(`${name} of ${index}, somewhat long as posts are`)] as const;
  const first = Array.from({ length: RECORDS_BEFORE }, (_, number) => write(`before${number}`));
  await firehose.commit(
    account,
    first.map((one) => [...one]),
    { silent: true },
  );
  for (let round = 0; round < Number(values.rounds); round++) await firehose.commit(account, [[...write(`r${round}`)]]);
}
const folder = await mkdtemp(join(tmpdir(), "trawl-bench-follow-"));
try {
  const identity = (did: string) => ({ pds: null, signingKey: keys.get(did)!, since: 0, isLookup: false });
  const identities = { findSoon: identity, renew: async () => null } as unknown as FollowIdentities;
  const state = new FollowState(folder);
  const writer = await EventWriter.open({
    folder,
    source: "relay:https://bench.example",
    verified: true,
    targetBytes: 2 ** 30,
    zstdLevel: 3,
    now: Date.now,
    onDamage: () => {},
  });
  const check = new FrameCheck({
    identities,
    state,
    storedRev: () => null,
    isWanted: () => true,
    speaksFor: null,
    clock: systemClock,
    random: Math.random,
  });
  const batches = new BatchBuilder({ writer, state, clock: systemClock });
  // For each account, the frames are in order; across accounts, they come as they do in the network.
  const frames = firehose.log.toSorted((a, b) => a.seq - b.seq);
  const before = process.cpuUsage();
  const began = performance.now();
  for (const { bytes } of frames) {
    const prepared = await check.prepare(bytes);
    if (prepared.kind !== "event") throw new Error("a frame was not read");
    await batches.take(prepared);
  }
  await batches.flush();
  const wall = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  await writer.close();
  state.close();
  if (batches.stored.get("commit") !== frames.length) throw new Error("not every event was stored");
  const wire = frames.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const rows = [
    [
      `${frames.length}`,
      `${(wire / frames.length).toFixed(0)}`,
      `${Math.round(frames.length / seconds)}`,
      `${(wire / seconds / 1e6).toFixed(1)}`,
      `${wall.toFixed(1)}`,
    ],
  ];
  const heading = ["events", "bytes each", "verified events/s per core", "MB/s per core", "wall s"];
  const text = table(heading, rows);
  console.log(text);
  const intro =
    "Commits of one post each in repos of 30 to 40 records: frame, hashes, signature (two of three secp256k1), tree, event segments, synced; keys known.";
  writeSection(
    "atproto-follow",
    ["## Following the firehose", "", intro, "", circumstances(new Date()), "", text].join("\n"),
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
