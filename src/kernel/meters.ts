/** The counts of a crawl, always equal to what the ledger would say: kept as things happen, rebuilt when it is opened. */
import type { Known } from "./ledger.ts";
import type { Verdict } from "./task.ts";

export class Meters {
  admitted = 0;
  settled = 0;
  /** How often this process settled a task, and how often as failed: a task that is settled once more counts again. */
  settledNow = 0;
  failedNow = 0;
  done = 0;
  failed = 0;
  retries = 0;
  recorded = 0;
  skipped = 0;
  /** Open tasks that were settled before. */
  again = 0;
  /** How many keys got each reason. */
  readonly reasons = new Map<string, number>();

  get open(): number {
    return this.admitted - this.settled;
  }

  get discovered(): number {
    return this.admitted + this.recorded + this.skipped;
  }

  admit(verdict: Verdict): void {
    if (verdict.action === "crawl") this.admitted++;
    else if (verdict.action === "record") this.recorded++;
    else this.skipped++;
    this.#count(verdict.reason);
  }

  /** Removes a verdict that is no longer valid: the key is admitted again with another. */
  withdraw(verdict: Verdict): void {
    if (verdict.action === "crawl") this.admitted--;
    else if (verdict.action === "record") this.recorded--;
    else this.skipped--;
    if (verdict.reason !== null) this.reasons.set(verdict.reason, this.reasons.get(verdict.reason)! - 1);
  }

  /** A later verdict removes the task from the crawled ones: it is counted by its final verdict. */
  settle(state: "done" | "failed", verdict: Verdict | null, isAgain = false): void {
    if (isAgain) this.again--;
    if (verdict !== null) {
      this.admitted--;
      this.admit(verdict);
      return;
    }
    this.settledNow++;
    if (state === "failed") this.failedNow++;
    this.#settled(state);
  }

  /** A settled task is open again. */
  reopen(state: "done" | "failed"): void {
    this.again++;
    this.settled--;
    this[state]--;
  }

  recover(known: Known): void {
    this.admit({ action: known.action, reason: known.reason, rule: null });
    if (known.state === "done" || known.state === "failed") this.#settled(known.state);
    if (known.again) this.again++;
  }

  #settled(state: "done" | "failed"): void {
    this.settled++;
    this[state]++;
  }

  copy(): Meters {
    const copy = new Meters();
    copy.restore(this);
    return copy;
  }

  restore(other: Readonly<Meters>): void {
    const { reasons, ...counts } = other;
    Object.assign(this, counts);
    this.reasons.clear();
    for (const [reason, count] of reasons) this.reasons.set(reason, count);
  }

  #count(reason: string | null): void {
    if (reason !== null) this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
  }
}
