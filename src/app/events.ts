/** What happens to crawls of this process, told to whoever listens. An event only says that there is something to ask. */

export const EVENT_TYPES = ["crawl:started", "crawl:progress", "crawl:completed", "crawl:stopped"] as const;

export interface AppEvent {
  type: (typeof EVENT_TYPES)[number];
  crawlId: number;
  projectId: number;
}

export type EventListener = (event: AppEvent) => void;

export class AppEvents {
  readonly #listeners = new Set<EventListener>();
  readonly #onProblem: (error: unknown) => void;

  /** `onProblem`: told of a listener that threw. Its mistake must not reach the crawl, nor the other listeners. */
  constructor(onProblem: (error: unknown) => void = () => {}) {
    this.#onProblem = onProblem;
  }

  /** Returns a function that ends the listening. */
  subscribe(listener: EventListener): () => void {
    // A set holds a function once; two subscriptions of the same one must end one by one.
    const own: EventListener = (event) => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  emit(event: AppEvent): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        this.#onProblem(error);
      }
    }
  }
}
