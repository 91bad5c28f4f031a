/** The elements of HTML: their names, what is known about each, and which part of a page each one begins. */
import {
  BLOCK,
  BREAKS_OUT,
  CAPTION,
  CELL,
  CLOSES_PARAGRAPH,
  COLLECTED,
  DEFINITION,
  ENTERS_FOREIGN,
  FOREIGN,
  FORMATTING,
  HEADING,
  IN_LABEL,
  IN_PICTURE,
  INTEGRATION_POINT,
  ITEM,
  LANDMARK,
  LIST,
  LIST_ITEM,
  METADATA,
  OPTION,
  OPTION_GROUP,
  PARAGRAPH,
  PLAINTEXT,
  RAWTEXT,
  RCDATA,
  ROW,
  ROW_GROUP,
  SCOPE,
  SCRIPT_DATA,
  SECTIONING,
  SILENT,
  SPACE,
  SPECIAL,
  STRUCTURE,
  TABLE,
  TRANSPARENT,
  VOID,
} from "./element-bits.ts";

/** A tag name. Each known name is one shared object, so that visitors compare and index instead of reading strings. */
export interface Tag {
  /** Index for tables kept by visitors: 1 to `TAG_IDS - 1`; 0 for a name this table does not know. */
  readonly id: number;
  /** Lower-cased, as the tokenizer of the standard gives it, also in SVG. */
  readonly name: string;
}

/** The first line is in the order of `name-ids.ts`. */
const NAMES =
  `a body br button dialog footer foreignobject h1 h2 head header html p script style svg table tbody template title tr
abbr address applet area article aside audio b base basefont bdi bdo bgsound big blockquote canvas caption center cite
code col colgroup data datalist dd del details dfn dir div dl dt em embed fieldset figcaption figure font form
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

/** The shared object of a known name. For building tables: a name that is not listed here is a programming mistake. */
export function tagNamed(name: string): Tag {
  const tag = BY_NAME.get(name);
  if (tag === undefined) throw new Error(`no known tag is named ${name}`);
  return tag;
}

/** A tag or attribute name as the tokenizer gives it: ASCII lower case, NUL replaced. */
export function lowerName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replaceAll("\0", "\uFFFD");
}

/** What is known of each HTML element, in tables indexed by `Tag.id`. */
type Groups = [bits: number, names: string][];

/** The bits of `element-bits.ts`; 0 for names that are not known. */
export const ELEMENTS = table([
  [
    BLOCK | SPECIAL | CLOSES_PARAGRAPH,
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup " +
      "main menu nav ol p search section summary ul h1 h2 h3 h4 h5 h6 pre listing form table hr xmp plaintext li dd dt",
  ],
  [BLOCK | SPECIAL, "body html tr td th tbody thead tfoot caption colgroup select iframe object"],
  [BLOCK, "legend option optgroup video audio canvas"],
  [SPACE, "br button img input svg textarea label"],
  [SPECIAL, "applet area base basefont bgsound br button col embed frame frameset head img input keygen link"],
  [SPECIAL, "marquee meta noembed noframes noscript param script source style template textarea title track wbr"],
  [FORMATTING, "a b big code em font i nobr s small strike strong tt u"],
  [SILENT, "script style template noscript title iframe noembed noframes textarea"],
  [METADATA, "base basefont bgsound link meta noframes noscript script style template title"],
  [COLLECTED, "a area audio base button embed form frame h1 h2 iframe image img input link meta object script source"],
  [COLLECTED, "title track use video label main picture select textarea"],
  [IN_LABEL, "label"],
  [IN_PICTURE, "picture"],
  [LANDMARK, "nav header footer aside main"],
  [SECTIONING, "article aside main nav section"],
  [SCOPE, "applet caption html table td th marquee object template"],
  [TRANSPARENT, "address div p"],
  [PARAGRAPH, "p"],
  [LIST_ITEM, "li"],
  [DEFINITION, "dd dt"],
  [OPTION, "option"],
  [OPTION_GROUP, "optgroup"],
  [CELL, "td th"],
  [ROW, "tr"],
  [ROW_GROUP, "tbody thead tfoot"],
  [CAPTION, "caption colgroup"],
  [TABLE, "table template"],
  [HEADING, "h1 h2 h3 h4 h5 h6"],
  [ITEM, "li dd dt option optgroup td th caption tr tbody thead tfoot colgroup"],
  [STRUCTURE, "html head body"],
  [LIST, "ol ul menu dir"],
]);

/** How the tokenizer treats each element, in the bits of `element-bits.ts`. */
export const TRAITS = table([
  [VOID, "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr"],
  [RCDATA, "title textarea"],
  // `noscript` is not here: without scripting its content is markup (13.2.6.4.4).
  [RAWTEXT, "style xmp iframe noembed noframes"],
  [SCRIPT_DATA, "script"],
  [PLAINTEXT, "plaintext"],
  [ENTERS_FOREIGN, "svg math"],
  [INTEGRATION_POINT, "foreignobject desc title annotation-xml mi mo mn ms mtext"],
  [
    BREAKS_OUT,
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta " +
      "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var",
  ],
  [FOREIGN, "svg math foreignobject desc annotation-xml mi mo mn ms mtext g path use symbol defs"],
  [FOREIGN, "a audio canvas font iframe image link script style title video"],
]);
// An unknown name is most likely a name of SVG.
TRAITS[0] = FOREIGN;

function table(groups: Groups): Int32Array {
  const bits = new Int32Array(TAG_IDS);
  for (const [bit, names] of groups) for (const name of names.split(" ")) bits[tagNamed(name).id]! |= bit;
  return bits;
}

/** The parts of a page, which `nav`, `header`, `footer`, `aside`, `main` or a `role` begin. Stored as indexes: append, never reorder. */
export const LINK_POSITIONS = ["navigation", "header", "footer", "aside", "content", "head"] as const;
export type LinkPosition = (typeof LINK_POSITIONS)[number];

const ROLE_POSITIONS: Record<string, LinkPosition> = {
  navigation: "navigation",
  banner: "header",
  contentinfo: "footer",
  complementary: "aside",
  main: "content",
};

const TAG_POSITIONS: Record<string, LinkPosition> = {
  nav: "navigation",
  aside: "aside",
  main: "content",
  header: "header",
  footer: "footer",
};

const BY_ROLE = indexes(ROLE_POSITIONS);
const BY_TAG = indexes(TAG_POSITIONS);

function indexes(positions: Record<string, LinkPosition>): ReadonlyMap<string, number> {
  return new Map(Object.entries(positions).map(([name, position]) => [name, LINK_POSITIONS.indexOf(position)]));
}

/** The part that a `role` names, or -1. The first word that names one counts. */
export function roleLandmark(role: string): number {
  for (const word of role.toLowerCase().split(/[\t\n\f\r ]+/)) {
    const position = BY_ROLE.get(word);
    if (position !== undefined) return position;
  }
  return -1;
}

/** The part that an element of this name begins, or -1. */
export function tagLandmark(name: string): number {
  return BY_TAG.get(name) ?? -1;
}
