/** What a page says in JSON-LD, Microdata and RDFa: the types it describes, and what is wrong with them by Google's lists of properties and schema.org. */

import { visibleNumbers } from "../visible-numbers.ts";
import { parseLeniently } from "./lenient-json.ts";
import { RICH_RESULTS } from "./rich-results.ts";
import { expectedInstead, isForeign, isKnownProperty, isKnownType } from "./schema-check.ts";

/** A page that describes more than this is cut: the listed problems are examples, not a complete list. */
const MOST_NODES = 2_000;
const MOST_DEPTH = 30;
const MOST_PROBLEMS = 50;

/** The kind of problem, which is the first word of its line. */
export type StructuredDataProblem =
  | "parse_error"
  | "recovered"
  | "required"
  | "recommended"
  | "duplicate_id"
  | "unknown"
  | "wrong_value"
  | "not_visible";

/** What visitors must be able to see (Google, structured data policies). */
const VISIBLE: ReadonlySet<string> = new Set(["price", "lowPrice", "highPrice", "ratingValue"]);
const MOST_VALUES = 20;

type Node = Record<string, unknown>;

export class StructuredData {
  readonly #types = new Set<string>();
  readonly #problems = new Set<string>();
  readonly #ids = new Map<string, string>();
  /** Prices and ratings, with the names of their properties. */
  readonly #values = new Map<string, number>();
  #nodes = 0;

  /** The text of a `<script type="application/ld+json">`. */
  add(text: string): void {
    const json = text.replace(/^\s*(?:<!--|<!\[CDATA\[)|(?:-->|\]\]>)\s*$/g, "");
    try {
      this.#walk(JSON.parse(json), 0, true);
    } catch (error) {
      const message = (error as Error).message.replaceAll(/\s+/g, " ").slice(0, 200);
      try {
        this.#walk(parseLeniently(json), 0, true);
        this.#problem("recovered", message);
      } catch {
        this.#problem("parse_error", message);
      }
    }
  }

  /** A description that is written into the elements of the page: see `markup-items.ts`. */
  addItem(item: Node): void {
    this.#walk(item, 0, true);
  }

  /** Looks for the prices and ratings in the visible text of the page. */
  compareWith(text: Buffer): void {
    if (this.#values.size === 0) return;
    const shown = visibleNumbers(text);
    for (const [name, value] of this.#values) if (!shown.has(value)) this.#problem("not_visible", `${name} ${value}`);
  }

  /** The types, in the order in which they were found; null when there are none. */
  get types(): string | null {
    return this.#types.size === 0 ? null : [...this.#types].join(", ");
  }

  /** One line each, such as `required Product: name`; null when there are none. */
  get problems(): string | null {
    return this.#problems.size === 0 ? null : [...this.#problems].join("\n");
  }

  /** `isTop`: what the page describes, not what that refers to, because an author needs only a name. */
  #walk(value: unknown, depth: number, isTop: boolean): void {
    if (typeof value !== "object" || value === null || depth > MOST_DEPTH || ++this.#nodes > MOST_NODES) return;
    if (Array.isArray(value)) {
      for (const each of value) this.#walk(each, depth + 1, isTop);
      return;
    }
    const node = value as Node;
    const types = typesOf(node);
    for (const type of types) this.#types.add(type);
    if (types.length > 0) this.#compareWithVocabulary(types, node);
    if (isTop) for (const type of types) this.#check(type, node);
    if (types.length > 0) this.#compare(node);
    for (const [name, each] of Object.entries(node))
      if (name !== "@context") this.#walk(each, depth + 1, isTop && name === "@graph");
  }

  #compareWithVocabulary(types: readonly string[], node: Node): void {
    const unknown = types.filter((type) => !isKnownType(type));
    for (const type of unknown) this.#problem("unknown", `type ${type}`);
    // schema.org does not know the properties of a type that does not exist or comes from another vocabulary.
    if (unknown.length > 0 || types.some(isForeign)) return;
    for (const [name, value] of Object.entries(node)) {
      if (!isKnownProperty(name)) this.#problem("unknown", `property ${types[0]}.${name}`.slice(0, 200));
      for (const each of Array.isArray(value) ? value : [value]) {
        const wanted = expectedInstead(name, each);
        const written = typeof each === "object" ? "a thing" : `“${String(each).slice(0, 60)}”`;
        if (wanted !== null) this.#problem("wrong_value", `${types[0]}.${name}: ${written} is not ${wanted}`);
        const number = VISIBLE.has(name) ? Number(each) : 0;
        if (number > 0 && this.#values.size < MOST_VALUES) this.#values.set(`${types[0]}.${name}`, number);
      }
    }
  }

  #check(type: string, node: Node): void {
    const wanted = RICH_RESULTS[type];
    if (wanted === undefined) return;
    const has = (name: string): boolean => {
      const value = node[name];
      return value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);
    };
    const report = (kind: StructuredDataProblem, lists: readonly (string | readonly string[])[]) => {
      for (const each of lists) {
        const names = typeof each === "string" ? [each] : each;
        if (!names.some(has)) this.#problem(kind, `${type}: ${names.join(" or ")}`);
      }
    };
    report("required", wanted.required);
    report("recommended", wanted.recommended);
  }

  /** Two descriptions with the same @id are one thing, and must not contradict each other. */
  #compare(node: Node): void {
    const id = node["@id"];
    if (typeof id !== "string") return;
    const text = JSON.stringify(node);
    const before = this.#ids.get(id);
    if (before === undefined) this.#ids.set(id, text);
    else if (before !== text) this.#problem("duplicate_id", id.slice(0, 200));
  }

  #problem(kind: StructuredDataProblem, what: string): void {
    if (this.#problems.size < MOST_PROBLEMS) this.#problems.add(`${kind} ${what}`);
  }
}

/** `https://schema.org/Product`, `schema:Product` and `Product` are one type. */
function typesOf(node: Node): string[] {
  const given = node["@type"];
  return (Array.isArray(given) ? given : [given]).flatMap((type) =>
    typeof type === "string" && type !== ""
      ? [type.replace(/^(?:https?:\/\/schema\.org\/|schema:)/, "").slice(0, 100)]
      : [],
  );
}
