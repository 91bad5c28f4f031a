/** What the extractor knows of each HTML element, as bits in one table indexed by `Tag.id`. */

import { TAG_IDS, tagNamed } from "../../web/html/index.ts";

/** Begins and ends a line of text: the context of a link reaches from one such boundary to the next. */
export const BLOCK = 1 << 0;
/** Separates words, but not lines. */
export const SPACE = 1 << 1;
/** Its text is not read by visitors. */
export const SILENT = 1 << 2;
/** May stand in the head; anything else begins the body. */
export const METADATA = 1 << 3;
/** Has facts or links to collect. */
export const COLLECTED = 1 << 4;
/** May change the part of the page (navigation, footer, …). */
export const LANDMARK = 1 << 5;
/** In it, header and footer are not those of the page (HTML-AAM). */
export const SECTIONING = 1 << 6;

/** May end an item of its kind that is still open. */
export const ITEM = 1 << 23;

/** `html`, `head` and `body`, which a page has once, written or not. */
export const STRUCTURE = 1 << 24;

// For implied and misplaced end tags (WHATWG HTML, 13.2.4.2 and 13.2.6.4.7).
export const SPECIAL = 1 << 7;
export const FORMATTING = 1 << 8;
export const SCOPE = 1 << 9;
export const PARAGRAPH = 1 << 10;
export const CLOSES_PARAGRAPH = 1 << 11;
export const LIST_ITEM = 1 << 12;
export const DEFINITION = 1 << 13;
export const OPTION = 1 << 14;
export const CELL = 1 << 15;
export const ROW = 1 << 16;
export const ROW_GROUP = 1 << 17;
export const CAPTION = 1 << 25;
export const TABLE = 1 << 18;
export const HEADING = 1 << 19;
/** Special, but a list item looks past it for the one it ends. */
export const TRANSPARENT = 1 << 20;
export const LIST = 1 << 21;
export const OPTION_GROUP = 1 << 22;

const GROUPS: [bits: number, names: string][] = [
  [
    BLOCK | SPECIAL | CLOSES_PARAGRAPH,
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup " +
      "main menu nav ol p search section summary ul h1 h2 h3 h4 h5 h6 pre listing form table hr xmp plaintext li dd dt",
  ],
  [BLOCK | SPECIAL, "body html tr td th tbody thead tfoot caption colgroup select iframe object"],
  [BLOCK, "legend option optgroup video audio canvas"],
  [SPACE, "br button img input svg textarea label wbr"],
  [SPECIAL, "applet area base basefont bgsound br button col embed frame frameset head img input keygen link"],
  [SPECIAL, "marquee meta noembed noframes noscript param script source style template textarea title track wbr"],
  [FORMATTING, "a b big code em font i nobr s small strike strong tt u"],
  [SILENT, "script style template noscript title iframe noembed noframes textarea"],
  [METADATA, "base basefont bgsound link meta noframes noscript script style template title"],
  [COLLECTED, "a area audio base button embed form frame h1 h2 iframe image img input link meta object script source"],
  [COLLECTED, "title track use video"],
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
];

/** The bits of each element; 0 for names that are not known. */
export const ELEMENTS = new Int32Array(TAG_IDS);
for (const [bits, names] of GROUPS) for (const name of names.split(" ")) ELEMENTS[tagNamed(name).id]! |= bits;
