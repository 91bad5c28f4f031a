/** The only place that decides whether a key is new: gives it its id and its verdict, once, and passes it on. */
import type { Committer } from "./commit.ts";
import type { Known } from "./ledger.ts";
import type { Meters } from "./meters.ts";
import type { CrawlContext, Product } from "./product.ts";
import { SeenTable } from "./seen.ts";
import type { Admitted, Found, Task, Verdict } from "./task.ts";

export interface AdmissionOptions<Rec> {
  product: Product<Rec>;
  context: CrawlContext;
  committer: Committer<Rec>;
  meters: Meters;
  /** Receives the tasks that the gate admits. */
  queue: (task: Task) => void;
}

export class Admission<Rec> {
  readonly #seen = new SeenTable();
  readonly #provisional = new Provisional();
  readonly #product: Product<Rec>;
  readonly #context: CrawlContext;
  readonly #committer: Committer<Rec>;
  readonly #meters: Meters;
  readonly #queue: (task: Task) => void;
  /** Counts ids and places: a key's first place is its id, and one that is admitted again gets a new place. */
  #next = 1;

  constructor({ product, context, committer, meters, queue }: AdmissionOptions<Rec>) {
    this.#product = product;
    this.#context = context;
    this.#committer = committer;
    this.#meters = meters;
    this.#queue = queue;
  }

  /** Restores what the ledger knows. */
  recover(known: Known): void {
    this.#seen.set(known.key, known.id);
    this.#next = Math.max(this.#next, known.place + 1);
    this.#meters.recover(known);
    this.#watch(known.id, { action: known.action, reason: known.reason, rule: null });
    this.#product.recover(known);
  }

  /** The id of a key: the one it has, or a new one after the gate has decided. */
  offer(found: Found): number {
    const known = this.#seen.get(found.key);
    if (known !== 0 && !this.#provisional.has(known)) return known;
    const verdict = this.#product.gate(found, known !== 0, this.#context);
    if (known !== 0 && verdict.action !== "crawl") return known;
    const place = this.#next++;
    const id = known || place;
    if (known !== 0) this.#meters.withdraw(this.#provisional.take(known));
    else this.#seen.set(found.key, id);
    const lane = verdict.action === "crawl" ? this.#product.laneOf(found, this.#context) : "";
    this.#admit({ ...found, id, place, lane, verdict });
    return id;
  }

  #admit(admitted: Admitted): void {
    const { verdict, ...task } = admitted;
    this.#watch(admitted.id, verdict);
    this.#committer.admit(admitted);
    this.#meters.admit(verdict);
    this.#product.admitted?.(admitted.id, verdict);
    if (verdict.action === "crawl") this.#queue({ ...task, key: ownCopy(task.key), attempt: 0, notBefore: 0 });
  }

  #watch(id: number, verdict: Verdict): void {
    if (verdict.reason !== null && this.#product.provisionalReasons.has(verdict.reason)) {
      this.#provisional.add(id, verdict);
    }
  }
}

/** A key cut out of a page would keep the whole page in memory; a queued task outlives the page, so it gets a copy. */
const ownCopy = (text: string): string => Buffer.from(text).toString();

/** Ids whose verdict another find may still change to `crawl`. One byte each, because there may be millions of them. */
export class Provisional {
  /** Index of the verdict in `#verdicts` by id; 0 for a final verdict. */
  #places = new Uint8Array(1 << 12);
  /** Only a few: one per action and reason. */
  #verdicts: Verdict[] = [];

  has(id: number): boolean {
    return id < this.#places.length && this.#places[id] !== 0;
  }

  add(id: number, { action, reason }: Verdict): void {
    if (id >= this.#places.length) {
      const grown = new Uint8Array(Math.max(id + 1, this.#places.length * 2));
      grown.set(this.#places);
      this.#places = grown;
    }
    let place = this.#verdicts.findIndex((known) => known.action === action && known.reason === reason);
    if (place < 0) place = this.#verdicts.push({ action, reason, rule: null }) - 1;
    this.#places[id] = place + 1;
  }

  /** The verdict it had, which is no longer valid. */
  take(id: number): Verdict {
    const verdict = this.#verdicts[this.#places[id]! - 1]!;
    this.#places[id] = 0;
    return verdict;
  }
}
