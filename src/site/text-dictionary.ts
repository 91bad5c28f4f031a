/**
 * Gives texts of links (anchor text, context, DOM path) small ids, so that a navigation repeated on every page is
 * stored once. It remembers fingerprints in a table of fixed size, where a new text takes the place of an old one: a
 * text stored twice costs a row; keeping all texts, or slices that keep their whole page alive, would cost the crawl.
 */
import { Fingerprint } from "../kernel/fingerprint.ts";
import { ownCopy } from "../kernel/own-copy.ts";

const SLOTS = 1 << 16;

export class TextDictionary {
  readonly #print = new Fingerprint();
  readonly #high = new Uint32Array(SLOTS);
  readonly #low = new Uint32Array(SLOTS);
  readonly #ids = new Uint32Array(SLOTS);
  #next: number;
  #fresh: string[] = [];

  constructor(nextId: number) {
    this.#next = nextId;
  }

  /** The text's id; 0 for the empty text. */
  id(text: string): number {
    if (text === "") return 0;
    this.#print.take(text);
    const { high, low } = this.#print;
    const slot = low & (SLOTS - 1);
    if (this.#ids[slot] !== 0 && this.#low[slot] === low && this.#high[slot] === high) return this.#ids[slot]!;
    this.#high[slot] = high;
    this.#low[slot] = low;
    this.#ids[slot] = this.#next;
    this.#fresh.push(ownCopy(text));
    return this.#next++;
  }

  /** Texts that got their id since the last call, and the first of those ids. */
  takeFresh(): { texts: string[]; firstText: number } {
    const texts = this.#fresh;
    this.#fresh = [];
    return { texts, firstText: this.#next - texts.length };
  }
}
