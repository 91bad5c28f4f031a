/** What is known of an HTML element, and how the tokenizer treats it, as bits. Shared with the engine, so constants only. */

/** Begins and ends a line of text; the context of a link is one line. */
export const BLOCK = 1 << 0;
/** Separates words, but not lines. */
export const SPACE = 1 << 1;
/** Its text is not read by visitors. */
export const SILENT = 1 << 2;
/** Allowed in the head; anything else begins the body. */
export const METADATA = 1 << 3;
/** Has facts or links to collect. */
export const COLLECTED = 1 << 4;
/** May change the part of the page (navigation, footer, …). */
export const LANDMARK = 1 << 5;
/** A header or footer inside it is not the page's (HTML-AAM). */
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
/** Passed on to what is inside: a field there has a label, and an image there is the picture's. */
export const IN_LABEL = 1 << 26;
export const IN_PICTURE = 1 << 27;

/** Only in the flags that an element passes on. The page hides it, so its words are not counted. */
export const HIDDEN = 1 << 28;
/** Also only passed on. Inside SVG, where a title is not the page's. */
export const IN_SVG = 1 << 29;
/** Also only passed on. Inside a template, which is not part of the page. */
export const INERT = 1 << 30;

// How the tokenizer treats an element. These bits are kept apart from those above.

/** Has neither content nor end tag. */
export const VOID = 1 << 0;
/** Its content is not markup (WHATWG HTML, 13.2.5) but text with character references, */
export const RCDATA = 1 << 1;
/** plain text, */
export const RAWTEXT = 1 << 2;
/** a script, */
export const SCRIPT_DATA = 1 << 3;
/** or all the rest of the page. */
export const PLAINTEXT = 1 << 4;

/** `svg` and `math`: foreign content begins. */
export const ENTERS_FOREIGN = 1 << 5;
/** Inside foreign content, its content is HTML again. */
export const INTEGRATION_POINT = 1 << 6;
/** Its start tag ends foreign content (WHATWG HTML, 13.2.6.5). */
export const BREAKS_OUT = 1 << 7;
/** May be closed inside foreign content without leaving it. */
export const FOREIGN = 1 << 8;
