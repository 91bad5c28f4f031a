/** The elements and attributes that code knows by number. Shared with the engine, so constants only. */

// The elements, as `Tag.id`.

/** Any name that is not in the table. */
export const UNKNOWN = 0;
export const A = 1;
export const BODY = 2;
export const BR = 3;
export const BUTTON = 4;
export const FOOTER = 5;
export const FOREIGN_OBJECT = 6;
export const H1 = 7;
export const H2 = 8;
export const HEAD = 9;
export const HEADER = 10;
export const HTML = 11;
export const P = 12;
export const SCRIPT = 13;
export const STYLE = 14;
export const SVG = 15;
export const TABLE = 16;
export const TBODY = 17;
export const TEMPLATE = 18;
export const TITLE = 19;
export const TR = 20;

// The attributes that the engine reads itself, by their place in `ATTRIBUTE_NAMES`.

export const HREF_ATTRIBUTE = 0;
export const REL_ATTRIBUTE = 1;
export const STYLE_ATTRIBUTE = 2;
export const ROLE_ATTRIBUTE = 3;
export const SHADOW_ROOT_MODE_ATTRIBUTE = 4;
export const BACKGROUND_ATTRIBUTE = 5;
