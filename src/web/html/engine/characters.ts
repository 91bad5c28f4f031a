/** The bytes that mean something in HTML: all are ASCII, and no byte of another character is. */

export const TAB = 9;
export const LINE_FEED = 10;
export const FORM_FEED = 12;
export const CARRIAGE_RETURN = 13;
export const SPACE = 32;
export const EXCLAMATION = 33;
export const DOUBLE_QUOTE = 34;
export const NUMBER_SIGN = 35;
export const AMPERSAND = 38;
export const SINGLE_QUOTE = 39;
export const HYPHEN = 45;
export const SLASH = 47;
export const SEMICOLON = 59;
export const LESS_THAN = 60;
export const EQUALS = 61;
export const GREATER_THAN = 62;
export const QUESTION = 63;
export const LEFT_BRACKET = 91;
export const RIGHT_BRACKET = 93;

/** HTML whitespace. Carriage return counts, because the standard turns it into a line feed before tokenizing. */
export function isSpace(code: i32): bool {
  return (
    code <= SPACE &&
    (code === SPACE || code === LINE_FEED || code === TAB || code === CARRIAGE_RETURN || code === FORM_FEED)
  );
}

export function isLetter(code: i32): bool {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

export function isDigit(code: i32): bool {
  return code >= 48 && code <= 57;
}

/** Lower-cases ASCII only, as the standard does for tag and attribute names ("K" with a Kelvin sign must stay itself). */
export function lowerCode(code: i32): i32 {
  return code >= 65 && code <= 90 ? code | 32 : code;
}
