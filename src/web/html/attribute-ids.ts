/** The attributes that the engine asks for itself, by their place in `ATTRIBUTE_NAMES`. Constants only. */

export const HREF = 0;
export const REL = 1;
export const STYLE = 2;
export const ROLE = 3;
export const SHADOW_ROOT_MODE = 4;
