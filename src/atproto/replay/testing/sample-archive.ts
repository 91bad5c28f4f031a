/** Archives for tests: repos with known records, in segments of a folder that is removed. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoredEvent } from "../../follow/event-format.ts";
import { EventWriter } from "../../follow/event-segments.ts";
import { FollowState } from "../../follow/follow-state.ts";
import { compressCollections, encodeRecords } from "../../rca/format/collection.ts";
import { SegmentWriter } from "../../rca/write/segment-writer.ts";
import { encode as encodeCbor } from "../../repo/testing/cbor.ts";

export interface SampleRepo {
  did: string;
  /** Unix microseconds. */
  crawledAt: bigint;
  /** Default: 3l. */
  rev?: string;
  /** By collection, then by rkey: the record, or its JSON as text. */
  collections: Record<string, Record<string, unknown>>;
}

export async function temporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), "trawl-replay-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Writes one segment, or one per repo when `targetBytes` is 1. */
export async function writeSegment(
  folder: string,
  repos: readonly SampleRepo[],
  targetBytes = 2 ** 30,
  createdAt = 1_700_000_000_000,
): Promise<void> {
  const writer = new SegmentWriter({ folder, targetBytes, proofs: false, now: () => createdAt });
  for (const { did, crawledAt, collections, rev = "3l" } of repos) {
    const contents = Object.entries(collections).map(([name, records]) => {
      const entries = Object.entries(records);
      const values = entries.map(([rkey, record]) => ({ rkey, value: Buffer.from(jsonOf(record)) }));
      return { name, recordCount: entries.length, bytes: encodeRecords(values) };
    });
    await writer.append({
      did,
      pds: "https://pds.example.com",
      rev,
      crawledAt,
      collections: compressCollections(contents, 1),
    });
  }
  await writer.close();
}

/** Stores events as `follow` does, and what follows from them. They are one batch. */
export async function recordEvents(folder: string, events: readonly StoredEvent[]): Promise<void> {
  const writer = await EventWriter.open({
    folder,
    source: "relay:http://relay.test",
    verified: false,
    targetBytes: 2 ** 30,
    zstdLevel: 1,
    now: () => 1_700_000_000_000,
    onDamage: ({ reason }) => {
      throw new Error(reason);
    },
  });
  const state = new FollowState(folder);
  for (const event of events) state.apply(event);
  state.commit(await writer.append({ cursor: events.at(-1)!.seq, events: [...events] }));
  state.close();
  await writer.close();
}

/** `ops`: by path, the new record; null when it was deleted. */
export function commitEvent(
  seq: number,
  did: string,
  rev: string,
  seenAt: bigint,
  ops: Record<string, { text: string } | null>,
): StoredEvent {
  const all = Object.entries(ops).map(([path, record]) => ({
    path,
    action: record === null ? ("delete" as const) : ("create" as const),
    record: record === null ? null : encodeCbor(record),
  }));
  return { kind: "commit", seq, seenAt: Number(seenAt), did, rev, since: "", commit: Buffer.alloc(0), ops: all };
}

const jsonOf = (record: unknown): string => (typeof record === "string" ? record : JSON.stringify(record));

export const POST = "app.bsky.feed.post";
export const LIKE = "app.bsky.feed.like";

/** Text that a careless encoder would break. */
export const TRICKY = { text: 'tab\t line\n back\\slash "quote" \u0000 ünï 🙂 \\N' };

export const SAMPLE: readonly SampleRepo[] = [
  {
    did: "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa",
    crawledAt: 1_700_000_000_123_456n,
    collections: { [POST]: { k1: { text: "one" }, k2: TRICKY }, [LIKE]: { l1: { subject: "x" } } },
  },
  { did: "did:plc:bbbbbbbbbbbbbbbbbbbbbbbb", crawledAt: 1_700_000_001_000_000n, collections: {} },
  {
    did: "did:web:example.com",
    crawledAt: 1_702_000_000_000_001n,
    // White space in JSON may be tabs and line ends.
    collections: { [POST]: { k1: '{\n\t"text": "three"\r\n}' } },
  },
];
