/**
 * A product that fetches nothing: its pages are made up from their names, its latencies from a seed.
 *
 * It has caps in its gate, as a real one has, because caps are what makes the order of finds matter.
 */

import type { LanePolicy } from "../lane.ts";
import type { Known, Note } from "../ledger.ts";
import type { CrawlContext, Offer, Outcome, Product } from "../product.ts";
import { Budget } from "../seen.ts";
import { CRAWL, type Found, type Task, type Verdict } from "../task.ts";
import type { FakeClock } from "./fake-clock.ts";
import { aFound, aPolicy, type PlainMeta } from "./samples.ts";

export interface GraphRecord {
  key: string;
  /** Ids of what it links to, in order. */
  links: number[];
}

/** What a page answers. Without one of these it is done at once. */
export type Answer = Partial<
  Pick<Outcome<GraphRecord, PlainMeta>, "result" | "retryAt" | "attempts" | "signal" | "bytes" | "verdict">
>;

export interface GraphOptions {
  clock: FakeClock;
  /** What a page leads to; a string is a link, one step deeper. */
  links: (task: Task) => (string | (Partial<Found<PlainMeta>> & { key: string }))[];
  latency?: (task: Task) => number;
  answer?: (task: Task) => Answer;
  /** The lane is what stands before the first slash. */
  policy?: (lane: string) => Partial<LanePolicy>;
  /** Tasks to crawl in all, and per lane; 0 for no cap. */
  maxTasks?: number;
  maxPerLane?: number;
  isOrdered?: (task: Task) => boolean;
  /** Tasks that are not sent any more. */
  refuses?: (task: Task) => boolean;
  prepare?: (outcome: Outcome<GraphRecord, PlainMeta>, context: CrawlContext) => Promise<void> | undefined;
  /** Called when a task is performed, before its latency. */
  onPerform?: (task: Task, context: CrawlContext) => Promise<void> | void;
  onClose?: () => Promise<void>;
  /** Flights do not hear of an abort: they land. */
  isDeaf?: boolean;
}

/** A request as the other side sees it. */
export interface Visit {
  key: string;
  lane: string;
  at: number;
  attempt: number;
}

export const laneOf = (key: string): string => key.slice(0, key.indexOf("/"));
export const NOFOLLOW: Verdict = { action: "record", reason: "NOFOLLOW", rule: null };
export const MAX_TASKS: Verdict = { action: "record", reason: "MAX_TASKS", rule: "max-tasks" };
export const REFUSED: Verdict = { action: "skip", reason: "REFUSED", rule: null };
export const MAX_PER_LANE: Verdict = { action: "skip", reason: "MAX_PER_LANE", rule: "max-per-lane" };

export class GraphProduct implements Product<GraphRecord, PlainMeta> {
  readonly provisionalReasons = new Set(["NOFOLLOW"]);
  readonly visits: Visit[] = [];
  readonly abandoned: string[] = [];
  readonly applied: string[] = [];
  readonly notes: Note[] = [];
  flying = 0;
  mostFlying = 0;
  /** The most that were under way at once in each lane. */
  readonly mostPerLane = new Map<string, number>();
  readonly #flyingPerLane = new Map<string, number>();
  closed = false;
  readonly #options: GraphOptions;
  readonly #tasks: Budget;
  readonly #perLane: Budget;

  constructor(options: GraphOptions) {
    this.#options = options;
    this.#tasks = new Budget(options.maxTasks ?? 0);
    this.#perLane = new Budget(options.maxPerLane ?? 0);
  }

  /** A find of kind 1 does not count, until another find leads to the same key. */
  gate(found: Found<PlainMeta>): Verdict {
    if (found.meta.kind === 1) return NOFOLLOW;
    if (!this.#tasks.has("")) return MAX_TASKS;
    if (!this.#perLane.has(laneOf(found.key))) return MAX_PER_LANE;
    this.#spend(found.key);
    return CRAWL;
  }

  #spend(key: string): void {
    this.#tasks.spend("");
    this.#perLane.spend(laneOf(key));
  }

  laneOf(found: Found): string {
    return laneOf(found.key);
  }

  lanePolicy(lane: string): LanePolicy {
    return aPolicy(this.#options.policy?.(lane));
  }

  isOrdered(task: Task): boolean {
    return this.#options.isOrdered?.(task) ?? true;
  }

  refuse(task: Task): Outcome<GraphRecord, PlainMeta> | null {
    if (this.#options.refuses?.(task) !== true) return null;
    const settle = () => {
      this.applied.push(task.key);
      return null;
    };
    return { result: "done", signal: { kind: "neutral" }, verdict: REFUSED, settle };
  }

  async perform(task: Task, context: CrawlContext): Promise<Outcome<GraphRecord, PlainMeta> | null> {
    const { signal } = context;
    const { clock, latency } = this.#options;
    this.visits.push({ key: task.key, lane: task.lane, at: clock.now(), attempt: task.attempt });
    this.#count(task.lane, 1);
    try {
      await this.#options.onPerform?.(task, context);
      await this.#fly(latency?.(task) ?? 1, this.#options.isDeaf ? new AbortController().signal : signal);
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    } finally {
      this.#count(task.lane, -1);
    }
    return { result: "done", signal: { kind: "ok" }, ...this.#options.answer?.(task), settle: this.#settle(task) };
  }

  #count(lane: string, change: number): void {
    this.flying += change;
    this.mostFlying = Math.max(this.mostFlying, this.flying);
    const inLane = (this.#flyingPerLane.get(lane) ?? 0) + change;
    this.#flyingPerLane.set(lane, inLane);
    this.mostPerLane.set(lane, Math.max(this.mostPerLane.get(lane) ?? 0, inLane));
  }

  #fly(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        cancel();
        reject(signal.reason);
      };
      const cancel = this.#options.clock.after(ms, () => {
        signal.removeEventListener("abort", abort);
        resolve();
      });
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
    });
  }

  #settle(task: Task): (offer: Offer<PlainMeta>) => GraphRecord {
    return (offer) => {
      this.applied.push(task.key);
      const { answer } = this.#options;
      const isDone = (answer?.(task).result ?? "done") === "done";
      const links = isDone ? this.#options.links(task) : [];
      const ids = links.map((link) => {
        const find = typeof link === "string" ? { key: link } : link;
        return offer(aFound(find.key, { depth: task.depth + 1, parent: task.id, ...find }));
      });
      return { key: task.key, links: ids };
    };
  }

  abandon(task: Task): Outcome<GraphRecord, PlainMeta> {
    this.abandoned.push(task.key);
    return { result: "failed", signal: { kind: "neutral" }, settle: () => ({ key: task.key, links: [] }) };
  }

  prepare(outcome: Outcome<GraphRecord, PlainMeta>, context: CrawlContext): Promise<void> | undefined {
    return this.#options.prepare?.(outcome, context);
  }

  recover(known: Known): void {
    if (known.action === "crawl") this.#spend(known.key);
  }

  recoverNote(note: Note): void {
    this.notes.push(note);
  }

  async close(): Promise<void> {
    await this.#options.onClose?.();
    this.closed = true;
  }
}
