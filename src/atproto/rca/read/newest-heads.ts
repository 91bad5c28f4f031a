/** The head of a DID's newest block (rev and time), without reading the block. Requested often, so some are cached. */
import type { RepoArchive } from "./archive.ts";

export interface NewestHead {
  rev: string;
  /** Unix microseconds. */
  crawledAt: bigint;
}

const REMEMBERED = 50_000;

export class NewestHeads {
  readonly #archive: RepoArchive;
  readonly #known = new Map<string, NewestHead | null>();

  constructor(archive: RepoArchive) {
    this.#archive = archive;
  }

  /** Null when no segment has it. */
  async of(did: string): Promise<NewestHead | null> {
    const known = this.#known.get(did);
    if (known !== undefined) return known;
    let newest: NewestHead | null = null;
    for (const segment of this.#archive.segments) {
      for (const entry of await segment.find(did)) {
        const head = (await segment.readCounts(entry))?.head;
        if (head === undefined || (newest !== null && head.crawledAt < newest.crawledAt)) continue;
        newest = { rev: head.rev, crawledAt: head.crawledAt };
      }
    }
    if (this.#known.size >= REMEMBERED) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(did, newest);
    return newest;
  }
}
