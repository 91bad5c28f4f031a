/** Tag names: each known one is a single shared object, so that visitors compare and index instead of reading strings. */

export interface Tag {
  /** Index for tables kept by visitors: 1 to `TAG_IDS - 1`; 0 for a name this table does not know. */
  readonly id: number;
  /** Lower-cased, as the tokenizer of the standard gives it, also in SVG. */
  readonly name: string;
}

/** The first line is that of `tag-ids.ts`. */
const NAMES =
  `a body br button footer foreignobject h1 h2 head header html p script style svg table tbody template title tr
abbr address applet area article aside audio b base basefont bdi bdo bgsound big blockquote canvas caption center cite
code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font form
frame frameset h3 h4 h5 h6 hgroup hr i iframe image img input ins kbd keygen label legend li link listing main map mark
marquee menu meta meter nav nobr noembed noframes noscript object ol optgroup option output param picture plaintext pre
progress q rb rp rt rtc ruby s samp search section select slot small source span strike strong sub summary sup td
textarea tfoot th thead time track tt u ul var video wbr xmp
math desc annotation-xml mi mo mn ms mtext g path use symbol defs`.split(/\s+/);

/** By `id`; the first stands for all names that are not known. */
export const TAGS: readonly Tag[] = ["", ...NAMES].map((name, id) => ({ id, name }));

/** The length of a table indexed by `Tag.id`. */
export const TAG_IDS = TAGS.length;

const BY_NAME = new Map(TAGS.map((tag) => [tag.name, tag]));

/** The shared object of a known name. For building tables; a name this file does not list is a programming mistake. */
export function tagNamed(name: string): Tag {
  const tag = BY_NAME.get(name);
  if (tag === undefined) throw new Error(`no known tag is named ${name}`);
  return tag;
}

/** A tag or attribute name as the tokenizer gives it: ASCII lower case, NUL replaced. */
export function lowerName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replaceAll("\0", "\uFFFD");
}
