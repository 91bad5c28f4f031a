/**
 * Recorded events as changes of records, each with a time that puts it in order with the repos that were fetched: what a fetched repo
 * has already seen is before it, what came later is after it, whichever clock time they have.
 */
import { basename } from "node:path";
import type { StoredEvent } from "../follow/event-format.ts";
import { eventRecordJson, splitPath } from "../follow/event-record.ts";
import { batchesOf, type EventSegment, eventSegments, readBatch } from "../follow/event-segments.ts";
import type { Damage } from "../rca/format/bytes.ts";
import type { NewestHead } from "../rca/read/newest-heads.ts";
import type { JsonForm } from "../repo/parsed-repo.ts";

export interface RecordChange {
  did: string;
  collection: string;
  rkey: string;
  operation: "create" | "update" | "delete";
  rev: string;
  /** Unix microseconds. */
  time: bigint;
  /** The record of a create or update, DAG-CBOR. */
  record: Buffer | null;
}

/** The JSON of a change: empty for a delete, `null` for what is not a record. */
export const changeJson = ({ record }: RecordChange, form: JsonForm): Buffer =>
  record === null ? NOTHING : (eventRecordJson(record, form) ?? NULL);

const NOTHING = Buffer.alloc(0);
const NULL = Buffer.from("null");

export interface ChangeBatch {
  /** The segment by name and time of creation. */
  id: string;
  path: string;
  /** Where its batch begins, and the next one. */
  offset: number;
  end: number;
  changes: RecordChange[];
}

export interface ChangeOptions {
  folder: string;
  onDamage: (damage: Damage) => void;
  /** Where reading a segment begins; 0 for its beginning. */
  from?: (id: string) => number;
  newest: (did: string) => Promise<NewestHead | null>;
  wants: (did: string, collection: string) => boolean;
}

export const eventSegmentId = (path: string, createdAt: bigint): string => `${basename(path)}@${createdAt}`;

/** All changes in the order in which they came, batch by batch. */
export async function* recordChanges(options: ChangeOptions): AsyncGenerator<ChangeBatch> {
  for (const segment of await eventSegments(options.folder)) yield* segmentChanges(segment, options);
}

async function* segmentChanges(segment: EventSegment, options: ChangeOptions): AsyncGenerator<ChangeBatch> {
  const { onDamage, from = () => 0 } = options;
  const start = (header: { createdAt: bigint }) => from(eventSegmentId(segment.path, header.createdAt));
  for await (const placed of batchesOf(segment, { onDamage, from: start })) {
    const events = readBatch(placed, onDamage)?.events ?? [];
    const { path, offset, end, header } = placed;
    yield { id: eventSegmentId(path, header.createdAt), path, offset, end, changes: await changesOf(events, options) };
  }
}

async function changesOf(events: readonly StoredEvent[], { newest, wants }: ChangeOptions): Promise<RecordChange[]> {
  const changes: RecordChange[] = [];
  let last = 0n;
  for (const event of events) {
    if (event.kind !== "commit") continue;
    const { did, rev, ops } = event;
    const wanted = ops.flatMap(({ action, path, record }) => {
      const [collection, rkey] = splitPath(path);
      return wants(did, collection) ? [{ did, rev, collection, rkey, operation: action, record }] : [];
    });
    if (wanted.length === 0) continue;
    // Events of one millisecond keep their order.
    const seen = BigInt(Math.floor(event.seenAt));
    last = seen > last ? seen : last + 1n;
    const time = orderedTime(last, rev, await newest(did));
    for (const change of wanted) changes.push({ ...change, time });
  }
  return changes;
}

function orderedTime(seen: bigint, rev: string, block: NewestHead | null): bigint {
  if (block === null) return seen;
  const { crawledAt } = block;
  if (rev <= block.rev) return seen < crawledAt ? seen : crawledAt - 1n;
  return seen > crawledAt ? seen : crawledAt + 1n;
}
