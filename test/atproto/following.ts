/** Helpers for tests of `follow`: a network with a stream, a follower in this process, and the events that it stored. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { parseAtprotoConfig } from "../../src/atproto/atproto-config.ts";
import type { StoredEvent } from "../../src/atproto/follow/event-format.ts";
import { readEvents } from "../../src/atproto/follow/event-segments.ts";
import { Follow, type FollowOptions } from "../../src/atproto/follow/follow.ts";
import { FOLLOW_DEFAULTS, type FollowSettings, parseFollowSource } from "../../src/atproto/follow/follow-config.ts";
import { Firehose } from "../servers/at-network/firehose.ts";
import type { AtNetwork } from "../servers/at-network.ts";
import { makeFolder, noSuchName, startNetwork } from "./crawling.ts";

export interface FollowedNetwork {
  network: AtNetwork;
  firehose: Firehose;
  folder: string;
}

export async function startFirehose(t: TestContext, accounts = 4): Promise<FollowedNetwork> {
  const network = await startNetwork(t, { accounts: [accounts], plain: true });
  const firehose = new Firehose();
  await firehose.up();
  t.after(() => firehose.down());
  return { network, firehose, folder: makeFolder(t) };
}

export const followSettings = (firehose: Firehose, more: Partial<FollowSettings> = {}): FollowSettings => ({
  ...FOLLOW_DEFAULTS,
  cursor: 0,
  // Tests that are about them set them.
  closeEvery: 1e6,
  sweepEvery: 0,
  source: parseFollowSource(`relay:${firehose.origin}`, true),
  ...more,
});

export const followConfig = (network: AtNetwork, folder: string, more: object = {}) =>
  parseAtprotoConfig({
    source: [`relay:${network.relay.url}`],
    outputDir: join(folder, "rca"),
    allowPrivate: true,
    plcUrl: network.plc.url,
    plcRps: 1_000,
    ...more,
  });

export async function startFollow(
  t: TestContext,
  { network, firehose, folder }: FollowedNetwork,
  options: Partial<FollowOptions> = {},
): Promise<Follow> {
  const follow = await Follow.start({
    config: followConfig(network, folder),
    settings: followSettings(firehose),
    lookup: noSuchName,
    ...options,
  });
  t.after(() => follow.stop().catch(() => {}));
  return follow;
}

/** In order. */
export async function storedEvents(folder: string): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  const onDamage = ({ torn, reason }: { torn: boolean; reason: string }) => void (torn || assert.fail(reason));
  for await (const batch of readEvents(join(folder, "rca"), onDamage)) events.push(...batch.events);
  return events;
}

/** Waits for something that other processes or sockets bring about: five minutes at most, below the runner's limit, to name it. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let left = 30_000; !(await isSo()); left--) {
    if (left === 0) assert.fail(`waited in vain: ${what}`);
    await wait(10);
  }
}

export const reached = (follow: Follow, seq: number): Promise<void> =>
  until(`event ${seq} on the disk`, () => (follow.progress().cursor ?? 0) >= seq);
