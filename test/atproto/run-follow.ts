/** A follower in a process of its own, for tests that kill it: `node run-follow.ts '<settings>'`. */
import { parseAtprotoConfig } from "../../src/atproto/atproto-config.ts";
import { Follow } from "../../src/atproto/follow/follow.ts";
import { FOLLOW_DEFAULTS, parseFollowSource } from "../../src/atproto/follow/follow-config.ts";
import { noSuchName } from "./crawling.ts";

const { source, segmentSize, ...config } = JSON.parse(process.argv[2]!) as { source: string; segmentSize: number };
const follow = await Follow.start({
  config: parseAtprotoConfig({ ...config, source: [source] }),
  settings: {
    ...FOLLOW_DEFAULTS,
    cursor: 0,
    sweepEvery: 0,
    closeEvery: 0.1,
    eventSegmentSize: segmentSize,
    source: parseFollowSource(source, true),
  },
  lookup: noSuchName,
});
process.on("SIGTERM", () => void follow.stop());
process.send?.("started");
await follow.ended;
