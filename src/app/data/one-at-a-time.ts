/** Work on the same thing one piece after the other, in the order in which it was asked for: two that read, change and write a file at once would lose one change. */
export class OneAtATime {
  /** The end of what was asked for last, by name. */
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
