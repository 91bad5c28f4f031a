/**
 * A link is a row of numbers, from the engine to the store. These are their positions. Shared with the engine, so
 * constants only.
 *
 * A page's row has ten numbers: places in the page and in its texts. The first seven are what is stored, once the
 * target and the texts have ids.
 */

/** Where the href begins; once resolved, the place of the target; stored, its id. */
export const HREF_START = 0;
export const TARGET = HREF_START;
export const TYPE = 1;
export const POSITION = 2;
export const FLAGS = 3;
/** Where the text, and the line around it, begin; stored, their ids. */
export const TEXT_START = 4;
export const TEXT = TEXT_START;
export const CONTEXT_START = 5;
export const CONTEXT = CONTEXT_START;
export const PATH = 6;
export const STORED_LINK_STRIDE = 7;
export const HREF_END = 7;
export const TEXT_END = 8;
export const CONTEXT_END = 9;
export const PAGE_LINK_STRIDE = 10;

/** In `HREF_END`: the href had to be decoded, and `HREF_START` is its place in `hrefs`. */
export const DECODED = -1;

/** In `TYPE`. */
export const ANCHOR = 0;

/** In `POSITION`; a landmark gives the other parts of a page. */
export const IN_CONTENT = 4;
export const IN_HEAD = 5;
