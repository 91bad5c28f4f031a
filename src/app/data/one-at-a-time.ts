/**
 * Does work on the same thing one piece after another, in the order of the requests. If two callers read, changed and
 * wrote a file at once, one change would be lost.
 */
export class OneAtATime {
  /** The end of the latest request, by name. */
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#last.get(name) ?? Promise.resolve()).then(work);
    const end = done.catch(() => {});
    this.#last.set(name, end);
    try {
      return await done;
    } finally {
      if (this.#last.get(name) === end) this.#last.delete(name);
    }
  }
}
