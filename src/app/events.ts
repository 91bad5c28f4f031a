/** Events about the crawls of this process. An event only says that something new can be fetched. */

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

  /** `onProblem`: called when a listener throws. The error must not reach the crawl or other listeners. */
  constructor(onProblem: (error: unknown) => void = () => {}) {
    this.#onProblem = onProblem;
  }

  /** Returns a function that unsubscribes. */
  subscribe(listener: EventListener): () => void {
    // A set holds a function only once, but two subscriptions of the same function must end separately.
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
