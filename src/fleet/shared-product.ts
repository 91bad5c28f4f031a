/**
 * A product that runs as one partition of a fleet's crawl: what it finds on hosts of other partitions is not offered to this
 * partition's kernel, but travels with the record to the commit, and from there to its own partition.
 */
import type { LanePolicy } from "../kernel/lane.ts";
import type { Known, Note } from "../kernel/ledger.ts";
import type { CrawlContext, Offer, Outcome, Product } from "../kernel/product.ts";
import type { Found, Task, Verdict } from "../kernel/task.ts";
import { foreignParent } from "./partition.ts";

/** What is stored about a settled task. In `record`, the id -n stands for the n-th entry of `foreign`. */
export interface SharedRecord<Rec, Meta> {
  key: string;
  record: Rec | null;
  /** Keys of this partition that it names, by their ids. */
  own: ReadonlyMap<number, string>;
  foreign: Found<Meta>[];
}

export class SharedProduct<Rec, Meta> implements Product<SharedRecord<Rec, Meta>, Meta> {
  readonly #product: Product<Rec, Meta>;
  readonly #part: number;
  readonly #partOf: (lane: string) => number;

  constructor(product: Product<Rec, Meta>, part: number, partOf: (lane: string) => number) {
    this.#product = product;
    this.#part = part;
    this.#partOf = partOf;
  }

  get provisionalReasons(): ReadonlySet<string> {
    return this.#product.provisionalReasons;
  }

  gate(found: Found<Meta>, again: boolean, context: CrawlContext): Verdict {
    return this.#product.gate(found, again, context);
  }

  laneOf(found: Found<Meta>, context: CrawlContext): string {
    return this.#product.laneOf(found, context);
  }

  lanePolicy(lane: string): LanePolicy {
    return this.#product.lanePolicy(lane);
  }

  refuse(task: Task<Meta>): Outcome<SharedRecord<Rec, Meta>, Meta> | null {
    const outcome = this.#product.refuse?.(task) ?? null;
    return outcome === null ? null : this.#shared(task, outcome);
  }

  async perform(task: Task<Meta>, context: CrawlContext): Promise<Outcome<SharedRecord<Rec, Meta>, Meta> | null> {
    const outcome = await this.#product.perform(task, context);
    return outcome === null ? null : this.#shared(task, outcome);
  }

  abandon(task: Task<Meta>): Outcome<SharedRecord<Rec, Meta>, Meta> {
    return this.#shared(task, this.#product.abandon(task));
  }

  isOrdered(task: Task<Meta>): boolean {
    return this.#product.isOrdered(task);
  }

  prepare(outcome: Outcome<SharedRecord<Rec, Meta>, Meta>, context: CrawlContext): Promise<void> | undefined {
    return this.#product.prepare(outcome as unknown as Outcome<Rec, Meta>, context);
  }

  admitted(id: number, verdict: Verdict): void {
    this.#product.admitted?.(id, verdict);
  }

  recover(known: Known): void {
    this.#product.recover(known);
  }

  recoverNote(note: Note): void {
    this.#product.recoverNote(note);
  }

  close(): Promise<void> {
    return this.#product.close();
  }

  /** The same object, because the product sets its verdict while it settles. */
  #shared({ key }: Task<Meta>, outcome: Outcome<Rec, Meta>): Outcome<SharedRecord<Rec, Meta>, Meta> {
    const settle = outcome.settle.bind(outcome);
    const shared = outcome as unknown as Outcome<SharedRecord<Rec, Meta>, Meta>;
    shared.settle = (offer, context) => {
      const foreign: Found<Meta>[] = [];
      const own = new Map<number, string>();
      const record = settle(this.#offerTo(foreign, own, offer, context), context);
      return record === null && foreign.length === 0 ? null : { key, record, own, foreign };
    };
    return shared;
  }

  #offerTo(foreign: Found<Meta>[], own: Map<number, string>, offer: Offer<Meta>, context: CrawlContext): Offer<Meta> {
    const numbers = new Map<string, number>();
    return (found) => {
      if (this.#partOf(this.#product.laneOf(found, context)) === this.#part) {
        const id = offer(found);
        own.set(id, found.key);
        return id;
      }
      const { key, depth, parent, hops, meta } = found;
      const known = numbers.get(key);
      // A second link to it may say more than the first, such as that it may be followed after all.
      const isSaid = known !== undefined && foreign.some((other) => other.key === key && other.meta === meta);
      if (!isSaid) foreign.push({ key, depth, parent: foreignParent(this.#part, parent), hops, meta });
      if (known !== undefined) return known;
      numbers.set(key, -foreign.length);
      return -foreign.length;
    };
  }
}
