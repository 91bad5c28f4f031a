/** Which characters make words, for counting them without a dictionary. */

/** What a character does to the count. */
export const BETWEEN_WORDS = 0;
export const PART_OF_WORD = 1;
export const WORD_BY_ITSELF = 2;
/** Punctuation and symbols: neither begin a word nor end one. */
export const NO_WORD = 3;

/** ASCII letters and digits: a run without white space counts as a word when it has one of these. */
export function isAsciiWord(code: i32): bool {
  const lower = code | 32;
  return (lower >= 97 && lower <= 122) || (code >= 48 && code <= 57);
}

/** The same for a character above ASCII. Han and Kana are written without spaces, so each counts as a word. */
export function wordRole(code: i32): i32 {
  if (code < 0xc0) {
    if (code === 0xa0 || code === 0x85) return BETWEEN_WORDS;
    return code === 0xaa || code === 0xb5 || code === 0xba ? PART_OF_WORD : NO_WORD;
  }
  if (code < 0x2000) return code === 0xd7 || code === 0xf7 ? NO_WORD : PART_OF_WORD;
  if (code < 0x2070) {
    const isSpace = code <= 0x200a || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f;
    return isSpace ? BETWEEN_WORDS : NO_WORD;
  }
  // Arrows, mathematical signs, box drawing, dingbats.
  if (code >= 0x2190 && code < 0x2c00) return NO_WORD;
  if (code >= 0x2e00 && code < 0x3040) return code === 0x3000 ? BETWEEN_WORDS : NO_WORD;
  if (code < 0x3100) return code < 0x3040 ? PART_OF_WORD : WORD_BY_ITSELF;
  if (code >= 0x31f0 && code < 0x3200) return WORD_BY_ITSELF;
  if ((code >= 0x3400 && code < 0x4dc0) || (code >= 0x4e00 && code < 0xa000)) return WORD_BY_ITSELF;
  if (code >= 0xf900 && code < 0xfb00) return WORD_BY_ITSELF;
  if (code === 0xfeff) return BETWEEN_WORDS;
  if (code >= 0xfe30 && code < 0xfe70) return NO_WORD;
  if (code >= 0xff00 && code < 0xff10) return NO_WORD;
  if (code < 0x10000) return PART_OF_WORD;
  // Above U+FFFF: the Han planes, emoji, and the rest.
  if (code >= 0x20000 && code < 0x40000) return WORD_BY_ITSELF;
  return code >= 0x1f000 && code < 0x20000 ? NO_WORD : PART_OF_WORD;
}
