/** What the engine calls in TypeScript; `../engine.ts` is the other side. */

/** For a visitor of tags and text. */
export declare function open(tag: i32, empty: bool): void;
export declare function close(tag: i32): void;
export declare function text(start: i32, end: i32, references: bool): void;
export declare function comment(start: i32, end: i32): void;
export declare function attribute(nameStart: i32, nameEnd: i32, start: i32, end: i32, needsDecoding: bool): void;

/** For reading a page: an element that may have facts or links in its attributes, except anchors and headings. */
export declare function element(tag: i32): void;
/** An element with a `style`. */
export declare function style(): void;
/** An element, an anchor too, with an attribute that says what it is for or what it does when it is clicked. */
export declare function noted(tag: i32): void;
/** A button that has ended shows no text. */
export declare function emptyButton(): void;
/** Text inside an element whose text is not shown. */
export declare function silentText(tag: i32, start: i32, end: i32, references: bool): void;
/** All text, for a reader that wants more than the visible text. */
export declare function otherText(start: i32, end: i32, references: bool, position: i32): void;
export declare function otherComment(start: i32, end: i32): void;
export declare function otherBreak(): void;
/** The bits of the current tag's `rel`. */
export declare function linkFlags(): i32;
/** The part of the page that the current tag's `role` names, or -1. */
export declare function roleLandmark(): i32;
/** The current anchor's address, if it has to be decoded: its number among the decoded ones, or -1. */
export declare function anchorHref(): i32;
/** Decodes the text from `start` to `end` into scratch memory, and returns its length. */
export declare function decode(start: i32, end: i32): i32;
