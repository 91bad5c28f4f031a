/** Small valid things for tests: a find, an admitted key, a task, a batch, a lane policy. */
import type { LanePolicy } from "../lane.ts";
import type { Batch, MetaCodec } from "../ledger.ts";
import { type Admitted, CRAWL, type Found, type Task } from "../task.ts";

/** A meta that is nothing but what a ledger stores. */
export interface PlainMeta {
  via: number;
  kind: number;
}

export const PLAIN_META: MetaCodec<PlainMeta> = {
  viaOf: ({ via }) => via,
  kindOf: ({ kind }) => kind,
  metaOf: (via, kind) => ({ via, kind }),
};

export const aFound = <Meta = PlainMeta>(key: string, more: Partial<Found<Meta>> = {}): Found<Meta> => ({
  key,
  depth: 0,
  parent: 0,
  hops: 0,
  meta: { via: 0, kind: 0 } as Meta,
  ...more,
});

export const anAdmitted = (id: number, more: Partial<Admitted<PlainMeta>> = {}): Admitted<PlainMeta> => ({
  ...aFound(`key ${id}`),
  id,
  place: id,
  lane: "lane",
  verdict: CRAWL,
  ...more,
});

export const aTask = <Meta = PlainMeta>(id: number, more: Partial<Task<Meta>> = {}): Task<Meta> => ({
  ...aFound<Meta>(`key ${id}`),
  id,
  place: id,
  lane: "lane",
  attempt: 0,
  notBefore: 0,
  ...more,
});

export const aBatch = <Rec>(more: Partial<Batch<Rec, PlainMeta>> = {}): Batch<Rec, PlainMeta> => ({
  admitted: [],
  settled: [],
  retried: [],
  lanes: new Map(),
  notes: [],
  ...more,
});

export const aPolicy = (more: Partial<LanePolicy> = {}): LanePolicy => ({
  concurrency: 10,
  intervalMs: 0,
  throttledMs: 60_000,
  maxThrottledMs: 3_600_000,
  forgetThrottledMs: 1_800_000,
  overloadedIntervalMs: 100,
  minPace: 0.05,
  halveEvery: 0,
  recovery: 0.1,
  blockAfter: 5,
  probeMs: 30_000,
  maxProbeMs: 600_000,
  giveUpAfter: 3,
  onGiveUp: "park",
  ...more,
});
