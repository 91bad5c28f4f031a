/** Tag names: each known one is a single shared object, so that visitors compare and index instead of reading strings. */

import type { HtmlSource } from "./html-source.ts";
import { NameTable } from "./name-table.ts";

/** How the content of an element is tokenized (WHATWG HTML, 13.2.5). */
export type ContentModel = "data" | "rcdata" | "rawtext" | "script" | "plaintext";

export interface Tag {
  /** Index for tables kept by visitors: 1 to `TAG_IDS - 1`; 0 for a name this table does not know. */
  readonly id: number;
  /** Lower-cased, as the tokenizer of the standard gives it, also in SVG. */
  readonly name: string;
  readonly content: ContentModel;
  /** HTML elements without content or end tag. */
  readonly isVoid: boolean;
}

const NAMES = `a abbr address applet area article aside audio b base basefont bdi bdo bgsound big blockquote body br
button canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed
fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image
img input ins kbd keygen label legend li link listing main map mark marquee menu meta meter nav nobr noembed noframes
noscript object ol optgroup option output p param picture plaintext pre progress q rb rp rt rtc ruby s samp script
search section select slot small source span strike strong style sub summary sup table tbody td template textarea
tfoot th thead time title tr track tt u ul var video wbr xmp
svg math foreignobject desc annotation-xml mi mo mn ms mtext g path use symbol defs`
  .split(/\s+/)
  .filter((name) => name !== "");

const VOID = new Set(
  "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split(" "),
);

// `noscript` is not here: without scripting its content is markup (13.2.6.4.4).
const CONTENT: Record<string, ContentModel> = {
  title: "rcdata",
  textarea: "rcdata",
  style: "rawtext",
  xmp: "rawtext",
  iframe: "rawtext",
  noembed: "rawtext",
  noframes: "rawtext",
  script: "script",
  plaintext: "plaintext",
};

const TABLE = new NameTable(NAMES);

const TAGS: readonly Tag[] = NAMES.map((name, index) => ({
  id: index + 1,
  name,
  content: CONTENT[name] ?? "data",
  isVoid: VOID.has(name),
}));

/** The length of a table indexed by `Tag.id`. */
export const TAG_IDS = TAGS.length + 1;

/** The shared object of a known name. For building tables; a name this file does not list is a programming mistake. */
export function tagNamed(name: string): Tag {
  const tag = TAGS[NAMES.indexOf(name)];
  if (tag === undefined) throw new Error(`no known tag is named ${name}`);
  return tag;
}

/** The tag whose name stands at `start` to `end` in the source; `hash` is made with `hashStep` while finding the end. */
export function readTag(source: HtmlSource, start: number, end: number, hash: number): Tag {
  const known = TABLE.find(source.bytes, start, end, hash);
  if (known >= 0) return TAGS[known]!;
  // Unknown names are made anew each time: keeping them would let a site grow our memory with invented elements.
  return { id: 0, name: lowerName(source.text(start, end)), content: "data", isVoid: false };
}

/** A tag or attribute name as the tokenizer gives it: ASCII lower case, NUL replaced. */
export function lowerName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replaceAll("\0", "\uFFFD");
}
