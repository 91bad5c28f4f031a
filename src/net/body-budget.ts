/**
 * The memory that all bodies of this process share. A body counts as it grows, decompressed and until its reader is done with
 * it. When the budget is used up, bodies wait: nothing more is read from their sockets. Small ones never wait, and one of the
 * others always goes on, so that there is no deadlock.
 */

/** Low, because a page of 50 MB takes three times its size while it is read, which is not counted here. */
export const BODY_BUDGET_BYTES = 32 * 2 ** 20;

/** Bodies up to this size never wait, even if there are a thousand of them. */
export const SMALL_BODY_BYTES = 64 * 2 ** 10;

export class BodyBudget {
  readonly #limit: number;
  #used = 0;
  /** In the order in which they were opened: the oldest goes first, because others may have to be applied after it. */
  readonly #waiting = new Map<BodyShare, () => void>();
  /** The one that may exceed the budget. */
  #favoured: BodyShare | null = null;
  #opened = 0;

  constructor(limit = BODY_BUDGET_BYTES) {
    this.#limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  open(): BodyShare {
    return new BodyShare(this, this.#opened++);
  }

  count(bytes: number): void {
    this.#used += bytes;
    if (bytes < 0) this.#serve();
  }

  mayGrow(share: BodyShare): boolean {
    if (share.bytes <= SMALL_BODY_BYTES || this.#used <= this.#limit || share === this.#favoured) return true;
    if (this.#favoured !== null) return false;
    this.#favoured = share;
    return true;
  }

  /** It does not grow any more, so another may exceed the budget. */
  rest(share: BodyShare): void {
    if (this.#favoured === share) this.#favoured = null;
    this.#serve();
  }

  wait(share: BodyShare, goOn: () => void): void {
    this.#waiting.set(share, goOn);
  }

  close(share: BodyShare): void {
    if (this.#favoured === share) this.#favoured = null;
    const goOn = this.#waiting.get(share);
    this.#waiting.delete(share);
    this.count(-share.bytes);
    goOn?.();
  }

  #serve(): void {
    while (this.#waiting.size > 0) {
      let oldest: BodyShare | null = null;
      for (const share of this.#waiting.keys()) if (oldest === null || share.age < oldest.age) oldest = share;
      if (!this.mayGrow(oldest!)) return;
      const goOn = this.#waiting.get(oldest!)!;
      this.#waiting.delete(oldest!);
      goOn();
    }
  }
}

/** What one body uses. */
export class BodyShare implements Disposable {
  readonly age: number;
  bytes = 0;
  readonly #budget: BodyBudget;
  #isClosed = false;

  constructor(budget: BodyBudget, age: number) {
    this.#budget = budget;
    this.age = age;
  }

  /** Counts more bytes, or fewer. Whether the body may grow further now; if not, `wait`. */
  add(bytes: number): boolean {
    if (this.#isClosed) return true;
    this.bytes += bytes;
    this.#budget.count(bytes);
    return bytes <= 0 || this.#budget.mayGrow(this);
  }

  /** The body has been read. Until the share is closed, this much of it is kept. */
  keep(bytes: number): void {
    this.add(bytes - this.bytes);
    this.#budget.rest(this);
  }

  /** Calls back once the body may grow further. */
  wait(goOn: () => void): void {
    if (this.#isClosed) goOn();
    else this.#budget.wait(this, goOn);
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#budget.close(this);
    this.bytes = 0;
  }
}

/** Memory belongs to the process, so there is one budget in it, whatever it crawls. */
export const processBodies = new BodyBudget();
