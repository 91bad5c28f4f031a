/** The bytes the HTML tokenizer acts on: all are ASCII, and no byte of another character is. */

export const TAB = 9;
export const LINE_FEED = 10;
export const FORM_FEED = 12;
export const CARRIAGE_RETURN = 13;
export const SPACE = 32;
export const EXCLAMATION = 33;
export const DOUBLE_QUOTE = 34;
export const AMPERSAND = 38;
export const SINGLE_QUOTE = 39;
export const HYPHEN = 45;
export const SLASH = 47;
export const LESS_THAN = 60;
export const EQUALS = 61;
export const GREATER_THAN = 62;
export const QUESTION = 63;
export const LEFT_BRACKET = 91;

/** HTML whitespace. Carriage return counts, because the standard turns it into a line feed before tokenizing. */
export function isSpace(code: number): boolean {
  return (
    code <= SPACE &&
    (code === SPACE || code === LINE_FEED || code === TAB || code === CARRIAGE_RETURN || code === FORM_FEED)
  );
}

export function isLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

/** Lower-cases ASCII only, as the standard does for tag and attribute names ("K" with a Kelvin sign must stay itself). */
export function lowerCode(code: number): number {
  return code >= 65 && code <= 90 ? code | 32 : code;
}
