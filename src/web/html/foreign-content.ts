/**
 * Whether the scanner stands in SVG or MathML, where `<title>` and `<style>` hold markup, CDATA exists and `/>` closes.
 *
 * The standard decides this with the whole stack of open elements. Here only `svg`, `math` and the integration points
 * between them are followed; an end tag that SVG and MathML do not have (`</div>`) also leads out, so that an `<svg>`
 * nobody closed does not turn the rest of the page foreign.
 */

import { TAG_IDS, type Tag, tagNamed } from "./tag.ts";

/** Nesting of SVG in HTML in SVG. Real pages have two levels. */
const MAX_LEVELS = 32;

const ENTER = 1;
/** Their content is HTML again. */
const INTEGRATION = 2;
/** Start tags that end foreign content (WHATWG HTML, 13.2.6.5). */
const BREAK_OUT = 4;
/** Names that may be closed inside foreign content without leaving it. */
const FOREIGN = 8;

const ROLES = new Uint8Array(TAG_IDS);
function mark(names: string, role: number): void {
  for (const name of names.split(" ")) ROLES[tagNamed(name).id]! |= role;
}
mark("svg math", ENTER);
mark("foreignobject desc title annotation-xml mi mo mn ms mtext", INTEGRATION);
mark(
  "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta " +
    "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var",
  BREAK_OUT,
);
mark("svg math foreignobject desc annotation-xml mi mo mn ms mtext g path use symbol defs", FOREIGN);
mark("a audio canvas font iframe image link script style title video", FOREIGN);
// A name we do not know is most likely a name of SVG.
ROLES[0] = FOREIGN;

export class ForeignContent {
  readonly #levels: Tag[] = [];

  /** Whether a tag met now is foreign. */
  get active(): boolean {
    const top = this.#levels.at(-1);
    return top !== undefined && (ROLES[top.id]! & ENTER) !== 0;
  }

  /** Whether `open` and `close` need to be told about this tag. */
  concerns(tag: Tag): boolean {
    return this.#levels.length > 0 || (ROLES[tag.id]! & ENTER) !== 0;
  }

  /** Takes a start tag into account, and says whether the element is foreign. */
  open(tag: Tag, selfClosing: boolean): boolean {
    const role = ROLES[tag.id]!;
    if (this.active && (role & BREAK_OUT) !== 0) while (this.active) this.#levels.pop();
    const foreign = this.active || (role & ENTER) !== 0;
    const opens = (role & ENTER) !== 0 || (this.active && (role & INTEGRATION) !== 0);
    if (opens && !selfClosing && this.#levels.length < MAX_LEVELS) this.#levels.push(tag);
    return foreign;
  }

  close(tag: Tag): void {
    const role = ROLES[tag.id]!;
    if ((role & (ENTER | INTEGRATION)) !== 0) {
      const level = this.#levels.lastIndexOf(tag);
      if (level >= 0) this.#levels.length = level;
    } else if (this.active && (role & FOREIGN) === 0) {
      while (this.active) this.#levels.pop();
    }
  }
}
