/** How wide a text is in search results, in pixels: set in Arial, 20 pixels high for titles and 14 for descriptions. */

/** Widths of the characters from space to tilde in Arial, in thousandths of the height. */
const ASCII = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
  556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
  722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
  556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
  260, 334, 584,
];
/** The average of accented, Greek and Cyrillic letters; and an East Asian character or an emoji, which is a square. */
const LETTER = 560;
const SQUARE = 1_000;
const FIRST_SQUARE = 0x1100;

const TITLE_HEIGHT = 20;
const DESCRIPTION_HEIGHT = 14;

export const titlePixels = (text: string | null): number | null => (text === null ? null : pixels(text, TITLE_HEIGHT));
export const descriptionPixels = (text: string | null): number | null =>
  text === null ? null : pixels(text, DESCRIPTION_HEIGHT);

function pixels(text: string, height: number): number {
  let width = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    // The second half of a surrogate pair.
    if (code >= 0xdc00 && code <= 0xdfff) continue;
    width += ASCII[code - 32] ?? (code < FIRST_SQUARE ? LETTER : isPunctuation(code) ? LETTER : SQUARE);
  }
  return Math.round((width * height) / 1_000);
}

/** Dashes, quotation marks and ellipses. */
const isPunctuation = (code: number): boolean => code >= 0x2000 && code < 0x2070;
