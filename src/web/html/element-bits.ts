/** What is known of an HTML element, as bits. Shared with the engine, so it holds constants only. */

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
export const TABLE = 1 << 18;
export const HEADING = 1 << 19;
/** Special, but a list item looks past it for the one it ends. */
export const TRANSPARENT = 1 << 20;
export const LIST = 1 << 21;
export const OPTION_GROUP = 1 << 22;
/** May end an item of its kind that is still open. */
export const ITEM = 1 << 23;
/** `html`, `head` and `body`, which a page has once, written or not. */
export const STRUCTURE = 1 << 24;
export const CAPTION = 1 << 25;

/** Only in the flags that an element passes on to those inside it: in SVG, where a title is not the page's, */
export const IN_SVG = 1 << 29;
/** and in a template: not part of the page. */
export const INERT = 1 << 30;
