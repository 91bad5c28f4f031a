/** How the tokenizer treats an element, as bits. Shared with the engine, so it holds constants only. */

/** Has neither content nor end tag. */
export const VOID = 1 << 0;
/** Its content is no markup (WHATWG HTML, 13.2.5): text with references, */
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
