/** Problems of a page, one line per kind: the first few examples, and the total. */

/** Examples are enough, because repeated problems are mostly in the template. */
const MOST_EXAMPLES = 5;
const MOST_LENGTH = 200;

export class ProblemList<Kind extends string> {
  readonly #found = new Map<Kind, { examples: Set<string>; count: number }>();

  add(kind: Kind, example: string): void {
    const known = this.#found.get(kind);
    if (known === undefined) {
      this.#found.set(kind, { examples: new Set([shown(example)]), count: 1 });
      return;
    }
    known.count++;
    if (known.examples.size < MOST_EXAMPLES) known.examples.add(shown(example));
  }

  /** One line each, such as `invalid_role buton`, with the kind as its first word. */
  get lines(): string[] {
    return [...this.#found].flatMap(([kind, { examples, count }]) => [
      ...[...examples].map((example) => `${kind} ${example}`),
      ...(count > examples.size && count > MOST_EXAMPLES ? [`${kind} ${count} in all`] : []),
    ]);
  }
}

const shown = (text: string): string => text.replaceAll(/\s+/g, " ").trim().slice(0, MOST_LENGTH);
