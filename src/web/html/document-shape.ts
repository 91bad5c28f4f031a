/** The numbers that say how a document is built, by position. Shared with the engine, so constants only. */

/** Elements with a start tag. */
export const ELEMENTS_COUNT = 0;
/** The deepest nesting of elements. */
export const DEEPEST = 1;
/** Tags `<head>` and `<body>`. */
export const HEAD_TAGS = 2;
export const BODY_TAGS = 3;
/** 1 when `<body>` comes before `<html>`. */
export const BODY_BEFORE_HTML = 4;
/** 1 when something other than `<html>` comes before `<head>`. */
export const HEAD_NOT_FIRST = 5;
/** What ended the head before `</head>`: where its name begins and ends; both 0 for text, the first -1 for nothing. */
export const HEAD_ENDED_FROM = 6;
export const HEAD_ENDED_TO = 7;
/** Levels of the first heading, and of the first two in a row between which one is skipped; 0 for none. */
export const FIRST_HEADING = 8;
export const SKIPPED_FROM = 9;
export const SKIPPED_TO = 10;
/** Elements whose id is already taken by an earlier element, and where the first repeated id begins and ends. */
export const DUPLICATE_IDS = 11;
export const DUPLICATE_FROM = 12;
export const DUPLICATE_TO = 13;
/** 1 when an element describes a thing in Microdata or RDFa. */
export const HAS_ITEMS = 14;
export const SHAPE_NUMBERS = 15;

/** Bytes that record a place in the page that links can lead to. */
export const BOOKMARK_BYTES = 5;
