/**
 * What a batch amounts to: which lines it adds to which file, and what it changes. This file changes nothing itself.
 */
import type { Batch, MetaCodec, Retried } from "../../kernel/ledger.ts";
import { type Commit, encodeSettled, type SettledTask } from "./commit-line.ts";
import { encodeRow, type Row, type StoredRow } from "./frontier-line.ts";
import { encodeRobots } from "./robots-line.ts";
import { DONE, FAILED, OPEN, REFUSED, type TaskIndex } from "./task-index.ts";

export interface Plan<Rec> {
  /** Tasks that join the queue. */
  frontier: Row[];
  /** Keys that will not be fetched: refused at admission, or while their task ran. */
  refused: Row[];
  /** Tasks that ended. */
  settled: SettledTask[];
  /** Tasks that were fetched before and have ended again. */
  refetched: SettledTask[];
  retried: Retried[];
  records: Rec[];
}

export interface PlanContext<Rec, Meta> {
  commit: number;
  now: number;
  index: TaskIndex;
  /** The open tasks that `rowsNeeded` asked for, by id. */
  stored: ReadonlyMap<number, StoredRow>;
  codec: MetaCodec<Meta>;
  pageType: (kind: number) => string;
  /** Adds to a record what only the ledger knows about its task: the page that led to it. */
  complete?: (record: Rec, row: Row) => Rec;
}

interface Change {
  row: Row;
  state: number;
}

/** Ids of the open tasks whose lines the plan needs: those that end, and those whose pages held new links. */
export function rowsNeeded(batch: Batch<unknown>, index: TaskIndex): number[] {
  const ids = new Set<number>();
  for (const { id } of batch.settled) ids.add(id);
  for (const { parent } of batch.admitted) ids.add(parent);
  return [...ids].filter((id) => index.state(id) === OPEN);
}

export function planCommit<Rec, Meta>(batch: Batch<Rec, Meta>, context: PlanContext<Rec, Meta>): Plan<Rec> {
  const { index, stored } = context;
  /** The final state of this batch's keys: a key may be refused, admitted again and settled in a single batch. */
  const changes = new Map<number, Change>();
  const plan: Plan<Rec> = { frontier: [], refused: [], settled: [], refetched: [], retried: [], records: [] };
  const stateOf = (id: number) => changes.get(id)?.state ?? index.state(id);
  const rowOf = (id: number) => changes.get(id)?.row ?? stored.get(id);

  for (const { meta, refetch, ...admitted } of batch.admitted) {
    const { id, parent, verdict } = admitted;
    const kind = context.codec.kindOf(meta);
    const before = stateOf(id);
    const isSettled = before === DONE || before === FAILED;
    if (before === OPEN || (isSettled && !refetch)) continue;
    const isCrawled = verdict.action === "crawl";
    const row: Row = {
      ...admitted,
      via: context.codec.viaOf(meta),
      kind,
      lane: isCrawled ? admitted.lane : "",
      pageType: context.pageType(kind),
      referrer: context.codec.referrerOf?.(meta) ?? rowOf(parent)?.key ?? null,
      discoveredAt: Math.floor(context.now / 1_000),
      commit: context.commit,
      ...(isSettled && { refetch }),
    };
    changes.set(id, { row, state: isCrawled ? OPEN : REFUSED });
  }
  for (const { id, state, verdict, record } of batch.settled) {
    if (stateOf(id) !== OPEN) continue;
    const row = rowOf(id)!;
    if (verdict === null) {
      (row.refetch ? plan.refetched : plan.settled).push({ row, state });
      changes.set(id, { row, state: state === "done" ? DONE : FAILED });
    } else {
      changes.set(id, { row: { ...row, verdict, lane: "", commit: context.commit }, state: REFUSED });
    }
    // A task that was settled before already has its record, and must not get a second one.
    if (record !== null) plan.records.push(context.complete?.(record, row) ?? record);
  }
  for (const retried of batch.retried) if (stateOf(retried.id) === OPEN) plan.retried.push(retried);
  for (const { row, state } of changes.values()) {
    if (state === OPEN) plan.frontier.push(row);
    else if (state === REFUSED) plan.refused.push(row);
  }
  return plan;
}

/** A planned batch as additions to each file, and as the text of its commit. Sums are added when it is written. */
export interface BatchLines {
  frontier: string[];
  refused: string[];
  fetched: string[];
  robots: string[];
  /** The keys of the notes whose lines are in `robots`. */
  robotsKeys: string[];
  commit: Omit<Commit, "commit" | "records">;
}

export function encodeBatch<Rec>(
  batch: Batch<Rec>,
  plan: Plan<Rec>,
  { now, commit }: { now: number; commit: number },
): BatchLines {
  const frontier = plan.frontier.map(encodeRow);
  const refused = plan.refused.map(encodeRow);
  const { fetched, settled, checks } = encodeSettled(plan.settled);
  // Of two notes with the same key, the last one counts.
  const notes = new Map(batch.notes.map(({ key, value }) => [key, value]));
  const robots: string[] = [];
  const robotsKeys: string[] = [];
  for (const [key, value] of notes) {
    const line = encodeRobots({ key, value }, now, commit);
    if (line === null) continue;
    robots.push(line);
    robotsKeys.push(key);
    notes.delete(key);
  }
  const { settled: refetched } = encodeSettled(plan.refetched);
  const retried = plan.retried.map(({ id, attempt, notBefore }): [number, number, number] => [id, attempt, notBefore]);
  return {
    frontier,
    refused,
    fetched,
    robots,
    robotsKeys,
    commit: {
      ...(settled.length > 0 && { settled, checks }),
      ...(refetched.length > 0 && { refetched }),
      ...(retried.length > 0 && { retried }),
      ...(batch.lanes.size > 0 && { lanes: [...batch.lanes] }),
      ...(notes.size > 0 && { notes: [...notes] }),
    },
  };
}
