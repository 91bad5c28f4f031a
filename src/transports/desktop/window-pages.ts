/**
 * Which pages of the browser show the web app. The window counts as closed when the last of them is gone: pages of other
 * sites, opened from links, do not keep Trawl running.
 */

export interface PageInfo {
  targetId: string;
  /** Frames and workers of the app are no windows. */
  type: string;
  url: string;
}

export class WindowPages {
  readonly #serverUrl: string;
  /** Every page that ever showed the app, in order: one that has gone elsewhere can come back. */
  readonly #pages = new Set<string>();
  readonly #appeared = Promise.withResolvers<string>();
  readonly #signedIn = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<void>();

  constructor(serverUrl: string) {
    this.#serverUrl = serverUrl;
  }

  /** The first page of the app. */
  get appeared(): Promise<string> {
    return this.#appeared.promise;
  }

  /** A page shows a screen of the app: the code in its address was taken. */
  get signedIn(): Promise<void> {
    return this.#signedIn.promise;
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** The oldest that is left: its window is brought to the front, and its place remembered. */
  get main(): string | null {
    return this.#pages.values().next().value ?? null;
  }

  saw({ targetId, type, url }: PageInfo): void {
    if (type !== "page" || !URL.canParse(url)) return;
    const { origin, pathname, searchParams } = new URL(url);
    if (origin !== this.#serverUrl) return;
    this.#pages.add(targetId);
    this.#appeared.resolve(targetId);
    // Files have a dot in their names, screens have none.
    if (!searchParams.has("token") && !pathname.includes(".")) this.#signedIn.resolve();
  }

  lost(targetId: string): void {
    if (this.#pages.delete(targetId) && this.#pages.size === 0) this.#closed.resolve();
  }

  lostAll(): void {
    this.#pages.clear();
    this.#closed.resolve();
  }
}
