/** The elements and attributes that the code knows by number. Shared with the engine, so constants only. */

// The elements, as `Tag.id`.

/** Any name that is not in the table. */
export const UNKNOWN = 0;
export const A = 1;
export const BODY = 2;
export const BR = 3;
export const BUTTON = 4;
export const DIALOG = 5;
export const FOOTER = 6;
export const FOREIGN_OBJECT = 7;
export const H1 = 8;
export const H2 = 9;
export const HEAD = 10;
export const HEADER = 11;
export const HTML = 12;
export const P = 13;
export const SCRIPT = 14;
export const STYLE = 15;
export const SVG = 16;
export const TABLE = 17;
export const TBODY = 18;
export const TEMPLATE = 19;
export const TITLE = 20;
export const TR = 21;

// The attributes that the engine reads itself, by their place in `ATTRIBUTE_NAMES`.

export const HREF_ATTRIBUTE = 0;
export const REL_ATTRIBUTE = 1;
export const STYLE_ATTRIBUTE = 2;
export const ROLE_ATTRIBUTE = 3;
export const SHADOW_ROOT_MODE_ATTRIBUTE = 4;
export const BACKGROUND_ATTRIBUTE = 5;
export const HIDDEN_ATTRIBUTE = 6;
export const CLASS_ATTRIBUTE = 7;
export const ID_ATTRIBUTE = 8;
export const OPEN_ATTRIBUTE = 9;
export const ONCLICK_ATTRIBUTE = 10;
export const TARGET_ATTRIBUTE = 11;
export const ARIA_LABEL_ATTRIBUTE = 12;
export const ARIA_LABELLEDBY_ATTRIBUTE = 13;
export const ARIA_HIDDEN_ATTRIBUTE = 14;
export const TITLE_ATTRIBUTE = 15;
export const ITEMSCOPE_ATTRIBUTE = 34;
export const TYPEOF_ATTRIBUTE = 36;
export const NAME_ATTRIBUTE = 18;
export const POPOVER_ATTRIBUTE = 46;
