/**
 * Accessibility problems that the markup shows without a browser, in the names of fields, buttons and links, in roles,
 * and in landmarks.
 */
import type { Attributes, Tag } from "../../web/html/index.ts";
import { roleOf } from "./aria-roles.ts";
import { ProblemList } from "./problem-list.ts";

/** The kind of problem, which is the first word of its line. */
type AccessibilityProblem = "unlabelled_field" | "unnamed_control" | "invalid_role" | "no_main";

/** Types of `<input>` that are not filled in, or that have a name of their own. */
const NO_FIELD: ReadonlySet<string> = new Set(["hidden", "submit", "reset", "button", "image"]);

/** Far more than a page has. */
const MOST_FIELDS = 1_000;

export class AccessibilityFacts {
  readonly #problems = new ProblemList<AccessibilityProblem>();
  /** Ids that a `<label for>` names, and the fields that have no other possible name. */
  readonly #labelled = new Set<string>();
  readonly #fields: { id: string; shown: string }[] = [];
  /** Numbers of the links that have a name besides their text. */
  readonly #namedLinks = new Set<number>();
  #hasMain = false;
  /** Whether the last button has a name besides its text, and what kind of button it is. */
  #isButtonNamed = true;
  #button = "";

  /** An element with a role, a name, or something to do when it is clicked. `link`: the link that is open, or -1. */
  noted(tag: Tag, attributes: Attributes, link: number): void {
    const role = attributes.get("role")?.trim();
    if (role) {
      const known = roleOf(role);
      if (known === null) this.#problems.add("invalid_role", `${role} on <${tag.name}>`);
      else if (known === "main") this.#hasMain = true;
    }
    const isLeftOut = tag.name === "a" && attributes.get("aria-hidden") === "true";
    if (isLeftOut || isNamed(attributes) || (tag.name === "a" && attributes.says("title"))) this.#name(link);
  }

  main(): void {
    this.#hasMain = true;
  }

  /** An image with a description: it names the link or button around it. */
  described(link: number): void {
    this.#name(link);
  }

  #name(link: number): void {
    this.#isButtonNamed = true;
    if (link >= 0) this.#namedLinks.add(link);
  }

  label(attributes: Attributes): void {
    const id = attributes.get("for");
    if (id !== null && this.#labelled.size < MOST_FIELDS) this.#labelled.add(id);
  }

  /** An input, select or textarea. A title or a placeholder is a poor name, but screen readers read it. */
  field(tag: Tag, attributes: Attributes, isInLabel: boolean): void {
    const type = tag.name === "input" ? (attributes.get("type")?.trim().toLowerCase() ?? "text") : tag.name;
    if (NO_FIELD.has(type)) {
      this.#inputButton(type, attributes);
      return;
    }
    if (isInLabel || isNamed(attributes) || attributes.get("title") || attributes.get("placeholder")) return;
    if (attributes.get("role") === "presentation" || attributes.get("role") === "none") return;
    if (this.#fields.length === MOST_FIELDS) return;
    this.#fields.push({ id: attributes.get("id") ?? "", shown: shownField(tag, type, attributes) });
  }

  /** Browsers name the buttons that submit or reset a form. */
  #inputButton(type: string, attributes: Attributes): void {
    const own = type === "image" ? "alt" : "value";
    if (type !== "button" && type !== "image") return;
    if (attributes.get(own)?.trim() || isNamed(attributes) || attributes.get("title")) return;
    this.#problems.add("unnamed_control", shownField({ id: 0, name: "input" }, type, attributes));
  }

  /** A `<button>` begins. */
  button(attributes: Attributes): void {
    this.#isButtonNamed = isNamed(attributes) || attributes.says("title");
    this.#button = ["button", attributes.get("class"), attributes.get("id")].filter(Boolean).join(" ");
  }

  /** The button ends without showing a text. */
  emptyButton(): void {
    if (!this.#isButtonNamed) this.#problems.add("unnamed_control", `<${this.#button}>`);
  }

  /** A link without text; `href` as written. */
  emptyLink(link: number, href: string): void {
    if (!this.#namedLinks.has(link)) this.#problems.add("unnamed_control", `link to ${href}`);
  }

  /** One line per problem; null when there are none. The document has ended. */
  finish(): string | null {
    for (const { id, shown } of this.#fields)
      if (id === "" || !this.#labelled.has(id)) this.#problems.add("unlabelled_field", shown);
    if (!this.#hasMain) this.#problems.add("no_main", "No main element");
    return this.#problems.lines.join("\n") || null;
  }
}

const isNamed = (attributes: Attributes): boolean =>
  attributes.says("aria-label") || attributes.says("aria-labelledby");

const shownField = ({ name }: Tag, type: string, attributes: Attributes): string =>
  ["name", "id"].reduce(
    (text, attribute) => {
      const value = attributes.get(attribute as "name" | "id");
      return value ? `${text} ${attribute}=${value}` : text;
    },
    type === name ? `<${name}>` : `<${name}> ${type}`,
  );
