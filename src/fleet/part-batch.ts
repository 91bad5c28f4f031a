/** A kernel batch as a partition's rows: copied and encoded when it is given, so that what cannot be stored fails its own partition only. */
import type { LaneState } from "../kernel/lane.ts";
import type { Batch, MetaCodec, Retried } from "../kernel/ledger.ts";
import type { Admitted, Found, Verdict } from "../kernel/task.ts";
import { consumedOf, foreignOf } from "./fleet-notes.ts";
import { packFinds } from "./packed-finds.ts";

/** A record on its way to the database, and the finds that belong to other partitions. */
export interface EncodedRecord<Meta> {
  /** Null when only the finds are stored. */
  bytes: Uint8Array | null;
  foreign: readonly Found<Meta>[];
  /** A record that is stored outside PostgreSQL: a line of its table, without partition and id. */
  outside?: Uint8Array;
}

/** A record on its way to where records are stored outside PostgreSQL. */
export interface OutsideRow {
  part: number;
  id: number;
  line: Uint8Array;
}

export type EncodeRecord<Rec, Meta> = (record: Rec) => EncodedRecord<Meta>;

export interface SettledRow {
  id: number;
  state: "done" | "failed";
  verdict: Verdict | null;
  bytes: Uint8Array | null;
  outside?: Uint8Array | undefined;
}

export interface PartBatch {
  admitted: (Omit<Admitted, "meta"> & { via: number; kind: number })[];
  settled: SettledRow[];
  retried: Retried[];
  lanes: [string, LaneState][];
  notes: [string, string][];
  /** What goes to other partitions, packed. */
  sent: { part: number; bytes: Uint8Array }[];
  /** Rows of the inbox whose finds this batch, or one before it, has admitted. */
  consumed: string[];
}

export interface PartBatchOptions<Rec, Meta> {
  codec: MetaCodec<Meta>;
  encode: EncodeRecord<Rec, Meta>;
  /** The partition of a find; null when it was sent before and need not be sent again. */
  route: (found: Found<Meta>) => number | null;
}

export function partBatch<Rec, Meta>(batch: Batch<Rec, Meta>, options: PartBatchOptions<Rec, Meta>): PartBatch {
  const { codec, encode, route } = options;
  const finds = new Map<number, Found<Meta>[]>();
  const send = (found: Found<Meta>) => {
    const part = route(found);
    if (part === null) return;
    const list = finds.get(part);
    if (list === undefined) finds.set(part, [found]);
    else list.push(found);
  };
  const seen = new Set<number>();
  const settled: SettledRow[] = [];
  for (const { id, state, verdict, record } of batch.settled) {
    // The first record counts: a settled task already has its record.
    if (seen.has(id)) continue;
    seen.add(id);
    const encoded = record === null ? null : encode(record);
    for (const found of encoded?.foreign ?? []) send(found);
    settled.push({ id, state, verdict, bytes: encoded?.bytes ?? null, outside: encoded?.outside });
  }
  const notes = new Map<string, string>();
  const consumed: string[] = [];
  for (const { key, value } of batch.notes) {
    const rows = consumedOf({ key, value });
    const foreign = foreignOf({ key, value }, codec);
    if (rows !== null) consumed.push(...rows);
    else if (foreign !== null) foreign.forEach(send);
    else notes.set(storable(key), storable(value));
  }
  return {
    admitted: admittedRows(batch.admitted, codec),
    settled,
    retried: [...new Map(batch.retried.map((retried) => [retried.id, retried])).values()],
    lanes: [...batch.lanes].map(([key, state]) => [key, { ...state }]),
    notes: [...notes],
    sent: [...finds].map(([part, list]) => ({ part, bytes: packFinds(list, codec) })),
    consumed,
  };
}

/** One row per id. A key that was refused may be admitted again; a key that is crawled stays as it is. */
function admittedRows<Meta>(admitted: readonly Admitted<Meta>[], codec: MetaCodec<Meta>): PartBatch["admitted"] {
  const rows = new Map<number, PartBatch["admitted"][number]>();
  for (const { meta, ...row } of admitted) {
    if (rows.get(row.id)?.verdict.action === "crawl") continue;
    const { reason, rule, action } = row.verdict;
    rows.set(row.id, {
      ...row,
      key: storable(row.key),
      verdict: { action, reason, rule: rule === null ? null : storable(rule) },
      via: codec.viaOf(meta),
      kind: codec.kindOf(meta),
    });
  }
  return [...rows.values()];
}

/** PostgreSQL stores every character except this one, which no canonical URL contains. */
const storable = (text: string): string => (text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text);
