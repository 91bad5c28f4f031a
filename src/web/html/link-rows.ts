/** The numbers in the row of a link, by position. Shared with the engine, so constants only. */

export const HREF_START = 0;
export const HREF_END = 1;
export const TYPE = 2;
export const POSITION = 3;
export const REL = 4;
export const TEXT_START = 5;
export const TEXT_END = 6;
export const CONTEXT_START = 7;
export const CONTEXT_END = 8;
export const PATH = 9;
export const PAGE_LINK_STRIDE = 10;

/** In `HREF_END`: the href had to be decoded, and `HREF_START` is its place in `hrefs`. */
export const DECODED = -1;

/** In `TYPE`. */
export const ANCHOR = 0;

/** In `POSITION`; the other parts of a page are told by `landmark`. */
export const IN_CONTENT = 4;
export const IN_HEAD = 5;
