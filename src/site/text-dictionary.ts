/**
 * Gives texts of links (anchor text, context, DOM path) small ids, so that a navigation repeated on every page is
 * stored once. It forgets everything now and then: a text stored twice costs a row, growing for ever costs the crawl.
 */
const REMEMBERED = 50_000;

export class TextDictionary {
  #ids = new Map<string, number>();
  #next: number;
  #fresh: string[] = [];

  constructor(nextId: number) {
    this.#next = nextId;
  }

  /** The text's id; 0 for the empty text. */
  id(text: string): number {
    if (text === "") return 0;
    let id = this.#ids.get(text);
    if (id === undefined) {
      if (this.#ids.size >= REMEMBERED) this.#ids.clear();
      id = this.#next++;
      this.#ids.set(text, id);
      this.#fresh.push(text);
    }
    return id;
  }

  /** Texts that got their id since the last call, and the first of those ids. */
  takeFresh(): { texts: string[]; firstText: number } {
    const texts = this.#fresh;
    this.#fresh = [];
    return { texts, firstText: this.#next - texts.length };
  }
}
