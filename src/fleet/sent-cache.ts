/**
 * What a partition has sent to others, so that a navigation to another host is not sent once per page. A repeat is
 * dropped only if nothing about it could change a verdict: the same key, found in the same way, and no nearer to the
 * start.
 *
 * It lives as long as the partition's run. Commits are applied in order, so losing what was sent also loses what was
 * dropped because of it.
 */
import type { MetaCodec } from "../kernel/ledger.ts";
import type { Found } from "../kernel/task.ts";

/** How many finds a partition remembers; the oldest is forgotten, and sent again when it is found again. */
const MOST = 20_000;

export class SentCache<Meta> {
  readonly #codec: MetaCodec<Meta>;
  readonly #most: number;
  /** The smallest depth and number of redirects that were sent, by key and meta. */
  readonly #sent = new Map<string, { depth: number; hops: number }>();

  constructor(codec: MetaCodec<Meta>, most = MOST) {
    this.#codec = codec;
    this.#most = most;
  }

  /** Whether it has to be sent; remembers that it was. */
  isNew({ key, depth, hops, meta }: Found<Meta>): boolean {
    const name = `${this.#codec.viaOf(meta)} ${this.#codec.kindOf(meta)} ${key}`;
    const sent = this.#sent.get(name);
    if (sent !== undefined && depth >= sent.depth && hops >= sent.hops) return false;
    this.#sent.delete(name);
    this.#sent.set(name, { depth, hops });
    if (this.#sent.size > this.#most) this.#sent.delete(this.#sent.keys().next().value!);
    return true;
  }
}
