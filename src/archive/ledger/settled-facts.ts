/** What is told of ended tasks when a ledger opens, besides their URLs: lane, reason and place. Let go afterwards. */
import { Column } from "./column.ts";

interface Facts {
  lane: string;
  reason: string | null;
}

/** Kinds of facts that a cell can name; there is one kind a lane, mostly. */
const MOST_KINDS = 0xffff;

export class SettledFacts {
  readonly #kindOf = new Column(Uint16Array);
  readonly #kinds: Facts[] = [];
  readonly #numbers = new Map<string, number>();
  /** Of the kinds that no longer fit into a cell. */
  readonly #more = new Map<number, Facts>();
  /** Only of those whose place is not their id. */
  readonly #places = new Map<number, number>();

  add(id: number, place: number, lane: string, reason: string | null): void {
    if (place !== id) this.#places.set(id, place);
    const name = JSON.stringify([lane, reason]);
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#kinds.push({ lane, reason });
      this.#numbers.set(name, number);
    }
    if (number <= MOST_KINDS) this.#kindOf.set(id, number);
    else this.#more.set(id, this.#kinds[number - 1]!);
  }

  get(id: number): Facts & { place: number } {
    const facts = this.#more.get(id) ?? this.#kinds[this.#kindOf.get(id) - 1]!;
    return { ...facts, place: this.#places.get(id) ?? id };
  }
}
