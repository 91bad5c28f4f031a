/**
 * Stores findings in bulk. They are stored in the order of their rules but arrive in the order of URLs. So a number of
 * each rule's findings are collected first and inserted side by side, and the index by URL is built when all of them
 * are there. That takes a third of the time.
 */
import type { DatabaseSync } from "node:sqlite";
import { RowBatch } from "../store/record-store.ts";
import { FINDINGS_INDEX } from "../store/site-schema.ts";

/** How many characters of evidence are kept. */
export const MOST_EVIDENCE = 1_000;
/** How many findings of a rule are collected; most rules have none. */
const MOST_WAITING = 128;

type Waiting = (number | string | null)[];

export class FindingStore {
  readonly #db: DatabaseSync;
  readonly #batch: RowBatch;
  readonly #waiting = new Map<number, Waiting>();

  /** Forgets the findings of an earlier audit. */
  constructor(db: DatabaseSync) {
    this.#db = db;
    db.exec("DROP INDEX IF EXISTS findings_url; DELETE FROM findings");
    this.#batch = new RowBatch(db, "findings", ["rule", "id", "evidence"]);
  }

  add(rule: number, id: number, evidence: string | null): void {
    let waiting = this.#waiting.get(rule);
    if (waiting === undefined) this.#waiting.set(rule, (waiting = []));
    waiting.push(rule, id, evidence === null ? null : evidence.slice(0, MOST_EVIDENCE));
    if (waiting.length >= 3 * MOST_WAITING) this.#insert(waiting);
  }

  end(): void {
    for (const waiting of this.#waiting.values()) this.#insert(waiting);
    this.#batch.flush();
    this.#db.exec(FINDINGS_INDEX);
  }

  #insert(waiting: Waiting): void {
    for (const value of waiting) this.#batch.push(value);
    waiting.length = 0;
  }
}
