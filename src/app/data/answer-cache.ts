/** Caches expensive answers about crawls while they are valid, because a screen asks for one part after another. */

/**
 * An answer about a running crawl is kept for this many times the time it took, so that at most a tenth of the time is
 * spent on it.
 */
const REST = 10;

interface Kept<Answer> {
  answer: Answer;
  crawlIds: readonly number[];
  version: string;
  madeAt: number;
  tookMs: number;
}

export interface KeptAnswersParts<Answer> {
  /** Maximum number of cached answers; the least recently used is dropped first. */
  limit: number;
  /** A monotonic clock in milliseconds. */
  monotonic: () => number;
  /** Releases the resources of an answer. */
  close?: (answer: Answer) => void;
}

export class KeptAnswers<Answer> {
  readonly #parts: KeptAnswersParts<Answer>;
  readonly #kept = new Map<string, Kept<Answer>>();
  /** For answers in progress: who waits, and how to end them. */
  readonly #loads = new WeakMap<object, { waiting: number; abort: AbortController }>();

  constructor(parts: KeptAnswersParts<Answer>) {
    this.#parts = parts;
  }

  /** `version` changes when the crawls have found or fetched more. Use the answer at once: a later call may close it. */
  get(crawlIds: readonly number[], question: unknown, version: string, make: () => Answer): Answer {
    const key = JSON.stringify([crawlIds, question]);
    let kept = this.#kept.get(key);
    if (kept === undefined || !this.#isFresh(kept, version)) {
      this.#forget(key);
      kept = this.#make(crawlIds, version, make);
    }
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    if (this.#kept.size > this.#parts.limit) this.#forget(this.#kept.keys().next().value!);
    return kept.answer;
  }

  /**
   * The same for a slow answer: callers that ask meanwhile share it, and when all of them have left, the work is
   * aborted. For answers without `close`.
   */
  load<Loaded>(
    this: KeptAnswers<Promise<Loaded>>,
    crawlIds: readonly number[],
    question: unknown,
    version: string,
    make: (signal: AbortSignal) => Promise<Loaded>,
    signal?: AbortSignal,
  ): Promise<Loaded> {
    const key = JSON.stringify([crawlIds, question]);
    const answer = this.get(crawlIds, question, version, () => {
      const { monotonic } = this.#parts;
      const began = monotonic();
      const abort = new AbortController();
      const answer = make(abort.signal);
      this.#loads.set(answer, { waiting: 0, abort });
      const kept = () => {
        const mine = this.#kept.get(key);
        return mine?.answer === answer ? mine : null;
      };
      answer.then(
        () => {
          const mine = kept();
          if (mine !== null) Object.assign(mine, { madeAt: monotonic(), tookMs: monotonic() - began });
        },
        () => {
          if (kept() !== null) this.#forget(key);
        },
      );
      return answer;
    });
    const load = this.#loads.get(answer)!;
    load.waiting++;
    // A caller that cannot leave keeps it going.
    if (signal === undefined) return answer;
    const left = Promise.withResolvers<never>();
    const leave = () => {
      left.reject(signal.reason);
      if (--load.waiting > 0) return;
      if (this.#kept.get(key)?.answer === answer) this.#forget(key);
      load.abort.abort(signal.reason);
    };
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    return Promise.race([answer, left.promise]).finally(() => {
      signal.removeEventListener("abort", leave);
      if (!signal.aborted) load.waiting--;
    });
  }

  /** Forgets every answer about the crawl. */
  drop(crawlId: number): void {
    for (const [key, { crawlIds }] of [...this.#kept]) if (crawlIds.includes(crawlId)) this.#forget(key);
  }

  close(): void {
    for (const key of [...this.#kept.keys()]) this.#forget(key);
  }

  #isFresh(kept: Kept<Answer>, version: string): boolean {
    return kept.version === version || this.#parts.monotonic() - kept.madeAt < kept.tookMs * REST;
  }

  #make(crawlIds: readonly number[], version: string, make: () => Answer): Kept<Answer> {
    const { monotonic } = this.#parts;
    const began = monotonic();
    const answer = make();
    const madeAt = monotonic();
    return { answer, crawlIds, version, madeAt, tookMs: madeAt - began };
  }

  #forget(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#parts.close?.(kept.answer);
  }
}
