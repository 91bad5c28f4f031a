/** What comes over streams is read with, and what is stored of it: WebSocket frames, the firehose, Jetstream, event segments. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, zstdCompressSync } from "node:zlib";
import {
  BATCH_HEAD_BYTES,
  decodeBatch,
  decodeEventHeader,
  encodeBatch,
  encodeEvent,
  encodeEventHeader,
} from "../../../src/atproto/follow/event-format.ts";
import { type CheckTools, type EventCheck, FrameCheck } from "../../../src/atproto/follow/frame-check.ts";
import { JetstreamCheck } from "../../../src/atproto/follow/jetstream.ts";
import { BadBytes } from "../../../src/atproto/rca/format/bytes.ts";
import { encode } from "../../../src/atproto/repo/testing/cbor.ts";
import { decodeCursor, encodeCursor } from "../../../src/atproto/serve/stream-cursor.ts";
import { systemClock } from "../../../src/kernel/clock.ts";
import {
  BINARY_FRAME,
  encodeFrame,
  FrameReader,
  WebSocketProblem,
} from "../../../src/net/websocket/websocket-frames.ts";
import type { Target } from "../target.ts";

const DID = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa";
const LARGEST_MESSAGE = 65_536;

const tools = {
  state: { account: () => null, isMarked: () => false },
  storedRev: () => null,
  isWanted: () => true,
  clock: { ...systemClock, now: () => Date.UTC(2027, 0, 1) },
  random: () => 0.5,
  identities: {
    findSoon: async () => ({ signingKey: "zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme" }),
    renew: async () => null,
  },
} as unknown as CheckTools;

/** Reads a message, and stores what it became: a place in the stream that no segment can hold is a defect too. */
async function taken(check: EventCheck, input: Buffer): Promise<unknown> {
  const prepared = await check.prepare(input);
  if ("name" in prepared) return prepared;
  const events = prepared.kind === "event" ? prepared.events() : [];
  return prepared.seq === null ? null : decodeBatch(encodeBatch({ cursor: prepared.seq, events }, 1));
}

const frame = (type: string, body: object): Buffer =>
  Buffer.concat([encode({ op: 1, t: type }), encode({ seq: 7, time: "2026-01-01T00:00:00.000Z", ...body })]);
const car = readFileSync(join(import.meta.dirname, "../seeds/repo.car"));
const link = { $link: Buffer.concat([Buffer.from([1, 0x71, 0x12, 0x20]), Buffer.alloc(32, 1)]) };
const op = { action: "create", path: "app.bsky.feed.post/a", cid: link };

const jetstream = (more: object): string => JSON.stringify({ did: DID, time_us: 1, kind: "commit", ...more });

const cursor = encodeCursor({
  after: null,
  began: 1,
  blocks: { below: 1, at: { "1": 5 } },
  events: { segment: 1, offset: 2, index: 3, made: "4" },
});

const event = { seq: 1, seenAt: 2, did: DID };

/** A batch that is whole: the first byte is the number of its events, the rest is what they are read from. */
function sealed(input: Buffer): Buffer {
  const frame = zstdCompressSync(input.subarray(1));
  const bytes = Buffer.concat([Buffer.alloc(BATCH_HEAD_BYTES), frame]);
  bytes.writeUInt32LE(bytes.length, 0);
  bytes.writeUInt32LE(input[0] ?? 0, 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
  return bytes;
}

export const FOLLOW: readonly Target[] = [
  {
    name: "websocket",
    seeds: [
      encodeFrame(BINARY_FRAME, Buffer.from("hello"), false),
      Buffer.from([0x02, 0x02, 1, 2, 0x89, 0x00, 0x80, 0x01, 3]),
    ],
    refuses: (error) => error instanceof WebSocketProblem,
    run: (input) => [...new FrameReader({ largestMessage: LARGEST_MESSAGE, masked: false }).push(input)],
  },
  {
    name: "firehose",
    seeds: [
      frame("#commit", {
        repo: DID,
        rev: "3kaaaaaaaaaaa",
        since: null,
        commit: link,
        blocks: car,
        ops: [op],
        tooBig: false,
      }),
      frame("#sync", { did: DID, rev: "3kaaaaaaaaaaa", blocks: car }),
      frame("#identity", { did: DID, handle: "a.test" }),
      frame("#account", { did: DID, active: false, status: "takendown" }),
      frame("#info", { name: "OutdatedCursor" }),
      frame("#unknown", {}),
    ],
    run: (input) => taken(new FrameCheck(tools), input),
  },
  {
    name: "jetstream",
    seeds: [
      jetstream({
        commit: {
          rev: "3kaaaaaaaaaaa",
          operation: "create",
          collection: "a.b.c",
          rkey: "x",
          record: { a: [1] },
          cid: "b",
        },
      }),
      jetstream({ kind: "identity", identity: { handle: "a.test" } }),
      jetstream({ kind: "account", account: { active: false, status: "deleted" } }),
    ],
    words: ["{", "}", "[", "]", '"', ":", ",", "null", "__proto__", '"time_us":9007199254740993', "1e999"],
    run: (input) => taken(new JetstreamCheck(tools), input),
  },
  {
    name: "event-header",
    seeds: [encodeEventHeader({ createdAt: 1n, source: "relay:https://a.test", verified: true })],
    refuses: (error) => error instanceof BadBytes,
    run: (input) => decodeEventHeader(input),
  },
  {
    name: "event-batch",
    seeds: [
      Buffer.concat([
        Buffer.of(3),
        encodeEvent({ kind: "identity", ...event, handle: "a.test" }),
        encodeEvent({ kind: "commit", ...event, rev: "3k", since: "", commit: Buffer.from("x"), ops: [] }),
        encodeEvent({ kind: "gap", ...event, reason: "OutdatedCursor" }),
      ]),
    ],
    refuses: (error) => error instanceof BadBytes,
    run: (input) => decodeBatch(sealed(input)),
  },
  {
    name: "stream-cursor",
    seeds: [cursor],
    run: (input) => decodeCursor(input.toString("utf8")),
  },
];
