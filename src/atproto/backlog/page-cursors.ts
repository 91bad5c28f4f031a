/**
 * When the cursor of a page may be passed on: once all its DIDs, and those of the source's earlier pages, have been
 * admitted. DIDs are admitted host by host, so the pages of a source are used up in any order.
 */

export interface FreeCursor {
  source: string;
  cursor: string;
}

interface Page {
  source: string;
  /** Null when more of the same page follows. */
  cursor: string | null;
  /** DIDs that are not admitted yet. */
  left: number;
}

export class PageCursors {
  readonly #pages = new Map<number, Page>();
  /** Page numbers of each source that are not free, in the order in which they were read. */
  readonly #sources = new Map<string, number[]>();
  #next = 0;

  /** A page with this many DIDs to admit was read; returns its number. */
  add(source: string, cursor: string | null, left: number): number {
    const number = this.#next++;
    this.#pages.set(number, { source, cursor, left });
    const queue = this.#sources.get(source);
    if (queue === undefined) this.#sources.set(source, [number]);
    else queue.push(number);
    return number;
  }

  /** One DID of the page was admitted. */
  admitted(number: number): void {
    this.#pages.get(number)!.left--;
  }

  /** The newest cursor of this page's source that may be passed on now; null when none may. */
  free(number: number): FreeCursor | null {
    const page = this.#pages.get(number);
    if (page === undefined || page.left > 0) return null;
    const queue = this.#sources.get(page.source)!;
    let [count, cursor]: [number, string | null] = [0, null];
    for (const each of queue) {
      const first = this.#pages.get(each)!;
      if (first.left > 0) break;
      count++;
      cursor = first.cursor ?? cursor;
      this.#pages.delete(each);
    }
    queue.splice(0, count);
    if (queue.length === 0) this.#sources.delete(page.source);
    return cursor === null ? null : { source: page.source, cursor };
  }
}
