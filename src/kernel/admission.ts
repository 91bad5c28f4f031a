/** The only place that decides whether a key is new: gives it its id and its verdict, once, and passes it on. */
import type { Committer } from "./commit.ts";
import type { Known, TaskState } from "./ledger.ts";
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
  /** What the ledger says became of a key. */
  stateOf: (id: number) => TaskState | null;
}

export class Admission<Rec> {
  readonly #seen = new SeenTable();
  readonly #provisional = new Provisional();
  readonly #product: Product<Rec>;
  readonly #context: CrawlContext;
  readonly #committer: Committer<Rec>;
  readonly #meters: Meters;
  readonly #queue: (task: Task) => void;
  readonly #stateOf: (id: number) => TaskState | null;
  /** Counts ids and places: a key's first place is its id, and one that is admitted again gets a new place. */
  #next = 1;

  constructor({ product, context, committer, meters, queue, stateOf }: AdmissionOptions<Rec>) {
    this.#stateOf = stateOf;
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
    if (known !== 0 && found.refetch) return this.#refetch(found, known);
    if (known !== 0 && !(found.again ? this.#provisional.isRefused(known) : this.#provisional.has(known))) return known;
    const verdict = this.#product.gate(found, known !== 0, this.#context);
    if (known !== 0 && verdict.action !== "crawl" && (!found.again || isSame(verdict, found.again))) return known;
    const place = this.#next++;
    const id = known || place;
    if (known !== 0) {
      // A batch admits before it settles: admitted in the batch that overrules it, the key would stay overruled.
      if (this.#committer.isSettling(known)) this.#committer.flush();
      this.#meters.withdraw(this.#provisional.take(known));
    } else this.#seen.set(found.key, id);
    const lane = verdict.action === "crawl" ? this.#product.laneOf(found, this.#context) : "";
    const { key, depth, parent, hops, meta } = found;
    this.#meters.admit(verdict);
    this.#admit({ key, depth, parent, hops, meta, id, place, lane, verdict });
    return id;
  }

  /** Queues a key once more whose task is settled. */
  #refetch(found: Found, id: number): number {
    const state = this.#stateOf(id);
    if (state !== "done" && state !== "failed") return id;
    const verdict = this.#product.gate(found, true, this.#context);
    if (verdict.action !== "crawl") return id;
    const { key, depth, parent, hops, meta } = found;
    const lane = this.#product.laneOf(found, this.#context);
    this.#meters.reopen(state);
    this.#admit({ key, depth, parent, hops, meta, id, place: this.#next++, lane, verdict, refetch: true });
    return id;
  }

  /** A task got another verdict after its admission. */
  overruled(id: number, verdict: Verdict): void {
    this.#watch(id, verdict);
  }

  #admit(admitted: Admitted): void {
    const { verdict, ...task } = admitted;
    this.#watch(admitted.id, verdict);
    this.#committer.admit(admitted);
    this.#product.admitted?.(admitted.id, verdict);
    if (verdict.action === "crawl") this.#queue({ ...task, key: ownCopy(task.key), attempt: 0, notBefore: 0 });
  }

  #watch(id: number, verdict: Verdict): void {
    const { action, reason } = verdict;
    if (action === "crawl" && reason === null) return;
    this.#provisional.add(id, verdict, reason !== null && this.#product.provisionalReasons.has(reason));
  }
}

const isSame = (a: Verdict, b: Verdict): boolean => a.action === b.action && a.reason === b.reason && a.rule === b.rule;

/** A key cut out of a page would keep the whole page in memory; a queued task outlives the page, so it gets a copy. */
const ownCopy = (text: string): string => Buffer.from(text).toString();

/**
 * Ids that were refused, and whose verdict another find, or other rules, may still change to `crawl`. One byte each, because
 * there may be millions of them.
 */
export class Provisional {
  /** Index of the verdict in `#verdicts` by id; 0 for one that is crawled. */
  #places = new Uint8Array(1 << 12);
  /** Only a few: one per action and reason. */
  #verdicts: { verdict: Verdict; isProvisional: boolean }[] = [];

  /** Another find may change its verdict. */
  has(id: number): boolean {
    return this.#of(id)?.isProvisional ?? false;
  }

  /** Other rules may change its verdict. */
  isRefused(id: number): boolean {
    const verdict = this.#of(id)?.verdict;
    return verdict !== undefined && verdict.action !== "crawl";
  }

  #of(id: number): { verdict: Verdict; isProvisional: boolean } | undefined {
    return id < this.#places.length ? this.#verdicts[this.#places[id]! - 1] : undefined;
  }

  add(id: number, { action, reason }: Verdict, isProvisional = true): void {
    if (id >= this.#places.length) {
      const grown = new Uint8Array(Math.max(id + 1, this.#places.length * 2));
      grown.set(this.#places);
      this.#places = grown;
    }
    const isSame = ({ verdict }: { verdict: Verdict }) => verdict.action === action && verdict.reason === reason;
    let place = this.#verdicts.findIndex(isSame);
    if (place < 0) place = this.#verdicts.push({ verdict: { action, reason, rule: null }, isProvisional }) - 1;
    this.#places[id] = place + 1;
  }

  /** The verdict it had, which is no longer valid. */
  take(id: number): Verdict {
    const { verdict } = this.#verdicts[this.#places[id]! - 1]!;
    this.#places[id] = 0;
    return verdict;
  }
}
