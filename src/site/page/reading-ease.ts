/** Flesch reading ease of English text, and placeholder text, from the bytes of the visible text. */

/** Enough to judge a page, and so little that it costs nothing compared to reading it. */
const MOST_BYTES = 8_192;
const LEAST_WORDS = 100;
/**
 * When "sentences" are longer than this on average, they are lists, tables or code, to which the formula does not
 * apply.
 */
const MOST_WORDS_PER_SENTENCE = 60;

const isLetter = (byte: number): boolean => (byte | 32) >= 97 && (byte | 32) <= 122;
/** a e i o u y, as bits from `a`. */
const VOWELS = (1 << 0) | (1 << 4) | (1 << 8) | (1 << 14) | (1 << 20) | (1 << 24);
const SENTENCE_ENDS = new Set([...".!?"].map((character) => character.charCodeAt(0)));
/** A line is a sentence of its own, because headings and list items have no full stop. */
const NEW_LINE = 10;

/**
 * 206.835 − 1.015 words per sentence − 84.6 syllables per word: over 60 is plain, under 30 very difficult. A syllable
 * is a group of vowels, without a silent e at the end. Null for fewer than 100 words, and for text that is not written
 * in sentences.
 */
export function readingEase(text: Buffer): number | null {
  const end = Math.min(text.length, MOST_BYTES);
  let words = 0;
  let sentences = 0;
  let syllables = 0;
  let wordSyllables = 0;
  let isInWord = false;
  let wasVowel = false;
  let isOpen = false;
  for (let at = 0; at <= end; at++) {
    const byte = at < end ? text[at]! : NEW_LINE;
    if (isLetter(byte)) {
      const isVowel = ((VOWELS >> ((byte | 32) - 97)) & 1) === 1;
      if (isVowel && !wasVowel) wordSyllables++;
      wasVowel = isVowel;
      isInWord = true;
      continue;
    }
    if (isInWord) {
      const isSilent = wordSyllables > 1 && (text[at - 1]! | 32) === 101;
      syllables += Math.max(1, wordSyllables - (isSilent ? 1 : 0));
      words++;
      isOpen = true;
    }
    if (isOpen && (SENTENCE_ENDS.has(byte) || byte === NEW_LINE)) {
      sentences++;
      isOpen = false;
    }
    isInWord = false;
    wasVowel = false;
    wordSyllables = 0;
  }
  if (words < LEAST_WORDS || words > sentences * MOST_WORDS_PER_SENTENCE) return null;
  const score = 206.835 - (1.015 * words) / sentences - (84.6 * syllables) / words;
  return Math.round(score * 10) / 10;
}

/** What designers put where text is still missing. */
export const hasPlaceholder = (text: Buffer): boolean =>
  text.includes("orem ipsum dolor") || text.includes("OREM IPSUM DOLOR");
