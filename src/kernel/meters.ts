/** The counts of a crawl, always equal to what the ledger would say: kept as things happen, rebuilt when it is opened. */
import type { Known } from "./ledger.ts";
import type { Verdict } from "./task.ts";

export class Meters {
  admitted = 0;
  settled = 0;
  done = 0;
  failed = 0;
  retries = 0;
  recorded = 0;
  skipped = 0;
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
  settle(state: "done" | "failed", verdict: Verdict | null): void {
    if (verdict !== null) {
      this.admitted--;
      this.admit(verdict);
      return;
    }
    this.settled++;
    this[state]++;
  }

  /** A settled task is open again. */
  reopen(state: "done" | "failed"): void {
    this.settled--;
    this[state]--;
  }

  recover(known: Known): void {
    this.admit({ action: known.action, reason: known.reason, rule: null });
    if (known.state === "done" || known.state === "failed") this.settle(known.state, null);
  }

  #count(reason: string | null): void {
    if (reason !== null) this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
  }
}
